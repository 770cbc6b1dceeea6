// Placing and cancelling orders: POST /order, POST /orders and the four cancel requests (wire.md B and C.4). Thin: a
// request becomes commands, and its reply is built from the events of their own records, never from a later state of the
// views. A refusal before the core is thrown as BadRequest; in a batch it becomes the element's errorMsg.

import {
  CancelReason,
  type Command,
  ExchangeMode,
  encodeCommand,
  type LogRecord,
  rejectionName,
} from '../../engine/index.ts';
import {
  checkOrder,
  type PlacementCommand,
  placementOf,
  type StartedCheck,
  startCheck,
} from '../commands/orderIntake.ts';
import type { Context, Endpoint, HttpRequest, Reply } from '../http/endpoint.ts';
import type { Services } from '../services.ts';
import { isOpen, type Views } from '../views/index.ts';
import { BadRequest } from '../wire/badRequest.ts';
import {
  type CancelFilter,
  cancelReplyJson,
  parseCancel,
  parseCancelFilter,
  parseCancelMany,
  type RefusedCancel,
} from '../wire/cancels.ts';
import { parseOrderBatch, parsePostedOrder } from '../wire/orderRequests.ts';
import { type PlacedOrder, placedOrderJson, refusedOrderJson, type TakenTrade } from '../wire/placedOrders.ts';
import { outageRefusal, type RejectionReply, rejectionError, rejectionReply, replyError } from '../wire/rejections.ts';
import * as schemas from '../wire/schemas/orders.ts';
import {
  isLate,
  isReplay,
  latenessOf,
  REPLAYED,
  type RetryTerms,
  readRetryTerms,
  refusalAnswer,
  type TextReply,
} from './tradingRetries.ts';

/** The immediate outcome of an order, from the record of its PlaceOrder. */
function outcomeOf(record: LogRecord, placement: PlacementCommand): PlacedOrder | RejectionReply {
  const { orderId, owner, maker, tokenId, side, orderType } = placement;
  let orderNumber = -1;
  let isDelayed = false;
  const taken: TakenTrade[] = [];
  for (const event of record.events) {
    if (event.type === 'Rejected' || event.type === 'OrderKilled') {
      const { a } = event;
      const [b, c] = event.type === 'Rejected' ? [event.b, event.c] : [0, 0];
      const name = rejectionName(event.code);
      // Only one sentence is about a wallet and names it; the others are about the owner.
      const address = name === 'WALLET_NOT_OWNED' ? maker : owner;
      return rejectionReply(name, a, b, c, { orderId, address, tokenId, side, orderType });
    }
    if (event.type === 'OrderAccepted') orderNumber = event.orderNumber;
    else if (event.type === 'OrderDelayed' && event.orderNumber === orderNumber) isDelayed = true;
    else if (event.type === 'Trade' && event.takerOrderNumber === orderNumber) taken.push(event);
  }
  return { orderId, side, isDelayed, taken };
}

const isRefusal = <Result extends object>(result: Result | RejectionReply): result is RejectionReply =>
  'text' in result;

async function postOrder(request: HttpRequest, context: Context): Promise<Reply> {
  const { services } = context;
  const terms = readRetryTerms(request);
  const started = startCheck(checkOrder(request.parsed(parsePostedOrder), context.caller(), services), services);
  await services.turns.next();
  const placement = placementOf(started, services);
  const late = latenessOf(terms, services);
  const result = late ?? outcomeOf(await services.exchange.submit(placement.bytes), placement);
  if (!isRefusal(result)) return { body: placedOrderJson(result) };
  const answer = await refusalAnswer(result, placement, terms, services);
  if (isRefusal(answer)) throw replyError(answer);
  return answer;
}

/** An element of a batch that was submitted, or that was withheld only because it came too late. */
interface Submitted {
  readonly placement: PlacementCommand;
  readonly outcome: Promise<PlacedOrder | RejectionReply> | RejectionReply;
}

/** Runs a step of a batch element; a BadRequest becomes the element's refusal. */
function attempt<Result>(step: () => Result): Result | RejectionReply {
  try {
    return step();
  } catch (error) {
    if (error instanceof BadRequest) return { status: error.status, text: error.message };
    throw error;
  }
}

function startElement(element: unknown, { caller, services }: Context): StartedCheck {
  return startCheck(checkOrder(parsePostedOrder(element), caller(), services), services);
}

