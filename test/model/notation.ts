// The small text notation of engine tests: one command a line, such as `#7 alice buys 100 YES @ 0.55 GTC → rests 100`. Lines
// are parsed into commands here; printing.ts prints them. Used by the scenarios of the rule tests, by the toy world and by the
// simulation. A command without a form in words is written as JSON.
import type { Command } from '../../engine/protocol/index.ts';
import {
  ExchangeMode,
  MarketField,
  MarketStatus,
  notificationItem,
  OrderFlag,
  OrderType,
  RULES_VERSION,
  Side,
} from '../../engine/protocol/index.ts';
import { PLAIN_TERMS } from '../support/plainTerms.ts';
import { addressNamed, beatOf, keyNamed, marketIds, orderIdOf, ownerNamed } from './names.ts';

/** Parses a decimal text with at most `digits` decimals into an integer of that many decimals. */
export function readDecimal(text: string, digits: number): number {
  const [whole, part = ''] = text.split('.');
  if (part.length > digits) throw new Error(`notation: ${text} has more than ${digits} decimals`);
  return Number(BigInt(whole) * 10n ** BigInt(digits) + BigInt(part.padEnd(digits, '0')));
}

function numberIn(table: Readonly<Record<string, number>>, name: string): number {
  const value = table[name];
  if (value === undefined) throw new Error(`notation: ${name} is none of ${Object.keys(table).join(', ')}`);
  return value;
}

export const tokens = { YES: 0, NO: 1 } as const;
export const resolutions = { YES: 0, NO: 1, split: 2 } as const;

/** The context in which a line is parsed or printed. */
export interface Moment {
  readonly tMs: number;
  /** Id label of an order whose line has none, and index of the market that a line creates. */
  readonly nextLabel: number;
  readonly nextMarket: number;
}

interface Form {
  readonly pattern: RegExp;
  readonly read: (words: Readonly<Record<string, string | undefined>>, at: Moment) => Command;
}

const NUMBER = '\\d+(?:\\.\\d+)?';
const IN_MARKET = '(?: in m(?<market>\\d+))?';
const WHO = '(?<who>\\w+(?:/\\d)?)';
const FROM = '(?: from (?<from>\\w+(?:/\\d)?))?';
const KEY = '(?: key (?<key>\\S+))?';
const BOUND = '(?<bound> bound)?';
const form = (pattern: string, read: Form['read']): Form => ({ pattern: new RegExp(`^${pattern}$`), read });

type Words = Readonly<Record<string, string | undefined>>;
const marketOf = (words: Words): number => Number(words.market ?? 0);
const owned = (words: Words): { owner: string; wallet: string } => ({
  owner: ownerNamed(words.who ?? ''),
  wallet: addressNamed(words.from ?? words.who ?? ''),
});
const keyFor = (words: Words): string => keyNamed(words.key ?? `${words.who?.split('/')[0]}:0`);

function readAmounts(words: Words, isBuy: boolean): { makerAmountMicro: number; takerAmountMicro: number } {
  if (words.maker !== undefined) {
    return { makerAmountMicro: Number(words.maker), takerAmountMicro: Number(words.taker) };
  }
  const pips = BigInt(readDecimal(words.price ?? '0', 4));
  if (words.budget !== undefined) {
    const budget = readDecimal(words.budget, 6);
    return { makerAmountMicro: budget, takerAmountMicro: Number((BigInt(budget) * 10_000n) / pips) };
  }
  const shares = readDecimal(words.shares ?? '0', 6);
  const money = Number((BigInt(shares) * pips) / 10_000n);
  return isBuy
    ? { makerAmountMicro: money, takerAmountMicro: shares }
    : { makerAmountMicro: shares, takerAmountMicro: money };
}

/** `+90` is 90 s after the line's time, `@90` the second 90 itself. */
function readExpiration(text: string | undefined, tMs: number): number {
  if (text === undefined) return 0;
  return Number(text.slice(1)) + (text.startsWith('+') ? Math.floor(tMs / 1000) : 0);
}

