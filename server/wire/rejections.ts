// HTTP status and sentence of every rejection of the engine (wire.md B.9), with the figures that explain it. Read by all
// routes that submit commands. Texts that official clients compare literally must stay as they are; further information
// travels in fields beside `error`. The codes themselves live in engine/protocol/rejections.ts.
import {
  amountStepMicro,
  type EventOf,
  MarketStatus,
  MICRO_MAX,
  MICRO_PER_LOT,
  mayHideDuplicate,
  PIPS_PER_UNIT,
  type RejectionName,
  rejectionName,
  Side,
  StorageUnavailable,
  takesOnly,
} from '../../engine/index.ts';
import { BadRequest } from './badRequest.ts';
import { HistorianUnavailable } from './historyQueries.ts';
import { lotsText, microText, pipsText } from './numbers.ts';
import { marketStatusText } from './terms.ts';

/** What a sentence may need besides the event's figures; '' where it does not apply. */
export interface RejectionContext {
  readonly orderId?: string;
  /** The address that the sentence names: the owner or the wallet. */
  readonly address?: string;
  readonly tokenId?: string;
  readonly side?: number;
  readonly orderType?: number;
}

export interface RejectionReply {
  readonly status: number;
  readonly text: string;
  /** Further fields of the reply, beside `error`. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether an earlier copy of the order was accepted or killed; undefined if that is ruled out. */
  readonly duplicate?: 'certain' | 'possible';
  /** The rejection comes from a state of the whole exchange, so it answers a whole batch. */
  readonly isOfExchange?: true;
}

interface Figures extends RejectionContext {
  readonly a: number;
  readonly b: number;
  readonly c: number;
}
type Sentence = (figures: Figures) => RejectionReply;

const refuse = (text: string, extra?: Readonly<Record<string, unknown>>): RejectionReply => ({
  status: 400,
  text,
  extra,
});

/** A refusal that asks the client to retry later. */
const later = (status: number, text: string, seconds: number): RejectionReply => ({
  status,
  text,
  headers: { 'Retry-After': String(seconds) },
});
/** The same for a refusal that comes from a state of the whole exchange. */
const byExchange = (status: number, text: string, seconds: number): RejectionReply => ({
  ...later(status, text, seconds),
  isOfExchange: true,
});

const invalidOrder = (id: string | undefined, reason: string): RejectionReply =>
  refuse(`order ${id ?? ''} is invalid. ${reason}`);

const offTick = (id: string | undefined, priceMicro: number, tickPips: number): RejectionReply =>
  invalidOrder(id, `Price (${microText(priceMicro)}) breaks minimum tick size rule: ${pipsText(tickPips)}`);

/**
 * For amounts with an allowed number of decimals: names the amount that the nearest price on the tick would need. If that
 * price is outside the allowed range, the sentence names the order's own price instead.
 */
function offPriceSentence({ orderId, c: tickPips }: Figures, money: number, shares: number, isBuy: boolean) {
  const lots = shares / MICRO_PER_LOT;
  const pips = Math.round(money / lots / tickPips) * tickPips;
  if (pips < tickPips || pips > PIPS_PER_UNIT - tickPips) {
    return offTick(orderId, Math.min(Math.floor((money / lots) * 100), MICRO_MAX), tickPips);
  }
  return refuse(
    `invalid amounts, the ${isBuy ? 'maker' : 'taker'} amount for a $${pipsText(pips)} order of size ${lotsText(lots)} ` +
      `should be '${microText(lots * pips)}' but the value submited is '${microText(money)}'`,
  );
}

/** Production's sentences, spelling included (wire.md B.4). */
function accuracySentence(figures: Figures): RejectionReply {
  const { a: makerMicro, b: takerMicro, c: tickPips, side, orderType } = figures;
  const isBuy = side !== Side.SELL;
  const isMarket = orderType !== undefined && takesOnly(orderType);
  const step = amountStepMicro(tickPips);
  const [moneyMicro, sharesMicro] = isBuy ? [makerMicro, takerMicro] : [takerMicro, makerMicro];
  if (!isMarket && sharesMicro % MICRO_PER_LOT === 0 && moneyMicro % step === 0) {
    return offPriceSentence(figures, moneyMicro, sharesMicro, isBuy);
  }
  const decimals = 7 - String(step).length; // of a unit; the step is a power of ten, in micro
  const [maker, taker] = isBuy && !isMarket ? [decimals, 2] : [2, decimals];
  return refuse(
    `invalid amounts, the ${isMarket ? 'market ' : ''}${isBuy ? 'buy' : 'sell'} orders maker amount supports a max accuracy of ` +
      `${maker} decimals, taker amount a max of ${taker} decimals: got makerAmount ${microText(makerMicro)} and takerAmount ` +
      microText(takerMicro),
  );
}

