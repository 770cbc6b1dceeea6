// The operator's requests: events and markets, their terms and resolution, and the cash desk. Every change is a command of
// the log, and a rejection there is the reply. The translation of a description into a command is in commands/creation.ts.

import { type Command, MarketField, type Resolution } from '../../engine/index.ts';
import {
  changedTexts,
  creationOf,
  eventCommandOf,
  requireResolvable,
  resolutionOf,
  slugOfText,
  termsOf,
} from '../commands/creation.ts';
import { eventOf, submitAccepted, submitForWallet } from '../commands/submit.ts';
import type { Endpoint, Handler } from '../http/endpoint.ts';
import { parseWhole } from '../lib/decimals.ts';
import type { Services } from '../services.ts';
import type { EventRow, Market } from '../views/index.ts';
import { BadRequest } from '../wire/badRequest.ts';
import { readFields } from '../wire/bodies.ts';
import { microText } from '../wire/numbers.ts';
import {
  cashBody,
  eventBody,
  HALVES,
  type MarketChangeBody,
  marketBody,
  marketChangeBody,
  resolveBody,
} from '../wire/operatorBodies.ts';
import { operatorMarket } from '../wire/operatorRecords.ts';
import * as schemas from '../wire/schemas/operator.ts';

const createEvent: Handler = async (request, { services }) => {
  const body = readFields(eventBody, request.json());
  const slug = body.slug ?? slugOfText(body.title);
  const record = await submitAccepted(services.exchange, eventCommandOf(body, slug));
  const id = String(eventOf(record, 'EventCreated')?.eventNumber ?? '');
  return { body: JSON.stringify({ id, slug, title: body.title, neg_risk: body.neg_risk === true }) };
};

/** @throws BadRequest if there is no such event, or if the digits could mean two */
function findEvent({ views }: Services, event: string): EventRow {
  const number = parseWhole(event);
  const bySlug = views.markets.eventBySlug(event);
  const byNumber = number === undefined ? undefined : views.markets.eventByNumber(number);
  const found = bySlug ?? byNumber;
  if (found === undefined) throw new BadRequest(`event not found: ${event}`, { status: 404 });
  if (byNumber !== undefined && byNumber !== found) {
    const { slug } = byNumber.texts;
    throw new BadRequest(
      `invalid_field: event: ${event} is the number of ${slug} and the slug of number ${found.eventNumber}; send ${slug} or ${found.eventNumber}`,
    );
  }
  return found;
}

const createMarket: Handler = async (request, { services }) => {
  const body = readFields(marketBody, request.json());
  requireResolvable(body);
  const event = body.event === undefined ? undefined : findEvent(services, body.event);
  const slug = body.slug ?? slugOfText(body.question);
  const command = creationOf(services, body, slug, event?.negRisk ?? false, event?.eventNumber ?? 0);
  await submitAccepted(services.exchange, command);
  return marketReply(services, command.conditionId);
};

/** The market of a condition id, listed or not. @throws BadRequest 404 for an unknown one */
function anyMarket({ views }: Services, condition: string): Market {
  const market = views.markets.byCondition(condition.toLowerCase());
  if (market === undefined) throw new BadRequest('market not found', { status: 404 });
  return market;
}

const marketReply = (services: Services, condition: string) => ({
  body: JSON.stringify(operatorMarket(anyMarket(services, condition))),
});

const readMarket: Handler = ({ params }, { services }) => marketReply(services, params.condition_id);

/** The bit mask of the terms that a change names. */
function maskOf(body: MarketChangeBody): number {
  const named: readonly (readonly [unknown, number])[] = [
    [body.status, MarketField.STATUS],
    [body.tick_size, MarketField.TICK],
    [body.min_order_size, MarketField.MIN_ORDER],
    [body.min_marketable_buy, MarketField.MIN_MARKETABLE_BUY],
    [body.fee, MarketField.FEE],
    [body.seconds_delay, MarketField.DELAY],
    [body.auto_tick, MarketField.AUTO_TICK],
  ];
  return named.reduce((mask, [value, bit]) => (value === undefined ? mask : mask | bit), 0);
}