function readOrder(words: Words, at: Moment): Command {
  const { owner, wallet } = owned(words);
  const isBuy = words.verb === 'buys';
  return {
    type: 'PlaceOrder',
    orderId: orderIdOf(words.label === undefined ? at.nextLabel : Number(words.label)),
    keyId: keyFor(words),
    maker: wallet,
    owner,
    marketIndex: marketOf(words),
    outcome: numberIn(tokens, words.token ?? ''),
    side: isBuy ? Side.BUY : Side.SELL,
    orderType: numberIn(OrderType, words.type ?? ''),
    flags:
      (words.postOnly ? OrderFlag.POST_ONLY : 0) |
      (words.bound ? OrderFlag.BOUND_WALLET : 0) |
      (words.accurate ? OrderFlag.CLIENT_ACCURACY : 0),
    ...readAmounts(words, isBuy),
    timestampMs: at.tMs + Number(words.signed ?? 0),
    expirationS: readExpiration(words.expires, at.tMs),
  };
}

const termFields = 'tick|min|buy-min|fee|delay|auto-tick|neg-risk|status';

/**
 * Parses terms such as `tick 0.01 min 5 fee 200/1`, which override those of a toy market; `mask` has a bit for each one named.
 */
function readTerms(text: string): { mask: number; terms: typeof PLAIN_TERMS } {
  const terms = { ...PLAIN_TERMS };
  let mask = 0;
  for (const [, name, value] of text.matchAll(new RegExp(` (${termFields}) (\\S+)`, 'g'))) {
    if (name === 'tick') terms.tickPips = readDecimal(value, 4);
    if (name === 'min') terms.minOrderLots = readDecimal(value, 2);
    if (name === 'buy-min') terms.minMarketableBuyMicro = readDecimal(value, 6);
    if (name === 'fee') [terms.feeRate, terms.feeExponent] = value.split('/').map(Number);
    if (name === 'delay') terms.delaySeconds = Number(value);
    if (name === 'auto-tick') terms.autoTick = Number(value);
    if (name === 'neg-risk') terms.negRisk = Number(value);
    if (name === 'status') terms.status = numberIn(MarketStatus, value);
    mask |= maskOf[name] ?? 0;
  }
  return { mask, terms };
}

export const maskOf: Readonly<Record<string, number>> = {
  status: MarketField.STATUS,
  tick: MarketField.TICK,
  min: MarketField.MIN_ORDER,
  'buy-min': MarketField.MIN_MARKETABLE_BUY,
  fee: MarketField.FEE,
  delay: MarketField.DELAY,
  'auto-tick': MarketField.AUTO_TICK,
};

const readStarted: Form['read'] = (words) => ({
  type: 'Started',
  rulesVersion: Number(words.rules ?? RULES_VERSION),
  orderWindowMs: Number(words.window),
  heartbeatWindowMs: Number(words.heartbeat),
  minedDelayMs: Number(words.mined),
  confirmedDelayMs: Number(words.confirmed),
  creditMicro: readDecimal(words.credit ?? '0', 6),
});

const readHeartbeat: Form['read'] = (words) => ({
  type: 'Heartbeat',
  owner: ownerNamed(words.who ?? ''),
  keyId: keyFor(words),
  given: beatOf(Number(words.given ?? 0)),
  next: beatOf(Number(words.next)),
  refresh: words.refresh === undefined ? 0 : 1,
});

const readCancel: Form['read'] = (words) => {
  const by = { owner: ownerNamed(words.who ?? ''), keyId: keyFor(words) };
  if (words.ids !== undefined) {
    return {
      type: 'CancelOrders',
      ...by,
      items: words.ids
        .trim()
        .split(' ')
        .map((id) => orderIdOf(Number(id.slice(1)))),
    };
  }
  if (words.all !== undefined) return { type: 'CancelAll', ...by };
  const outcome = words.token === undefined ? 2 : numberIn(tokens, words.token);
  return { type: 'CancelMarket', ...by, marketIndex: marketOf(words), outcome };
};