/** Seconds after which a client may retry, by the state in which the exchange refused it. */
export const RETRY_SECONDS = { disabled: 30, restarting: 2, cancelOnly: 30, postOnly: 5, unavailable: 5 } as const;

const sentences = {
  KEY_UNKNOWN: () => ({ status: 401, text: 'Unauthorized/Invalid api key' }),
  WALLET_NOT_OWNED: ({ address }) => refuse(`the wallet ${address ?? ''} does not belong to the owner of the API KEY`),
  MARKET_UNKNOWN: () => ({ status: 404, text: 'market not found' }),
  POST_ONLY_TYPE: () => refuse('invalid post-only order: postOnly is allowed for GTC and GTD orders only'),
  EXPIRATION_INVALID: ({ a, b }) =>
    refuse(
      b === 0
        ? `invalid expiration: ${a}; it must be "0" unless orderType is GTD`
        : `invalid expiration: ${a}; it must be at least ${b} (60 seconds from now)`,
    ),
  TIMESTAMP_OUT_OF_RANGE: ({ orderId, a, b, c }) =>
    invalidOrder(orderId, `Timestamp out of range: ${a}; it must be from ${b} to ${c}`),
  AMOUNT_NOT_POSITIVE: ({ a, b }) =>
    refuse(`invalid amounts, maker and taker amount must be above 0: got makerAmount ${a} and takerAmount ${b}`),
  AMOUNT_ACCURACY: accuracySentence,
  SIZE_TOO_LARGE: ({ orderId, a, b }) =>
    invalidOrder(orderId, `Size (${lotsText(a)}) higher than the maximum: ${lotsText(b)}`),
  PRICE_OFF_TICK: ({ orderId, a, b }) => offTick(orderId, a, b),
  SIZE_BELOW_MINIMUM: ({ orderId, a, b }) =>
    invalidOrder(orderId, `Size (${lotsText(a)}) lower than the minimum: ${lotsText(b)}`),
  MARKETABLE_BUY_BELOW_MINIMUM: ({ a, b }) =>
    refuse(`invalid amount for a marketable BUY order ($${microText(a)}), min size: $${microText(b)}`),
  // Production's wording for a market that is over: by it, bots know to stop trying.
  MARKET_NOT_OPEN: ({ a, tokenId }) =>
    refuse(
      a === MarketStatus.CLOSED || a === MarketStatus.RESOLVED
        ? `the orderbook ${tokenId ?? ''} does not exist`
        : 'the market is not yet ready to process new orders',
      { market_status: marketStatusText(a) },
    ),
  EXCHANGE_DISABLED: () =>
    byExchange(503, 'Trading is currently disabled. Orders and cancels are refused.', RETRY_SECONDS.disabled),
  EXCHANGE_RESTARTING: () =>
    byExchange(425, 'The matching engine is restarting. Try again in a moment.', RETRY_SECONDS.restarting),
  EXCHANGE_CANCEL_ONLY: () =>
    byExchange(
      503,
      'Trading is currently cancel-only. New orders are not accepted, but cancels are allowed.',
      RETRY_SECONDS.cancelOnly,
    ),
  EXCHANGE_POST_ONLY: () => ({
    ...later(503, 'post-only mode: only post-only orders and cancels are allowed', RETRY_SECONDS.postOnly),
    extra: { code: 'post_only_mode', retry_after_seconds: RETRY_SECONDS.postOnly },
  }),
  BANNED: ({ address }) => refuse(`'${address ?? ''}' address banned`),
  CLOSED_ONLY: ({ address }) => refuse(`'${address ?? ''}' address in closed only mode`),
  DUPLICATE: ({ orderId }) => ({ ...invalidOrder(orderId, 'Duplicated.'), duplicate: 'certain' }),
  POST_ONLY_CROSSES: ({ a }) => refuse('invalid post-only order: order crosses book', { best_price: pipsText(a) }),
  FUNDS: ({ a, b, c }) =>
    refuse(
      `not enough balance / allowance: the balance is not enough -> balance: ${a}, sum of active orders: ${b}, ` +
        `order amount (inc. fees): ${c}`,
    ),
  FOK_NOT_FILLED: ({ orderId, a }) =>
    refuse("order couldn't be fully filled. FOK orders are fully filled or killed.", {
      orderID: orderId ?? '',
      available_size: lotsText(a),
    }),
  FAK_NOT_MATCHED: ({ orderId }) =>
    refuse('no orders found to match with FAK order. FAK orders are partially filled or killed if no match is found.', {
      orderID: orderId ?? '',
    }),
  MARKET_STATE: ({ a }) =>
    refuse(`this is not allowed while the market is ${marketStatusText(a)}`, { market_status: marketStatusText(a) }),
  // The schemas of bodies and imports check each field first and name it (wire/operatorBodies.ts).
  MARKET_TERMS: () => refuse('invalid_field: the terms of the market are out of bounds'),
  MARKET_EXISTS: () =>
    refuse('a market with this condition id already exists: use another slug, question_id or condition_id'),
  TOKEN_EXISTS: () =>
    refuse('a market with one of these token ids already exists: use other token_ids, or another slug or question_id'),
  SLUG_EXISTS: () =>
    refuse('this slug is taken; if you gave none, it is that of the title or question: give another slug'),
  EVENT_UNKNOWN: ({ a }) => ({ status: 404, text: `event ${a} not found` }),
  AMOUNT_INVALID: ({ a }) => refuse(`invalid_field: amount: it must be at least 0.000001, got ${microText(a)}`),
  BALANCE_SHORT: ({ a, b, c }) =>
    refuse(
      `not enough balance: ${microText(c)} requested, the balance is ${microText(a)} and open orders reserve ${microText(b)}`,
    ),
  SHARES_SHORT: ({ a, b, address }) =>
    refuse(
      `not enough shares: ${microText(b)} of each token requested, ${microText(a)} of each available in the wallet ${address ?? ''}`,
    ),
  NOTHING_TO_REDEEM: ({ address }) =>
    refuse(`there is nothing to redeem: the wallet ${address ?? ''} holds no shares of this market`),
  DEPOSITS_FULL: ({ a, b }) =>
    refuse(
      `a deposit of ${microText(b)} would exceed the limit of ${microText(MICRO_MAX)} on all deposits, withdrawn or not: they total ${microText(a)} so far`,
    ),
  KEY_EXISTS: () => refuse('Could not create api key'),
  WALLET_TAKEN: ({ address }) =>
    refuse(`the wallet ${address ?? ''} cannot be bound: it already belongs to an owner or is the zero address`),
} as const satisfies Record<RejectionName, Sentence>;

