// Schemas of the requests of operators and developers, and of the exchange's own state. The body schemas are the ones that
// parse the requests (operatorBodies.ts). Referenced by the routes' tables.
import { z } from 'zod';
import {
  accountBody,
  cashBody,
  eventBody,
  exchangeBody,
  faucetBody,
  marketBody,
  marketChangeBody,
  resolveBody,
} from '../operatorBodies.ts';
import { exchangeModeWords } from '../terms.ts';
import { tokenBalances } from './account.ts';
import * as common from './common.ts';
import type { EndpointSchema } from './endpointSchema.ts';

const { address, bytes32, conditionPath, decimal, digits, flag, text, tokenId, whole } = common;

export const ok: EndpointSchema = { reply: common.okReply };
export const time: EndpointSchema = { reply: common.seconds };
export const version: EndpointSchema = {
  reply: z.object({
    version: z.literal(2).meta({ description: 'Version of the order struct' }),
    interface: text.meta({ description: 'Version of this interface, the same as info.version' }),
  }),
};
export const ready: EndpointSchema = {
  reply: z.object({
    status: z.literal('ready'),
    mode: z
      .enum(exchangeModeWords)
      .meta({ description: 'Mode set by the operator. Only in normal are orders accepted without restriction' }),
    durable_sequence: whole,
    markets: whole,
  }),
};

export const metrics: EndpointSchema = { reply: text, replyType: 'text/plain' };

export const createEvent: EndpointSchema = {
  body: eventBody,
  reply: z.object({ id: digits, slug: text, title: text, neg_risk: flag }),
};
const operatorMarket = z
  .object({
    condition_id: bytes32,
    question_id: bytes32,
    market_id: whole,
    event_id: text.nullable(),
    slug: text,
    question: text,
    status: text,
    resolution: text.nullable(),
    tokens: z.array(z.object({ token_id: tokenId, outcome: text })).length(2),
    neg_risk: flag,
    tick_size: common.tickText,
    min_order_size: decimal,
    min_marketable_buy: decimal,
    fee: z.object({ rate: decimal, exponent: whole }),
    seconds_delay: whole,
    auto_tick: flag,
    archived: flag,
    rewards: common.marketRewards,
    flags: z.record(text, flag).meta({ description: 'Flags defined by the operator, by name' }),
  })
  .meta({ id: 'OperatorMarket', description: 'A market, as seen by its operator' });
export const createMarket: EndpointSchema = { body: marketBody, reply: operatorMarket };
export const readMarket: EndpointSchema = { path: conditionPath, reply: operatorMarket };
export const changeMarket: EndpointSchema = { path: conditionPath, body: marketChangeBody, reply: operatorMarket };
export const resolveMarket: EndpointSchema = { path: conditionPath, body: resolveBody, reply: operatorMarket };
export const moveCash: EndpointSchema = {
  body: cashBody,
  reply: z.object({ address, owner: address, amount: decimal, balance: decimal }),
};
export const changeExchange: EndpointSchema = { body: exchangeBody, reply: exchangeBody };
const operatorAccount = z.object({
  address,
  banned: flag,
  closed_only: flag,
  bound: z.array(z.object({ wallet: address, type: z.literal([1, 2, 3]) })),
});
export const readAccount: EndpointSchema = {
  path: { address: common.givenAddress },
  reply: operatorAccount.extend({
    wallets: z.array(
      z.object({
        wallet: address,
        type: common.signatureType.nullable(),
        balance: decimal.meta({ description: 'Collateral' }),
        tokens: tokenBalances.meta({ description: 'Shares, by token; only tokens that the wallet holds' }),
      }),
    ),
  }),
};
export const changeAccount: EndpointSchema = {
  path: { address: common.givenAddress },
  body: accountBody,
  reply: operatorAccount,
};
export const faucet: EndpointSchema = {
  body: faucetBody,
  reply: z.object({ address, owner: address, collateral: decimal, tokens: tokenBalances.optional() }),
};
