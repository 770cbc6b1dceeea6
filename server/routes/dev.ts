// Test money, in development only: credits collateral and shares to any wallet. The HTTP layer answers 404 for these paths
// in production; nothing here may be reachable otherwise.

import { type Command, StorageUnavailable } from '../../engine/index.ts';
import { submitForWallet } from '../commands/submit.ts';
import type { Endpoint, Handler } from '../http/endpoint.ts';
import type { TokenPlace } from '../views/index.ts';
import { BadRequest } from '../wire/badRequest.ts';
import { readFields } from '../wire/bodies.ts';
import { microText } from '../wire/numbers.ts';
import { faucetBody } from '../wire/operatorBodies.ts';
import { holdingsJson } from '../wire/operatorRecords.ts';
import { outageRefusal, replyError } from '../wire/rejections.ts';
import * as schemas from '../wire/schemas/operator.ts';

/**
 * The error to answer with when a request's shares were credited, but its collateral met this error. A client that does not
 * learn of the shares would ask for them again.
 */
export function errorAfterShares(error: unknown): unknown {
  const refusal = outageRefusal(error);
  const cause = refusal === undefined ? error : replyError(refusal);
  if (!(cause instanceof BadRequest)) return cause;
  const { message, status, extra, headers } = cause;
  const isUndecided = error instanceof StorageUnavailable && error.isUndecided;
  const fate = isUndecided ? 'may not have been' : 'was not';
  const text = `the shares were credited, but the collateral ${fate}: ${message}`;
  return new BadRequest(text, { status, extra, headers });
}

const faucet: Handler = async (request, { services }) => {
  const { address, owner: given, collateral, token_id, shares } = readFields(faucetBody, request.json());
  const { views } = services;
  if (collateral === undefined && shares === undefined) {
    throw new BadRequest('missing_field: collateral or shares: at least one is required');
  }
  if (token_id === undefined && shares !== undefined) throw new BadRequest('missing_field: token_id');
  if (token_id !== undefined && shares === undefined) throw new BadRequest('missing_field: shares');
  let place: TokenPlace | undefined;
  if (token_id !== undefined) {
    place = views.markets.byToken(token_id);
    if (place === undefined) throw new BadRequest('token not found', { status: 404 });
  }
  const credit = (commandOf: (owner: string) => Command): Promise<string> =>
    submitForWallet(services, address, given, commandOf);
  let owner = '';
  // Shares first: if the market does not accept them, the whole request is refused. After that, too much collateral can
  // still be refused.
  if (place !== undefined && shares !== undefined) {
    const amount = { marketIndex: place.market.index, outcome: place.outcome, amountMicro: shares };
    owner = await credit((of) => ({ type: 'FaucetShares', wallet: address, owner: of, ...amount }));
  }
  if (collateral !== undefined) {
    const amount = { amountMicro: collateral, isFaucet: 1 };
    try {
      owner = await credit((of) => ({ type: 'Deposit', wallet: address, owner: of, ...amount }));
    } catch (error) {
      throw place === undefined ? error : errorAfterShares(error);
    }
  }
  const holdings =
    place === undefined
      ? { collateral: microText(views.accounts.byWallet(address)?.collateralMicro ?? 0) }
      : holdingsJson(views.accounts, address, place.market);
  return { body: JSON.stringify({ address, owner, ...holdings }) };
};

export const devEndpoints: readonly Endpoint[] = [
  {
    method: 'POST',
    path: '/dev/faucet',
    auth: 'dev',
    throttle: 'general',
    section: '8',
    summary: 'Credits test collateral or shares to any wallet; in development only.',
    schema: schemas.faucet,
    handler: faucet,
  },
];
