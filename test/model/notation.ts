// The small text notation of engine tests: one command a line, such as `#7 alice buys 100 YES @ 0.55 GTC → rests 100`. It
// parses lines into commands and prints commands as lines. Used by the scenario runner and by the model test, which prints
// a shrunk counter-example that can be pasted as a named test. A command without a form in words is written as JSON.
import type { Command, CommandOf } from '../../engine/protocol/index.ts';
import {
  ExchangeMode,
  MarketField,
  MarketStatus,
  OrderFlag,
  OrderType,
  RULES_VERSION,
  Side,
} from '../../engine/protocol/index.ts';
import { PLAIN_TERMS } from '../support/plainTerms.ts';
import {
  addressNamed,
  beatOf,
  keyNamed,
  keyNameOf,
  labelOf,
  marketIds,
  nameOf,
  orderIdOf,
  ownerNamed,
} from './names.ts';

/** Parses a decimal text with at most `digits` decimals into an integer of that many decimals. */
export function readDecimal(text: string, digits: number): number {
  const [whole, part = ''] = text.split('.');
  if (part.length > digits) throw new Error(`notation: ${text} has more than ${digits} decimals`);
  return Number(BigInt(whole) * 10n ** BigInt(digits) + BigInt(part.padEnd(digits, '0')));
}

export function printDecimal(value: number, digits: number): string {
  const text = String(value).padStart(digits + 1, '0');
  const part = text.slice(-digits).replace(/0+$/, '');
  return `${text.slice(0, -digits)}${part === '' ? '' : `.${part}`}`;
}

export function nameIn(table: Readonly<Record<string, number>>, value: number): string {
  return Object.entries(table).find(([, number]) => number === value)?.[0] ?? String(value);
}

function numberIn(table: Readonly<Record<string, number>>, name: string): number {
  const value = table[name];
  if (value === undefined) throw new Error(`notation: ${name} is none of ${Object.keys(table).join(', ')}`);
  return value;
}

export const tokens = { YES: 0, NO: 1 } as const;
export const resolutions = { YES: 0, NO: 1, split: 2 } as const;

/** The context in which a line is parsed or printed. */
interface Moment {
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

const maskOf: Readonly<Record<string, number>> = {
  status: MarketField.STATUS,
  tick: MarketField.TICK,
  min: MarketField.MIN_ORDER,
  'buy-min': MarketField.MIN_MARKETABLE_BUY,
  fee: MarketField.FEE,
  delay: MarketField.DELAY,
  'auto-tick': MarketField.AUTO_TICK,
};

export function printTerms(terms: typeof PLAIN_TERMS, mask: number): string {
  const shown: readonly (readonly [string, string])[] = [
    ['tick', printDecimal(terms.tickPips, 4)],
    ['min', printDecimal(terms.minOrderLots, 2)],
    ['buy-min', printDecimal(terms.minMarketableBuyMicro, 6)],
    ['fee', `${terms.feeRate}/${terms.feeExponent}`],
    ['delay', String(terms.delaySeconds)],
    ['auto-tick', String(terms.autoTick)],
    ['status', nameIn(MarketStatus, terms.status)],
  ];
  return shown.map(([name, value]) => ((mask & maskOf[name]) === 0 ? '' : ` ${name} ${value}`)).join('');
}

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
  const keyed = { ...by, keyId: keyFor(words), flags: 0 };
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
  form('an event is created', () => ({ type: 'CreateEvent', negRisk: 0 })),
  form(`${WHO} deletes (?<key>\\S+)`, (words) => ({
    type: 'DeleteApiKey',
    owner: ownerNamed(words.who ?? ''),
    keyId: keyFor(words),
  })),
  form(
    `(?:#(?<label>\\d+) )?${WHO} (?<verb>buys|sells) (?:\\$(?<budget>${NUMBER}) of|raw (?<maker>\\d+):(?<taker>\\d+)|(?<shares>${NUMBER})) (?<token>YES|NO)` +
      `(?: @ (?<price>${NUMBER}))? (?<type>\\w+)(?<postOnly> post-only)?(?<bound> bound)?(?<accurate> accurate)?${IN_MARKET}${FROM}${KEY}` +
      '(?: expires (?<expires>[+@]\\d+)s)?(?: signed (?<signed>[+-]\\d+)ms)?',
    readOrder,
  ),
  form(`${WHO} cancels(?<ids>(?: #\\d+)+)${KEY}`, readCancel),
  form(`${WHO} cancels (?<all>all)${KEY}`, readCancel),
  form(`${WHO} cancels m(?<market>\\d+)(?: (?<token>YES|NO))?${KEY}`, readCancel),
  form(`${WHO} beats(?<refresh> again)?(?: given (?<given>\\d+))? next (?<next>\\d+)${KEY}`, readHeartbeat),
  form(`market(?<terms>(?: (?:${termFields}) \\S+)*)`, (words, at) => ({
    type: 'CreateMarket',
    eventNumber: 0,
    ...marketIds(at.nextMarket),
    ...readTerms(words.terms ?? '').terms,
  })),
  form(`m(?<market>\\d+) changes(?<terms>(?: (?:${termFields}) \\S+)*)`, (words) => {
    const { mask, terms } = readTerms(words.terms ?? '');
    return { type: 'UpdateMarket', marketIndex: marketOf(words), mask, ...terms };
  }),
  form('m(?<market>\\d+) resolves (?<resolution>\\w+)', (words) => ({
    type: 'ResolveMarket',
    marketIndex: marketOf(words),
    resolution: numberIn(resolutions, words.resolution ?? ''),
  })),
  form(`${WHO} (?<verb>deposits|faucets|withdraws) (?<amount>${NUMBER})${FROM}`, readCash),
  form(`${WHO} gets (?<amount>${NUMBER}) (?<token>YES|NO)${IN_MARKET}${FROM}`, readPosition),
  form(`${WHO} (?<verb>splits|merges) (?<amount>${NUMBER})${IN_MARKET}${FROM}${KEY}`, readPosition),
  form(`${WHO} (?<verb>redeems)${IN_MARKET}${FROM}${KEY}`, readPosition),
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
  form(`${WHO} creates (?<key>\\S+) kind (?<kind>[0-2])(?: crediting(?<wallets>(?: \\S+)+))?`, (words) => ({
    type: 'CreateApiKey',
    owner: ownerNamed(words.who ?? ''),
    keyId: keyFor(words),
    nonce: 0,
    generation: 0,
    kind: Number(words.kind),
    items: walletsIn(words.wallets),
  })),
  form(`${WHO} is credited(?<wallets>(?: \\S+)*)`, (words) => ({
    type: 'CreditOwner',
    owner: ownerNamed(words.who ?? ''),
    items: walletsIn(words.wallets),
  })),
  form(`${WHO} binds (?<from>\\S+)`, (words) => ({ type: 'BindWallet', ...owned(words), signatureType: 0 })),
];