/**
 * Turns an outage into the element's own answer: the journal may have accepted only the first elements of a batch, and only
 * some may need histories.
 */
function outageAnswer(error: unknown): RejectionReply {
  const refusal = outageRefusal(error);
  if (refusal === undefined) throw error;
  return refusal;
}

function submitElement(started: StartedCheck, terms: RetryTerms, { services }: Context): Submitted {
  const placement = placementOf(started, services);
  // Read for each element: the check of a deposit wallet's signature, just made, takes a good part of a millisecond.
  const late = latenessOf(terms, services);
  if (late !== undefined) return { placement, outcome: late };
  const record = services.exchange.submit(placement.bytes);
  return { placement, outcome: record.then((durable) => outcomeOf(durable, placement), outageAnswer) };
}

async function answerElement(
  one: Submitted | RejectionReply,
  terms: RetryTerms,
  services: Services,
): Promise<TextReply | RejectionReply> {
  if (isRefusal(one)) return one;
  const result = await one.outcome;
  if (!isRefusal(result)) return { body: placedOrderJson(result) };
  return refusalAnswer(result, one.placement, terms, services).catch(outageAnswer);
}

function elementJson(answer: TextReply | RejectionReply): string {
  if (!isRefusal(answer)) return answer.body;
  const { detail } = answer.extra ?? {};
  return refusedOrderJson(answer.text, typeof detail === 'object' && detail !== null ? detail : undefined);
}

/**
 * The refusal that answers a whole batch, as it would a single order: every order came too late, or the exchange's state
 * refuses them all.
 */
function wholeRefusal(answers: readonly (TextReply | RejectionReply)[]): RejectionReply | undefined {
  const refusals = answers.filter(isRefusal);
  if (refusals.length < answers.length) return undefined;
  const [first] = refusals;
  const isCommon = ({ isOfExchange, text }: RejectionReply) => isOfExchange && text === first.text;
  return refusals.every(isLate) || refusals.every(isCommon) ? first : undefined;
}

/** Submits every element before awaiting the first answer, so that no other command comes between them. */
async function postOrders(request: HttpRequest, context: Context): Promise<Reply> {
  const { services } = context;
  const terms = readRetryTerms(request);
  const elements = request.parsed(parseOrderBatch);
  const started = elements.map((element) => attempt(() => startElement(element, context)));
  await services.turns.next();
  const submitted = started.map((one) => (isRefusal(one) ? one : attempt(() => submitElement(one, terms, context))));
  const answers = await Promise.all(submitted.map((one) => answerElement(one, terms, services)));
  const refusal = wholeRefusal(answers);
  if (refusal !== undefined) throw replyError(refusal);
  const body = `[${answers.map(elementJson).join(',')}]`;
  return answers.every(isReplay) ? { body, headers: REPLAYED } : { body };
}

/** Whether an order is this owner's and has ended. The views no longer know one that ended long ago. */
function hasEnded(orderId: string, owner: string, { orders }: Views): boolean {
  const order = orders.byId(orderId);
  return order?.owner === owner && !isOpen(order);
}

/** The reply to an owner's cancel command from its record. */
function cancelReply({ events }: LogRecord, owner: string, views: Views): Reply {
  const canceled: string[] = [];
  const refused: RefusedCancel[] = [];
  for (const event of events) {
    if (event.type === 'Rejected') throw rejectionError(event);
    if (event.type === 'CancelRefused') {
      refused.push({ orderId: event.orderId, reason: event.reason, hasEnded: hasEnded(event.orderId, owner, views) });
    } else if (event.type === 'OrderCanceled' && event.reason === CancelReason.REQUESTED) {
      const order = views.orders.byOrderNumber(event.orderNumber);
      if (order !== undefined) canceled.push(order.id);
    }
  }
  return { body: cancelReplyJson(canceled, refused) };
}

async function submitCancel(command: Command, { services, caller }: Context): Promise<Reply> {
  // Waits its turn like the orders, so that a cancel does not overtake an order that arrived before it.
  await services.turns.next();
  // Reads the record at once: finished orders leave the views, and much later records may have been flushed with this one.
  return services.exchange.submitAndRead(encodeCommand(command), (record) =>
    cancelReply(record, caller().owner, services.views),
  );
}

