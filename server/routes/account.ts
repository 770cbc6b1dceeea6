// The caller's account: whether it may open positions (wire.md A.2), and the balances of its wallets, GET /balance-allowance
// and its update form (C.6). Thin: the owner and the signature type alone determine the wallet, as they do for orders. Nothing
// here moves money.

import { AccountFlag } from '../../engine/index.ts';
import { spendersOf } from '../auth/contracts.ts';
import { walletOfType } from '../commands/ownerWallets.ts';
import type { Endpoint, Handler } from '../http/endpoint.ts';
import { BadRequest } from '../wire/badRequest.ts';
import { balanceOf, balanceReply, readBalanceQuery } from '../wire/balances.ts';
import * as schemas from '../wire/schemas/account.ts';
import type { EndpointSchema } from '../wire/schemas/endpointSchema.ts';

const closedOnly: Handler = (_request, { services: { views }, caller }) => {
  const flags = views.accounts.flags(caller().owner);
  return { body: JSON.stringify({ closed_only: (flags & AccountFlag.CLOSED_ONLY) !== 0 }) };
};

const balance: Handler = (request, { services, caller }) => {
  const { views, contracts } = services;
  const { owner } = caller();
  const { isCollateral, tokenId, signatureType } = readBalanceQuery(request.query);
  const account = views.accounts.byWallet(walletOfType(services, owner, signatureType).wallet);
  const own = account?.owner === owner ? account : undefined;
  const spenders = spendersOf(contracts);
  if (isCollateral) return { body: balanceReply(own?.collateralMicro ?? 0, spenders) };
  const place = views.markets.byToken(tokenId);
  if (place === undefined) throw new BadRequest('Invalid token id: no market has this token', { status: 404 });
  return { body: balanceReply(balanceOf(own, place.market.index, place.outcome), spenders) };
};

/** Nothing to do: balances are always up to date. */
const update: Handler = (request) => {
  readBalanceQuery(request.query);
  return { body: '{}' };
};

const UPDATE_SUMMARY = 'Does nothing: balances are always up to date.';

function endpoint(
  method: 'GET' | 'PUT',
  path: string,
  summary: string,
  schema: EndpointSchema,
  handler: Handler,
): Endpoint {
  return { method, path, auth: 'l2-read', throttle: 'general', section: 'wire C.6', summary, schema, handler };
}

export const accountEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/auth/ban-status/closed-only',
    auth: 'l2-read',
    throttle: 'general',
    section: 'A.2',
    summary: 'Whether the caller may only reduce positions.',
    schema: schemas.closedOnly,
    handler: closedOnly,
  },
  endpoint(
    'GET',
    '/balance-allowance',
    "Balance of one of the caller's wallets, in millionths of a unit.",
    schemas.balance,
    balance,
  ),
  endpoint('PUT', '/balance-allowance', UPDATE_SUMMARY, schemas.balanceUpdate, update),
  endpoint('GET', '/balance-allowance/update', UPDATE_SUMMARY, schemas.balanceUpdate, update),
  endpoint('PUT', '/balance-allowance/update', UPDATE_SUMMARY, schemas.balanceUpdate, update),
];