/** The command of one line without time and expectation. Throws an Error that quotes a line without a known form. */
export function readCommand(line: string, at: Moment): Command {
  if (line.startsWith('{')) return JSON.parse(line) as Command; // printed by printCommand; encoding checks it
  for (const { pattern, read } of forms) {
    const match = pattern.exec(line);
    if (match !== null) return read(match.groups ?? {}, at);
  }
  throw new Error(`notation: no command has the form ${JSON.stringify(line)}`);
}

/** The line of a command at its time: in words where they express it fully, as JSON otherwise. */
export function printCommand(command: Command, at: Moment): string {
  const words = inWords(command, at);
  return words !== undefined && isReadBack(words, command, at) ? words : JSON.stringify(command);
}

/** Whether a line parses to this very command. */
function isReadBack(words: string, command: Command, at: Moment): boolean {
  try {
    return isSame(withoutUnnamedTerms(readCommand(words, at)), withoutUnnamedTerms(command));
  } catch {
    return false; // it has a name that the notation does not know
  }
}

/** Drops the fields of a market update that its mask does not name: they have no meaning. */
function withoutUnnamedTerms(command: Command): Command {
  if (command.type !== 'UpdateMarket') return command;
  const { marketIndex, mask } = command;
  return { type: 'UpdateMarket', marketIndex, mask, ...readTerms(printTerms(command, mask)).terms };
}