/**
 * Status, sentence and further fields of a rejection.
 * @param a first figure of the Rejected or OrderKilled event; b and c are the others (see the protocol's rejections)
 */
export function rejectionReply(
  name: RejectionName,
  a = 0,
  b = 0,
  c = 0,
  context: RejectionContext = {},
): RejectionReply {
  const sentence: Sentence = sentences[name];
  const reply = sentence({ ...context, a, b, c });
  return mayHideDuplicate(name) ? { ...reply, duplicate: 'possible' } : reply;
}

/** The reply while histories, and so the fate of a past order, cannot be read. */
function historyRefusal({ message }: Error): RejectionReply {
  return byExchange(503, `internal_error: ${message}`, RETRY_SECONDS.unavailable);
}

/** The reply while nothing can be made durable: to a command that was not accepted, and to one whose outcome is unknown. */
function storageRefusal({ reason, isUndecided }: StorageUnavailable): RejectionReply {
  const seconds = RETRY_SECONDS.unavailable;
  if (!isUndecided) return byExchange(503, `the exchange does not accept commands at present: ${reason}`, seconds);
  const advice =
    'An order can be sent again: it is never accepted twice. Anything else may count twice: ask for it first';
  const text = `it is not known whether this was accepted, and it may still be. ${advice}. The reason: ${reason}`;
  return { ...byExchange(503, text, seconds), extra: { code: 'outcome_unknown' } };
}

/** The reply to a request that met an outage, of the journal or of the histories; undefined for any other error. */
export function outageRefusal(error: unknown): RejectionReply | undefined {
  if (error instanceof StorageUnavailable) return storageRefusal(error);
  return error instanceof HistorianUnavailable ? historyRefusal(error) : undefined;
}

/** The error that refuses a request for which there is no room at present, and that says when to ask again. */
export function unavailable(text: string): BadRequest {
  return new BadRequest(text, { status: 503, headers: { 'retry-after': String(RETRY_SECONDS.unavailable) } });
}

/** The error that answers a command with a Rejected event, ready to throw. */
export function rejectionError(event: EventOf<'Rejected'>, context: RejectionContext = {}): BadRequest {
  return replyError(rejectionReply(rejectionName(event.code), event.a, event.b, event.c, context));
}

/** A rejection's reply as an error for the HTTP layer to answer with. */
export function replyError(reply: RejectionReply): BadRequest {
  const { status, text, extra, headers } = reply;
  return new BadRequest(text, { status, extra, headers });
}
