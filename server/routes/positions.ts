// Full sets and resolved shares of the caller's wallets: split collateral into both tokens, merge both back, redeem a
// resolved market's payout. The request names the wallet, or its signature type selects it; the core makes the checks.

import { type LogRecord, OrderFlag } from '../../engine/index.ts';
import { walletNamed, walletOfType } from '../commands/ownerWallets.ts';
import { eventOf, submitAccepted } from '../commands/submit.ts';
import type { Context, Endpoint, Handler } from '../http/endpoint.ts';
import type { Market } from '../views/index.ts';
import { BadRequest } from '../wire/badRequest.ts';
import { readFields } from '../wire/bodies.ts';
import { microText } from '../wire/numbers.ts';
import { type RedeemBody, redeemBody, setsBody } from '../wire/operatorBodies.ts';
import { holdingsJson } from '../wire/operatorRecords.ts';
import * as schemas from '../wire/schemas/account.ts';

/** The market, and the head that all three commands share. */
function headOf(context: Context, { condition_id, wallet: named, signature_type: type }: RedeemBody) {
  const { services } = context;
  const { owner, keyId } = context.caller();
  const market = services.views.markets.byCondition(condition_id);
  if (market === undefined) throw new BadRequest('market not found', { status: 404 });
  const { wallet, isBound } =
    named === undefined ? walletOfType(services, owner, type ?? 0) : walletNamed(services, owner, named, type);
  const flags = isBound ? OrderFlag.BOUND_WALLET : 0;
  return { market, head: { wallet, owner, keyId, marketIndex: market.index, flags } };
}

function reply(context: Context, market: Market, wallet: string, figures: Readonly<Record<string, unknown>>) {
  const holdings = holdingsJson(context.services.views.accounts, wallet, market);
  return { body: JSON.stringify({ condition_id: market.conditionId, wallet, ...figures, ...holdings }) };
}

/** A handler that turns collateral into full sets, or full sets into collateral. */
const convertSets =
  (type: 'Split' | 'Merge'): Handler =>
  async (request, context) => {
    const { amount, ...place } = readFields(setsBody, request.json());
    const { market, head } = headOf(context, place);
    const command = { type, ...head, amountMicro: amount };
    await submitAccepted(context.services.exchange, command, { address: head.wallet });
    return reply(context, market, head.wallet, { amount: microText(amount) });
  };

const payoutMicro = (record: LogRecord): number => eventOf(record, 'PositionRedeemed')?.payoutMicro ?? 0;

const redeem: Handler = async (request, context) => {
  const { market, head } = headOf(context, readFields(redeemBody, request.json()));
  const record = await submitAccepted(context.services.exchange, { type: 'Redeem', ...head }, { address: head.wallet });
  return reply(context, market, head.wallet, { payout: microText(payoutMicro(record)) });
};

const row = { method: 'POST', auth: 'l2', throttle: 'general', section: '8' } as const;

export const positionsEndpoints: readonly Endpoint[] = [
  {
    ...row,
    path: '/split',
    summary: 'Splits collateral into shares of both tokens of a market; banned and closed-only owners cannot.',
    schema: schemas.sets,
    handler: convertSets('Split'),
  },
  {
    ...row,
    path: '/merge',
    summary: 'Merges shares of both tokens of a market into collateral.',
    schema: schemas.sets,
    handler: convertSets('Merge'),
  },
  {
    ...row,
    path: '/redeem',
    summary: 'Redeems the shares of a resolved market for their payout.',
    schema: schemas.redeem,
    handler: redeem,
  },
];