/** Whether two commands hold the same values. */
function isSame(x: object, y: object): boolean {
  const [one, other] = [x, y].map((object) => Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
  return JSON.stringify(one) === JSON.stringify(other);
}

function inWords(command: Command, at: Moment): string | undefined {
  switch (command.type) {
    case 'Tick':
      return 'time passes';
    case 'Started': {
      const { rulesVersion, orderWindowMs, heartbeatWindowMs, minedDelayMs, confirmedDelayMs, creditMicro } = command;
      const rules = rulesVersion === RULES_VERSION ? '' : ` rules ${rulesVersion}`;
      const delays = `mined ${minedDelayMs} confirmed ${confirmedDelayMs}`;
      return `started${rules} window ${orderWindowMs} heartbeat ${heartbeatWindowMs} ${delays} credit ${printDecimal(creditMicro, 6)}`;
    }
    case 'PlaceOrder':
      return orderInWords(command, at);
    case 'CancelOrders':
      return `${by(command)} cancels${command.items?.map((id) => ` #${labelOf(id)}`).join('')}${keyPart(command)}`;
    case 'CancelAll':
      return `${by(command)} cancels all${keyPart(command)}`;
    case 'CancelMarket': {
      const token = command.outcome === 2 ? '' : ` ${nameIn(tokens, command.outcome)}`;
      return `${by(command)} cancels m${command.marketIndex}${token}${keyPart(command)}`;
    }
    case 'Heartbeat': {
      const given = labelOf(command.given) === 0 ? '' : ` given ${labelOf(command.given)}`;
      const again = command.refresh === 1 ? ' again' : '';
      return `${by(command)} beats${again}${given} next ${labelOf(command.next)}${keyPart(command)}`;
    }
    case 'CreateMarket':
      return `market${printTerms(command, 127)}${command.negRisk === 1 ? ' neg-risk 1' : ''}`;
    case 'UpdateMarket':
      return `m${command.marketIndex} changes${printTerms(command, command.mask)}`;
    case 'ResolveMarket':
      return `m${command.marketIndex} resolves ${nameIn(resolutions, command.resolution)}`;
    default:
      return moneyInWords(command);
  }
}

function moneyInWords(command: Command): string | undefined {
  switch (command.type) {
    case 'Deposit': {
      const verb = command.isFaucet === 1 ? 'faucets' : 'deposits';
      return `${by(command)} ${verb} ${printDecimal(command.amountMicro, 6)}${fromPart(command, command.wallet)}`;
    }
    case 'Withdraw':
      return `${by(command)} withdraws ${printDecimal(command.amountMicro, 6)}${fromPart(command, command.wallet)}`;
    case 'FaucetShares': {
      const amount = `${printDecimal(command.amountMicro, 6)} ${nameIn(tokens, command.outcome)}`;
      return `${by(command)} gets ${amount}${inPart(command)}${fromPart(command, command.wallet)}`;
    }
    case 'Split':
    case 'Merge': {
      const verb = command.type === 'Split' ? 'splits' : 'merges';
      const amount = printDecimal(command.amountMicro, 6);
      const where = `${inPart(command)}${fromPart(command, command.wallet)}`;
      return `${by(command)} ${verb} ${amount}${where}${keyPart(command)}`;
    }
    case 'Redeem':
      return `${by(command)} redeems${inPart(command)}${fromPart(command, command.wallet)}${keyPart(command)}`;
    case 'SetExchangeMode':
      return `mode ${nameIn(ExchangeMode, command.mode)}`;
    case 'SetAccountFlags':
      return `${by(command)} flags ${command.mask} ${command.flags}`;
    case 'CreditOwner':
      return `${by(command)} is credited${command.items?.map((wallet) => ` ${nameOf(wallet)}`).join('')}`;
    case 'CreateApiKey': {
      const wallets = command.items?.map((wallet) => ` ${nameOf(wallet)}`).join('') ?? '';
      const crediting = wallets === '' ? '' : ` crediting${wallets}`;
      return `${by(command)} creates ${keyNameOf(command.keyId)} kind ${command.kind}${crediting}`;
    }
    case 'CreateEvent':
      return 'an event is created';
    case 'DeleteApiKey':
      return `${by(command)} deletes ${keyNameOf(command.keyId)}`;
    case 'BindWallet':
      return `${by(command)} binds ${nameOf(command.wallet)}`;
    default:
      return undefined;
  }
}

const by = (command: { readonly owner: string }): string => nameOf(command.owner);
const inPart = ({ marketIndex }: { readonly marketIndex: number }): string =>
  marketIndex === 0 ? '' : ` in m${marketIndex}`;
const fromPart = (command: { readonly owner: string }, wallet: string): string =>
  wallet === command.owner ? '' : ` from ${nameOf(wallet)}`;
const keyPart = (command: { readonly owner: string; readonly keyId: string }): string =>
  keyNameOf(command.keyId) === `${by(command)}:0` ? '' : ` key ${keyNameOf(command.keyId)}`;

function orderInWords(command: CommandOf<'PlaceOrder'>, { tMs }: Moment): string {
  const { makerAmountMicro, takerAmountMicro, flags, timestampMs, expirationS } = command;
  const isBuy = command.side === Side.BUY;
  const [money, shares] = isBuy ? [makerAmountMicro, takerAmountMicro] : [takerAmountMicro, makerAmountMicro];
  const pips = shares === 0 ? 0n : (BigInt(money) * 10_000n) / BigInt(shares);
  const isExact = pips > 0n && pips * BigInt(shares) === BigInt(money) * 10_000n;
  const token = nameIn(tokens, command.outcome);
  const asked = isExact
    ? `${printDecimal(shares, 6)} ${token} @ ${printDecimal(Number(pips), 4)}`
    : `raw ${makerAmountMicro}:${takerAmountMicro} ${token}`;
  const inS = expirationS - Math.floor(tMs / 1000);
  const parts = [
    `#${labelOf(command.orderId)} ${by(command)} ${isBuy ? 'buys' : 'sells'} ${asked} ${nameIn(OrderType, command.orderType)}`,
    (flags & OrderFlag.POST_ONLY) === 0 ? '' : ' post-only',
    (flags & OrderFlag.BOUND_WALLET) === 0 ? '' : ' bound',
    (flags & OrderFlag.CLIENT_ACCURACY) === 0 ? '' : ' accurate',
    inPart(command),
    fromPart(command, command.maker),
    keyPart(command),
    expirationS === 0 ? '' : ` expires ${inS < 0 ? `@${expirationS}` : `+${inS}`}s`,
    timestampMs === tMs ? '' : ` signed ${timestampMs < tMs ? '' : '+'}${timestampMs - tMs}ms`,
  ];
  return parts.join('');
}
