// Parses the exchange's replies: order, cancel, trade and book objects as its interface describes them, with sizes and
// prices as exact lots and pips. Called by the market's player. A reply of another shape stops the replay with a sentence;
// it must never be read as "nothing happened".
import { z } from 'zod';
import { fatal } from '../../process/fatal.ts';
import { parseLots, parsePips } from '../../wire/numbers.ts';
import type { ClientReply } from './client.ts';
import type { BookLevels } from './recordedBook.ts';

/** The outcome of one order. */
export type PlacedReply =
  | {
      readonly isAccepted: true;
      readonly orderId: string;
      readonly filledLots: number;
      readonly tradeIds: readonly string[];
    }
  | {
      readonly isAccepted: false;
      readonly sentence: string;
      /** Whether it was a fill-or-kill order that the book could not completely fill. */
      readonly isKilled: boolean;
    };

const FOK_KILLED = 'FOK orders are fully filled or killed';

const placedSchema = z.object({
  errorMsg: z.string(),
  orderID: z.string(),
  status: z.string(),
  makingAmount: z.string(),
  takingAmount: z.string(),
  tradeIDs: z.array(z.string()).optional(),
});
const errorSchema = z.object({ error: z.string() });
const cancelSchema = z.object({ canceled: z.array(z.string()), not_canceled: z.record(z.string(), z.string()) });
const tradesSchema = z.object({
  data: z.array(z.object({ maker_orders: z.array(z.object({ order_id: z.string(), matched_amount: z.string() })) })),
});
const bookSide = z.array(z.object({ price: z.string(), size: z.string() }));
const bookSchema = z.object({ bids: bookSide, asks: bookSide });

function unexpected(what: string, reply: ClientReply): never {
  const body = JSON.stringify(reply.body ?? '').slice(0, 500);
  fatal('usage', `The exchange answered ${what} with ${reply.status} and an unexpected body: ${body}.`);
}

/** The validated body of a 200 reply; anything else ends the replay. */
function expectShape<T>(schema: z.ZodType<T>, reply: ClientReply, what: string): T {
  const result = reply.status === 200 ? schema.safeParse(reply.body) : undefined;
  return result?.success === true ? result.data : unexpected(what, reply);
}

function refused(sentence: string): PlacedReply {
  return { isAccepted: false, sentence, isKilled: sentence.includes(FOK_KILLED) };
}

/**
 * Parses one element of an order reply. The traded shares are a BUY's taking amount and a SELL's making amount; the other
 * amount is money.
 */
function readPlaced(element: unknown, isBuy: boolean, reply: ClientReply): PlacedReply {
  const result = placedSchema.safeParse(element);
  if (!result.success) unexpected('an order', reply);
  const { errorMsg, orderID, makingAmount, takingAmount, tradeIDs } = result.data;
  if (errorMsg !== '' || orderID === '') return refused(errorMsg);
  const shares = isBuy ? takingAmount : makingAmount;
  const filledLots = shares === '' ? 0 : parseLots(shares);
  if (filledLots === undefined) unexpected('an order', reply);
  return { isAccepted: true, orderId: orderID, filledLots, tradeIds: tradeIDs ?? [] };
}

/** The replies to the orders of one request, in the order sent. @param buys whether each order was a BUY */
export function readOrderReplies(reply: ClientReply, buys: readonly boolean[]): readonly PlacedReply[] {
  if (reply.status !== 200) {
    const error = errorSchema.safeParse(reply.body);
    if (!error.success || reply.status >= 500 || reply.status === 401) unexpected('an order', reply);
    return buys.map(() => refused(error.data.error));
  }
  const elements = Array.isArray(reply.body) ? reply.body : [reply.body];
  if (elements.length !== buys.length) unexpected(`${buys.length} orders`, reply);
  return elements.map((element, index) => readPlaced(element, buys[index], reply));
}

/** Ids that were cancelled, and those that were not, with the reason. */
export function readCancelReply(reply: ClientReply): {
  readonly canceled: readonly string[];
  readonly refused: readonly (readonly [string, string])[];
} {
  const { canceled, not_canceled: refusals } = expectShape(cancelSchema, reply, 'a cancel');
  return { canceled, refused: Object.entries(refusals) };
}

/** The makers of a trade requested by its id, with the lots that each traded. */
export function readTradeMakers(reply: ClientReply): readonly { readonly orderId: string; readonly lots: number }[] {
  const { data } = expectShape(tradesSchema, reply, 'a trade asked for by its id');
  if (data.length !== 1) unexpected('a trade asked for by its id', reply);
  return data[0].maker_orders.map((maker) => {
    const lots = parseLots(maker.matched_amount);
    if (lots === undefined) unexpected('a trade asked for by its id', reply);
    return { orderId: maker.order_id, lots };
  });
}

function readSide(side: z.infer<typeof bookSide>, reply: ClientReply): Map<number, number> {
  const levels = new Map<number, number>();
  for (const { price, size } of side) {
    const pricePips = parsePips(price);
    const lots = parseLots(size);
    if (pricePips === undefined || lots === undefined || levels.has(pricePips)) unexpected('a book', reply);
    levels.set(pricePips, lots);
  }
  return levels;
}

/** A token's book, in that token's own terms. */
export function readBook(reply: ClientReply): BookLevels {
  const { bids, asks } = expectShape(bookSchema, reply, 'a book');
  return { bids: readSide(bids, reply), asks: readSide(asks, reply) };
}