/** @throws as changedTexts and submitAccepted do */
async function submitChange({ exchange }: Services, market: Market, body: MarketChangeBody): Promise<void> {
  const texts = JSON.stringify(changedTexts(body, market.texts));
  const command: Command = {
    type: 'UpdateMarket',
    marketIndex: market.index,
    mask: maskOf(body),
    status: body.status ?? market.status,
    negRisk: market.negRisk ? 1 : 0,
    ...termsOf(body),
    ...(texts !== '{}' && { tail: Buffer.from(texts) }),
  };
  await submitAccepted(exchange, command);
}

/** The latest change of each market that was changed; never rejected. A market's row is the same object for all time. */
const latestChanges = new WeakMap<Market, Promise<void>>();

/**
 * Changes of one market run one after the other: flags, rewards and dates are merged with those that the views show, which
 * are those of durable changes only.
 */
const changeMarket: Handler = async (request, { services }) => {
  const market = anyMarket(services, request.params.condition_id);
  const body = readFields(marketChangeBody, request.json());
  const before = latestChanges.get(market) ?? Promise.resolve();
  const change = before.then(() => submitChange(services, market, body));
  latestChanges.set(
    market,
    change.catch(() => undefined),
  );
  await change;
  return marketReply(services, market.conditionId);
};

/** @throws BadRequest if the word names no outcome of the market */
function requireResolution({ outcomes }: Market, word: string): Resolution {
  const resolution = resolutionOf(outcomes, word);
  if (resolution !== undefined) return resolution;
  const allowed = [...outcomes, HALVES].map((text) => JSON.stringify(text)).join(', ');
  throw new BadRequest(`invalid_field: outcome: it must be one of ${allowed}`);
}

const resolveMarket: Handler = async (request, { services }) => {
  const market = anyMarket(services, request.params.condition_id);
  const { outcome } = readFields(resolveBody, request.json());
  const resolution = requireResolution(market, outcome);
  await submitAccepted(services.exchange, { type: 'ResolveMarket', marketIndex: market.index, resolution });
  return marketReply(services, market.conditionId);
};

async function moveCash(services: Services, json: unknown, commandOf: (head: CashHead) => Command) {
  const { address, amount, owner: given } = readFields(cashBody, json);
  const moved = (owner: string): Command => commandOf({ wallet: address, owner, amountMicro: amount });
  const owner = await submitForWallet(services, address, given, moved);
  const balance = microText(services.views.accounts.byWallet(address)?.collateralMicro ?? 0);
  return { body: JSON.stringify({ address, owner, amount: microText(amount), balance }) };
}

interface CashHead {
  readonly wallet: string;
  readonly owner: string;
  readonly amountMicro: number;
}

const deposit: Handler = (request, { services }) =>
  moveCash(services, request.json(), (head) => ({ type: 'Deposit', ...head, isFaucet: 0 }));

const withdraw: Handler = (request, { services }) =>
  moveCash(services, request.json(), (head) => ({ type: 'Withdraw', ...head }));

const row = { method: 'POST', auth: 'admin', throttle: 'operator', section: '8' } as const;
const MARKET_PATH = '/admin/markets/{condition_id}';

export const adminEndpoints: readonly Endpoint[] = [
  { ...row, path: '/admin/events', summary: 'Creates an event.', schema: schemas.createEvent, handler: createEvent },
  { ...row, path: '/admin/markets', summary: 'Creates a market.', schema: schemas.createMarket, handler: createMarket },
  {
    ...row,
    method: 'GET',
    path: MARKET_PATH,
    summary: 'A market, drafts included, as seen by its operator: terms, status and flags.',
    schema: schemas.readMarket,
    handler: readMarket,
  },
  {
    ...row,
    method: 'PATCH',
    path: MARKET_PATH,
    summary: 'Changes the terms, status or texts of a market.',
    schema: schemas.changeMarket,
    handler: changeMarket,
  },
  {
    ...row,
    path: `${MARKET_PATH}/resolve`,
    summary: 'Resolves a market.',
    schema: schemas.resolveMarket,
    handler: resolveMarket,
  },
  {
    ...row,
    path: '/admin/deposits',
    summary: 'Credits collateral that was paid in.',
    schema: schemas.moveCash,
    handler: deposit,
  },
  {
    ...row,
    path: '/admin/withdrawals',
    summary: 'Debits collateral that is paid out.',
    schema: schemas.moveCash,
    handler: withdraw,
  },
];
