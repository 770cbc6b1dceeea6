// The operator's requests: events and markets, their terms and end, and the cash desk. Every one becomes a command of
// the log; what is refused there is the answer. Ids are derived as the conditional-token framework does, or given.

import {
  type Command,
  MarketField,
  MarketStatus,
  marketDefaults,
  Resolution,
  type RunningExchange,
} from '../../engine/index.ts';
import { conditionId, tokenIds } from '../auth/conditionalTokens.ts';
import { bytesToHex } from '../auth/hex.ts';
import { keccak256Text } from '../auth/keccak.ts';
import { decimalToBytes32 } from '../auth/uint256.ts';
import type { Endpoint, Handler } from '../http/endpoint.ts';
import { BadRequest } from '../http/errors.ts';
import { ownerOfAddress } from '../ownerWallets.ts';
import type { Services } from '../services.ts';
import type { EventRow, Market } from '../views/index.ts';
import { readFields } from '../wire/bodies.ts';
import { microText, parseWhole, pipsText } from '../wire/numbers.ts';
import {
  cashBody,
  type EventBody,
  eventBody,
  type MarketBody,
  type MarketChangeBody,
  marketBody,
  marketChangeBody,
  resolveBody,
} from '../wire/operatorBodies.ts';
import { operatorMarket } from '../wire/operatorRecords.ts';
import * as schemas from '../wire/schemas/operator.ts';
import { eventOf, submitAccepted } from './submit.ts';

/** Who reports results where the operator names nobody: the address 0x…01, as in the seed catalog. */
const DEFAULT_ORACLE = `0x${'1'.padStart(40, '0')}`;
const SLUG_CHARACTERS_MAX = 120;

/** A slug made of a text: lower-case letters and digits, joined by hyphens; the hash of the text where it has none. */
function slugOf(text: string): string {
  const plain = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '');
  const joined = plain.replace(/[^a-z0-9]+/g, '-').slice(0, SLUG_CHARACTERS_MAX);
  return joined.replace(/^-+|-+$/g, '') || bytesToHex(keccak256Text(text)).slice(2, 18);
}

const tailOf = (texts: object): Uint8Array => Buffer.from(JSON.stringify(texts));

function sharedTexts(
  body: Pick<MarketChangeBody, 'description' | 'image' | 'icon' | 'resolution_source' | 'start_date' | 'end_date'>,
) {
  const { description, image, icon, resolution_source: resolutionSource, start_date, end_date } = body;
  const dateOf = (text: string | undefined): string | undefined => text && new Date(text).toISOString();
  return { description, image, icon, resolutionSource, startDate: dateOf(start_date), endDate: dateOf(end_date) };
}

function eventTexts(body: EventBody, slug: string) {
  const { title, ticker, tags, series, creator } = body;
  return { slug, title, ticker, tags, series, creator, ...sharedTexts(body) };
}

const createEvent: Handler = async (request, { services }) => {
  const body = readFields(eventBody, request.json());
  const slug = body.slug ?? slugOf(body.title);
  const negRisk = body.neg_risk === true ? 1 : 0;
  const tail = tailOf(eventTexts(body, slug));
  const record = await submitAccepted(services.exchange, { type: 'CreateEvent', negRisk, tail });
  const id = String(eventOf(record, 'EventCreated')?.eventNumber ?? '');
  return { body: JSON.stringify({ id, slug, title: body.title, neg_risk: negRisk === 1 }) };
};

function findEvent({ views }: Services, event: string): EventRow {
  const number = parseWhole(event);
  const bySlug = views.markets.eventBySlug(event);
  const found = bySlug ?? (number === undefined ? undefined : views.markets.eventByNumber(number));
  if (found === undefined) throw new BadRequest(`event not found: ${event}`, { status: 404 });
  return found;
}

/** Condition and tokens of a new market: given, or derived from the question id, which is the slug's hash unless given. */
function idsOf({ contracts }: Services, body: MarketBody, slug: string, negRisk: boolean) {
  const derivedQuestion = body.condition_id ?? bytesToHex(keccak256Text(slug));
  const questionId = body.question_id ?? derivedQuestion;
  const condition = body.condition_id ?? conditionId(body.oracle ?? DEFAULT_ORACLE, questionId);
  const collateral = negRisk ? contracts.negRiskCollateral : contracts.collateral;
  const [first, second] = body.token_ids ?? tokenIds(collateral, condition);
  if (first === second) throw new BadRequest('invalid_field: token_ids: they must be two different ids');
  const bytesOf = (decimal: string): string => bytesToHex(decimalToBytes32(decimal));
  return { questionId, ids: { conditionId: condition, firstToken: bytesOf(first), secondToken: bytesOf(second) } };
}

