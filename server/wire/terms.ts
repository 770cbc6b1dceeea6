// The words of the wire for the closed sets of the domain, each set once: its words, the word of a value and, for what
// orders carry, the value of a word. Read by the parsers, renderers and schemas of this folder and by all who show such a
// value. BUY and SELL are also written by marketEvents.ts and prices.ts, inside longer texts, and by the historian's rows.
import { ExchangeMode, MarketStatus, OrderType, Side, TradeStatus } from '../../engine/index.ts';

/** The words of a set, in its order. */
export function wordsOf<Word extends string>(values: Readonly<Record<Word, number>>): readonly [Word, ...Word[]] {
  return Object.keys(values) as [Word, ...Word[]]; // constants have no keys but those of their type, and one at least
}

/** The words of a set, by value. */
function textsOf(values: Readonly<Record<string, number>>): readonly string[] {
  const texts: string[] = [];
  for (const [word, value] of Object.entries(values)) texts[value] = word;
  return texts;
}

export const sideWords = wordsOf(Side);
export type SideWord = (typeof sideWords)[number];
const SIDE_TEXTS = textsOf(Side);

/** BUY or SELL. */
export function sideText(side: number): string {
  return SIDE_TEXTS[side] ?? '';
}

/** The side that is called so, in upper case; undefined for anything else. By comparison: every order passes here. */
export function sideOf(word: unknown): Side | undefined {
  if (word === 'BUY') return Side.BUY;
  return word === 'SELL' ? Side.SELL : undefined;
}

export const orderTypeWords = wordsOf(OrderType);
const TYPE_TEXTS = textsOf(OrderType);
const ORDER_TYPES: Readonly<Record<string, OrderType | undefined>> = OrderType;

/** GTC, GTD, FOK or FAK. */
export function orderTypeText(orderType: number): string {
  return TYPE_TEXTS[orderType] ?? '';
}

/** The order type that is called so; undefined for anything else. */
export function orderTypeOf(word: unknown): OrderType | undefined {
  return typeof word === 'string' && Object.hasOwn(ORDER_TYPES, word) ? ORDER_TYPES[word] : undefined;
}

export const tradeStatusWords = wordsOf(TradeStatus);
const TRADE_STATUS_TEXTS = textsOf(TradeStatus);

/** MATCHED, MINED or CONFIRMED. */
export function tradeStatusText(status: number): string {
  return TRADE_STATUS_TEXTS[status] ?? '';
}

/** Statuses of markets by their words. */
export const marketStatuses = {
  draft: MarketStatus.DRAFT,
  active: MarketStatus.OPEN,
  paused: MarketStatus.PAUSED,
  closed: MarketStatus.CLOSED,
  resolved: MarketStatus.RESOLVED,
} as const;
export const marketStatusWords = wordsOf(marketStatuses);
const MARKET_STATUS_TEXTS = textsOf(marketStatuses);

/** draft, active, paused, closed or resolved. */
export function marketStatusText(status: number): string {
  return MARKET_STATUS_TEXTS[status] ?? 'unknown';
}

/** Modes of the exchange by the words that operators use. */
export const exchangeModes = {
  normal: ExchangeMode.NORMAL,
  post_only: ExchangeMode.POST_ONLY,
  cancel_only: ExchangeMode.CANCEL_ONLY,
  disabled: ExchangeMode.DISABLED,
  restarting: ExchangeMode.RESTARTING,
} as const;
export const exchangeModeWords = wordsOf(exchangeModes);
const EXCHANGE_MODE_TEXTS = textsOf(exchangeModes);

/** normal, post_only, cancel_only, disabled or restarting. */
export function exchangeModeText(mode: number): string {
  return EXCHANGE_MODE_TEXTS[mode] ?? 'unknown';
}