const readCash: Form['read'] = (words) => {
  const amountMicro = readDecimal(words.amount ?? '0', 6);
  if (words.verb === 'withdraws') return { type: 'Withdraw', ...owned(words), amountMicro };
  return { type: 'Deposit', ...owned(words), amountMicro, isFaucet: words.verb === 'faucets' ? 1 : 0 };
};

const readPosition: Form['read'] = (words) => {
  const amountMicro = readDecimal(words.amount ?? '0', 6);
  const by = { ...owned(words), marketIndex: marketOf(words) };
  if (words.token !== undefined) {
    return { type: 'FaucetShares', ...by, outcome: numberIn(tokens, words.token), amountMicro };
  }
  const flags = words.bound === undefined ? 0 : OrderFlag.BOUND_WALLET;
  const keyed = { ...by, keyId: keyFor(words), flags };
  if (words.verb === 'splits') return { type: 'Split', ...keyed, amountMicro };
  if (words.verb === 'merges') return { type: 'Merge', ...keyed, amountMicro };
  return { type: 'Redeem', ...keyed };
};

const walletsIn = (text: string | undefined): string[] =>
  (text ?? '')
    .split(' ')
    .filter((word) => word !== '')
    .map(addressNamed);

const forms: readonly Form[] = [
  form(
    `started(?: rules (?<rules>\\d+))? window (?<window>\\d+) heartbeat (?<heartbeat>\\d+) mined (?<mined>\\d+) confirmed (?<confirmed>\\d+) credit (?<credit>${NUMBER})`,
    readStarted,
  ),
  form('time passes', () => ({ type: 'Tick' })),
  form('an event is created(?<risk> neg-risk)?', (words) => ({
    type: 'CreateEvent',
    negRisk: words.risk === undefined ? 0 : 1,
  })),
  form(`${WHO} deletes (?<key>\\S+)`, (words) => ({
    type: 'DeleteApiKey',
    owner: ownerNamed(words.who ?? ''),
    keyId: keyFor(words),
  })),
  form(
    `(?:#(?<label>\\d+) )?${WHO} (?<verb>buys|sells) (?:\\$(?<budget>${NUMBER}) of|raw (?<maker>\\d+):(?<taker>\\d+)|(?<shares>${NUMBER})) (?<token>YES|NO)` +
      `(?: @ (?<price>${NUMBER}))? (?<type>\\w+)(?<postOnly> post-only)?${BOUND}(?<accurate> accurate)?${IN_MARKET}${FROM}${KEY}` +
      '(?: expires (?<expires>[+@]\\d+)s)?(?: signed (?<signed>[+-]\\d+)ms)?',
    readOrder,
  ),
  form(`${WHO} cancels(?<ids>(?: #\\d+)+)${KEY}`, readCancel),
  form(`${WHO} cancels (?<all>all)${KEY}`, readCancel),
  form(`${WHO} cancels m(?<market>\\d+)(?: (?<token>YES|NO))?${KEY}`, readCancel),
  form(`${WHO} beats(?<refresh> again)?(?: given (?<given>\\d+))? next (?<next>\\d+)${KEY}`, readHeartbeat),
  form(
    `market(?: (?<number>\\d+))?(?: of event (?<event>\\d+))?(?<terms>(?: (?:${termFields}) \\S+)*)`,
    (words, at) => ({
      type: 'CreateMarket',
      eventNumber: Number(words.event ?? 0),
      ...marketIds(Number(words.number ?? at.nextMarket)),
      ...readTerms(words.terms ?? '').terms,
    }),
  ),
  form(
    `m(?<market>\\d+) changes(?<terms>(?: (?:${termFields}) \\S+)*)(?: beside(?<beside>(?: (?:${termFields}) \\S+)+))?`,
    (words) => {
      // What stands beside the change is carried by the command, but not named by its mask.
      const { mask } = readTerms(words.terms ?? '');
      const { terms } = readTerms(`${words.terms}${words.beside ?? ''}`);
      return { type: 'UpdateMarket', marketIndex: marketOf(words), mask, ...terms };
    },
  ),
  form('m(?<market>\\d+) resolves (?<resolution>\\w+)', (words) => ({
    type: 'ResolveMarket',
    marketIndex: marketOf(words),
    resolution: numberIn(resolutions, words.resolution ?? ''),
  })),
  form(`${WHO} (?<verb>deposits|faucets|withdraws) (?<amount>${NUMBER})${FROM}`, readCash),
  form(`${WHO} gets (?<amount>${NUMBER}) (?<token>YES|NO)${IN_MARKET}${FROM}`, readPosition),
  form(`${WHO} (?<verb>splits|merges) (?<amount>${NUMBER})${BOUND}${IN_MARKET}${FROM}${KEY}`, readPosition),
  form(`${WHO} (?<verb>redeems)${BOUND}${IN_MARKET}${FROM}${KEY}`, readPosition),
  form('mode (?<mode>\\w+)', (words) => ({
    type: 'SetExchangeMode',
    mode: numberIn(ExchangeMode, words.mode ?? ''),
  })),
  form(`${WHO} flags (?<mask>[0-3]) (?<flags>[0-3])`, (words) => ({
    type: 'SetAccountFlags',
    owner: ownerNamed(words.who ?? ''),
    mask: Number(words.mask),
    flags: Number(words.flags),
  })),
  form(
    `${WHO} creates (?<key>\\S+) kind (?<kind>[0-2])(?: nonce (?<nonce>\\d+))?(?: generation (?<generation>\\d+))?(?: crediting(?<wallets>(?: \\S+)+))?`,
    (words) => ({
      type: 'CreateApiKey',
      owner: ownerNamed(words.who ?? ''),
      keyId: keyFor(words),
      nonce: Number(words.nonce ?? 0),
      generation: Number(words.generation ?? 0),
      kind: Number(words.kind),
      items: walletsIn(words.wallets),
    }),
  ),
  form(`${WHO} is credited(?<wallets>(?: \\S+)*)`, (words) => ({
    type: 'CreditOwner',
    owner: ownerNamed(words.who ?? ''),
    items: walletsIn(words.wallets),
  })),
  form(`${WHO} binds (?<from>\\S+)(?: type (?<type>[0-3]))?`, (words) => ({
    type: 'BindWallet',
    ...owned(words),
    signatureType: Number(words.type ?? 0),
  })),
  form(`${WHO} drops(?<numbers>(?: \\d+)+)${KEY}`, (words) => ({
    type: 'DropNotifications',
    owner: ownerNamed(words.who ?? ''),
    keyId: keyFor(words),
    items: (words.numbers ?? '')
      .trim()
      .split(' ')
      .map((number) => notificationItem(Number(number))),
  })),
];

/** The command of one line without time and expectation. Throws an Error that quotes a line without a known form. */
export function readCommand(line: string, at: Moment): Command {
  if (line.startsWith('{')) return readJson(line);
  for (const { pattern, read } of forms) {
    const match = pattern.exec(line);
    if (match !== null) return read(match.groups ?? {}, at);
  }
  throw new Error(`notation: no command has the form ${JSON.stringify(line)}`);
}

function readJson(line: string): Command {
  const { tail, ...command } = JSON.parse(line) as Command & { readonly tail?: string }; // by printCommand; encoding checks it
  return tail === undefined ? command : { ...command, tail: new Uint8Array(Buffer.from(tail, 'latin1')) };
}