function changedTexts(body: MarketChangeBody) {
  const { question, group_item_title: groupItemTitle, game_start_time, archived, flags, rewards } = body;
  const rewardTexts = rewards && { rates: rewards.rates, minSize: rewards.min_size, maxSpread: rewards.max_spread };
  const gameStartTime = game_start_time && new Date(game_start_time).toISOString();
  return { question, groupItemTitle, gameStartTime, archived, flags, rewards: rewardTexts, ...sharedTexts(body) };
}

function termsOf(body: Omit<MarketChangeBody, 'status'>) {
  return {
    autoTick: body.auto_tick === true ? 1 : 0,
    tickPips: body.tick_size ?? marketDefaults.tickPips,
    feeRate: body.fee?.rate ?? marketDefaults.feeRate,
    feeExponent: body.fee?.exponent ?? marketDefaults.feeExponent,
    minOrderLots: body.min_order_size ?? marketDefaults.minOrderLots,
    delaySeconds: body.seconds_delay ?? marketDefaults.delaySeconds,
    minMarketableBuyMicro: body.min_marketable_buy ?? marketDefaults.minMarketableBuyMicro,
  };
}

const createMarket: Handler = async (request, { services }) => {
  const body = readFields(marketBody, request.json());
  const event = body.event === undefined ? undefined : findEvent(services, body.event);
  const slug = body.slug ?? slugOf(body.question);
  const negRisk = body.neg_risk ?? event?.negRisk ?? false;
  const { questionId, ids } = idsOf(services, body, slug, negRisk);
  const { status, ...rest } = body;
  const lastPrice = body.last_price === undefined ? undefined : pipsText(body.last_price);
  const texts = { slug, questionId, outcomes: body.outcomes ?? ['Yes', 'No'], lastPrice, ...changedTexts(rest) };
  await submitAccepted(services.exchange, {
    type: 'CreateMarket',
    eventNumber: event?.eventNumber ?? 0,
    ...ids,
    status: status ?? MarketStatus.OPEN,
    negRisk: negRisk ? 1 : 0,
    ...termsOf(rest),
    tail: tailOf(texts),
  });
  return marketReply(services, ids.conditionId);
};

function findMarket({ views }: Services, condition: string): Market {
  const market = views.markets.byCondition(condition.toLowerCase());
  if (market === undefined) throw new BadRequest('market not found', { status: 404 });
  return market;
}

const marketReply = (services: Services, condition: string) => ({
  body: JSON.stringify(operatorMarket(findMarket(services, condition))),
});

/** Bits of the terms that a change names. */
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

const changeMarket: Handler = async (request, { services }) => {
  const market = findMarket(services, request.params.condition_id);
  const body = readFields(marketChangeBody, request.json());
  const texts = JSON.stringify(changedTexts(body));
  const command: Command = {
    type: 'UpdateMarket',
    marketIndex: market.index,
    mask: maskOf(body),
    status: body.status ?? market.status,
    negRisk: market.negRisk ? 1 : 0,
    ...termsOf(body),
    ...(texts !== '{}' && { tail: Buffer.from(texts) }),
  };
  await submitAccepted(services.exchange, command);
  return marketReply(services, market.conditionId);
};

function resolutionOf({ outcomes }: Market, word: string): Resolution {
  if (word === outcomes[0]) return Resolution.FIRST;
  if (word === outcomes[1]) return Resolution.SECOND;
  if (word === 'split') return Resolution.SPLIT;
  const allowed = [...outcomes, 'split'].map((text) => JSON.stringify(text)).join(', ');
  throw new BadRequest(`invalid_field: outcome: it must be one of ${allowed}`);
}

const resolveMarket: Handler = async (request, { services }) => {
  const market = findMarket(services, request.params.condition_id);
  const { outcome } = readFields(resolveBody, request.json());
  const resolution = resolutionOf(market, outcome);
  await submitAccepted(services.exchange, { type: 'ResolveMarket', marketIndex: market.index, resolution });
  return marketReply(services, market.conditionId);
};

async function moveCash(services: Services, json: unknown, commandOf: (head: CashHead) => Command) {
  const { address, amount, owner: given } = readFields(cashBody, json);
  const owner = ownerOfAddress(services, address, given);
  const { exchange, views }: { exchange: RunningExchange; views: Services['views'] } = services;
  await submitAccepted(exchange, commandOf({ wallet: address, owner, amountMicro: amount }), { address });
  const balance = microText(views.accounts.byWallet(address)?.collateralMicro ?? 0);
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
const market = '/admin/markets/{condition_id}';

export const adminEndpoints: readonly Endpoint[] = [
  { ...row, path: '/admin/events', summary: 'Creates an event.', schema: schemas.createEvent, handler: createEvent },
  { ...row, path: '/admin/markets', summary: 'Creates a market.', schema: schemas.createMarket, handler: createMarket },
  {
    ...row,
    method: 'PATCH',
    path: market,
    summary: 'Changes terms, status or texts of a market.',
    schema: schemas.changeMarket,
    handler: changeMarket,
  },
  {
    ...row,
    path: `${market}/resolve`,
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
