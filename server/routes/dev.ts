// Test money, in development only: collateral and shares out of nothing for any wallet. The door answers 404 for these
// paths in production; nothing here may be reached otherwise.

import type { Command } from '../../engine/index.ts';
import type { Endpoint, Handler } from '../http/endpoint.ts';
import { BadRequest } from '../http/errors.ts';
import { ownerOfAddress } from '../ownerWallets.ts';
import type { TokenPlace } from '../views/index.ts';
import { readFields } from '../wire/bodies.ts';
import { microText } from '../wire/numbers.ts';
import { faucetBody } from '../wire/operatorBodies.ts';
import { holdingsJson } from '../wire/operatorRecords.ts';
import * as schemas from '../wire/schemas/operator.ts';
import { submitAccepted } from './submit.ts';

const faucet: Handler = async (request, { services }) => {
  const { address, owner: given, collateral, token_id, shares } = readFields(faucetBody, request.json());
  const { exchange, views } = services;
  if (collateral === undefined && shares === undefined) {
    throw new BadRequest('missing_field: collateral or shares: say what to credit');
  }
  if (token_id === undefined && shares !== undefined) throw new BadRequest('missing_field: token_id');
  if (token_id !== undefined && shares === undefined) throw new BadRequest('missing_field: shares');
  let place: TokenPlace | undefined;
  if (token_id !== undefined) {
    place = views.markets.byToken(token_id);
    if (place === undefined) throw new BadRequest('token not found', { status: 404 });
  }
  const head = { wallet: address, owner: ownerOfAddress(services, address, given) };
  const commands: Command[] = [];
  if (collateral !== undefined) commands.push({ type: 'Deposit', ...head, amountMicro: collateral, isFaucet: 1 });
  if (place !== undefined && shares !== undefined) {
    const { market, outcome } = place;
    commands.push({ type: 'FaucetShares', ...head, marketIndex: market.index, outcome, amountMicro: shares });
  }
  for (const command of commands) await submitAccepted(exchange, command, { address });
  const holdings =
    place === undefined
      ? { collateral: microText(views.accounts.byWallet(address)?.collateralMicro ?? 0) }
      : holdingsJson(views.accounts, address, place.market);
  return { body: JSON.stringify({ address, owner: head.owner, ...holdings }) };
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