/** The reply to a cancel that cannot match any order. It needs no command; an exchange that takes no cancels says so. */
function nothingCanceled({ services }: Context): Reply {
  const { mode } = services.views.accounts;
  if (mode === ExchangeMode.DISABLED) throw replyError(rejectionReply('EXCHANGE_DISABLED'));
  if (mode === ExchangeMode.RESTARTING) throw replyError(rejectionReply('EXCHANGE_RESTARTING'));
  return { body: cancelReplyJson([], []) };
}

function cancelIds(items: readonly string[], context: Context): Reply | Promise<Reply> {
  if (items.length === 0) return nothingCanceled(context);
  const { owner, keyId } = context.caller();
  return submitCancel({ type: 'CancelOrders', owner, keyId, items }, context);
}

const cancelOrder = (request: HttpRequest, context: Context): Reply | Promise<Reply> =>
  cancelIds([parseCancel(request.json())], context);

const cancelOrders = (request: HttpRequest, context: Context): Reply | Promise<Reply> =>
  cancelIds(parseCancelMany(request.json()), context);

function cancelAll(_request: HttpRequest, context: Context): Promise<Reply> {
  const { owner, keyId } = context.caller();
  return submitCancel({ type: 'CancelAll', owner, keyId }, context);
}

const BOTH_TOKENS = 2;

/** The market and outcome of a filter; undefined if no market matches, so no order can either. */
function placeOfFilter(filter: CancelFilter, { markets }: Views): { marketIndex: number; outcome: number } | undefined {
  const market = filter.market === undefined ? undefined : markets.byCondition(filter.market);
  if (filter.assetId === undefined) {
    return market === undefined ? undefined : { marketIndex: market.index, outcome: BOTH_TOKENS };
  }
  const place = markets.byToken(filter.assetId);
  if (place === undefined || (filter.market !== undefined && place.market !== market)) return undefined;
  return { marketIndex: place.market.index, outcome: place.outcome };
}

function cancelMarketOrders(request: HttpRequest, context: Context): Reply | Promise<Reply> {
  const filter = parseCancelFilter(request.json());
  if (filter.market === undefined && filter.assetId === undefined) return cancelAll(request, context);
  const place = placeOfFilter(filter, context.services.views);
  if (place === undefined) return nothingCanceled(context);
  const { owner, keyId } = context.caller();
  return submitCancel({ type: 'CancelMarket', owner, keyId, ...place }, context);
}

export const tradingEndpoints: readonly Endpoint[] = [
  {
    method: 'POST',
    path: '/order',
    auth: 'l2',
    throttle: 'POST /order',
    section: 'interface 4.5, wire B.6',
    summary: 'Places a signed order.',
    parse: parsePostedOrder,
    schema: schemas.postOrder,
    handler: postOrder,
    badBodyText: 'Invalid order payload',
  },
  {
    method: 'POST',
    path: '/orders',
    auth: 'l2',
    throttle: 'general',
    section: 'wire B.7',
    summary: 'Places up to 15 signed orders, in the order given.',
    parse: parseOrderBatch,
    schema: schemas.postOrders,
    handler: postOrders,
    badBodyText: 'Invalid order payload',
  },
  {
    method: 'DELETE',
    path: '/order',
    auth: 'l2',
    throttle: 'DELETE /order',
    section: 'wire C.4',
    summary: 'Cancels one order of the caller.',
    schema: schemas.cancelOrder,
    handler: cancelOrder,
    badBodyText: 'Invalid orderID',
  },
  {
    method: 'DELETE',
    path: '/orders',
    auth: 'l2',
    throttle: 'general',
    section: 'wire C.4',
    summary: 'Cancels up to 1,000 orders of the caller.',
    schema: schemas.cancelOrders,
    handler: cancelOrders,
    badBodyText: 'Invalid order payload',
  },
  {
    method: 'DELETE',
    path: '/cancel-all',
    auth: 'l2',
    throttle: 'general',
    section: 'wire C.4',
    summary: 'Cancels all open orders of the caller.',
    schema: schemas.cancelAll,
    handler: cancelAll,
  },
  {
    method: 'DELETE',
    path: '/cancel-market-orders',
    auth: 'l2',
    throttle: 'general',
    section: 'wire C.4',
    summary: 'Cancels the open orders of the caller in one market or token.',
    schema: schemas.cancelMarketOrders,
    handler: cancelMarketOrders,
  },
];
