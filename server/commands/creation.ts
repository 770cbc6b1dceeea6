// Turns descriptions of events and markets into commands: derives slugs and ids that are not given, brings texts into the
// registry's form, and fills in default terms. Called by the operator's requests, by imports and for the seed catalog. It looks
// nothing up and submits nothing.

import { type CommandOf, MarketField, MarketStatus, marketDefaults, Resolution } from '../../engine/index.ts';
import { conditionId, tokenIds } from '../auth/conditionalTokens.ts';
import { bytesToHex } from '../auth/hex.ts';
import { keccak256Text } from '../auth/keccak.ts';
import { hexOfDecimal } from '../auth/uint256.ts';
import type { Services } from '../services.ts';
import type { MarketTexts } from '../views/index.ts';
import { DEFAULT_OUTCOMES } from '../views/texts.ts';
import { BadRequest } from '../wire/badRequest.ts';
import { pipsText } from '../wire/numbers.ts';
import { type EventBody, FLAGS_MAX, HALVES, type MarketBody, type MarketChangeBody } from '../wire/operatorBodies.ts';

/** The oracle if the operator names none: the address 0x…01, as in the seed catalog. */
const DEFAULT_ORACLE = `0x${'1'.padStart(40, '0')}`;
const SLUG_CHARACTERS_MAX = 120;

/** A slug derived from a text: lower-case letters and digits joined by hyphens; a hash of the text if it has none of these. */
export function slugOfText(text: string): string {
  const plain = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '');
  const joined = plain.replace(/[^a-z0-9]+/g, '-').slice(0, SLUG_CHARACTERS_MAX);
  return joined.replace(/^-+|-+$/g, '') || bytesToHex(keccak256Text(text)).slice(2, 18);
}

/** The resolution that a word names: the outcome with that name, else "split" for half and half; undefined for others. */
export function resolutionOf([first, second]: readonly string[], word: string): Resolution | undefined {
  if (word === first) return Resolution.FIRST;
  if (word === second) return Resolution.SECOND;
  return word === HALVES ? Resolution.SPLIT : undefined;
}

/** @throws BadRequest if an outcome of an unresolved market is called "split", which stands for half and half */
export function requireResolvable({ outcomes }: Pick<MarketBody, 'outcomes'>): void {
  if (outcomes?.includes(HALVES) !== true) return;
  const reason = `none may be "${HALVES}", because resolving a market to "${HALVES}" pays half to each outcome`;
  throw new BadRequest(`invalid_field: outcomes: ${reason}`);
}

/** Texts as a command carries them. */
const tailOf = (texts: object): Uint8Array => Buffer.from(JSON.stringify(texts));

/** A date-time in the form that texts keep. */
const dateOf = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : new Date(text).toISOString();

interface Dates {
  readonly startDate?: string | undefined;
  readonly endDate?: string | undefined;
}

/** The dates of a body. @throws BadRequest if a given date contradicts the other, which is given too or comes from `before` */
function datesOf({ start_date, end_date }: Pick<MarketChangeBody, 'start_date' | 'end_date'>, before: Dates): Dates {
  const given = { startDate: dateOf(start_date), endDate: dateOf(end_date) };
  const { startDate = before.startDate, endDate = before.endDate } = given;
  const isNamed = given.startDate !== undefined || given.endDate !== undefined;
  if (!isNamed || startDate === undefined || endDate === undefined || startDate <= endDate) return given;
  throw new BadRequest(
    given.endDate === undefined
      ? `invalid_field: start_date: it must not be after end_date, which is ${endDate}`
      : `invalid_field: end_date: it must not be before start_date, which is ${startDate}`,
  );
}

function sharedTexts(
  body: Pick<MarketChangeBody, 'description' | 'image' | 'icon' | 'resolution_source' | 'start_date' | 'end_date'>,
  before: Dates = {},
) {
  const { description, image, icon, resolution_source: resolutionSource } = body;
  return { description, image, icon, resolutionSource, ...datesOf(body, before) };
}

function eventTexts(body: EventBody, slug: string) {
  const { title, ticker, tags, tag_labels: tagLabels, series, creator } = body;
  return { slug, title, ticker, tags, tagLabels, series, creator, ...sharedTexts(body) };
}

/**
 * The command that creates an event.
 * @param extra texts in addition to the body's
 * @throws BadRequest for an event that ends before it starts
 */
export function eventCommandOf(body: EventBody, slug: string, extra: object = {}): CommandOf<'CreateEvent'> {
  const negRisk = body.neg_risk === true ? 1 : 0;
  return { type: 'CreateEvent', negRisk, tail: tailOf({ ...eventTexts(body, slug), ...extra }) };
}

/** Condition and tokens of a new market: given, or derived from the question id, which defaults to the slug's hash. */
function idsOf({ contracts }: Pick<Services, 'contracts'>, body: MarketBody, slug: string, negRisk: boolean) {
  const derivedQuestion = body.condition_id ?? bytesToHex(keccak256Text(slug));
  const questionId = body.question_id ?? derivedQuestion;
  const condition = body.condition_id ?? conditionId(body.oracle ?? DEFAULT_ORACLE, questionId);
  const collateral = negRisk ? contracts.negRiskCollateral : contracts.collateral;
  const [first, second] = body.token_ids ?? tokenIds(collateral, condition);
  if (first === second) throw new BadRequest('invalid_field: token_ids: they must be two different ids');
  return {
    questionId,
    ids: { conditionId: condition, firstToken: hexOfDecimal(first), secondToken: hexOfDecimal(second) },
  };
}

/** Merges partial changes of rewards and flags: what is omitted keeps its value. */
function changedParts({ rewards, flags }: MarketChangeBody, before: Pick<MarketTexts, 'rewards' | 'flags'>) {
  const rewardTexts = rewards && {
    rates: rewards.rates ?? before.rewards?.rates,
    minSize: rewards.min_size ?? before.rewards?.minSize,
    maxSpread: rewards.max_spread ?? before.rewards?.maxSpread,
  };
  const allFlags = flags && { ...before.flags, ...flags };
  if (allFlags !== undefined && Object.keys(allFlags).length > FLAGS_MAX) {
    throw new BadRequest(`invalid_field: flags: a market must have at most ${FLAGS_MAX}, including those already set`);
  }
  return { rewards: rewardTexts, flags: allFlags };
}

/**
 * The texts that a body sets.
 * @param before the market's present texts
 * @throws BadRequest if the market would have too many flags, or would end before it starts
 */
export function changedTexts(
  body: MarketChangeBody,
  before: Pick<MarketTexts, 'rewards' | 'flags' | 'startDate' | 'endDate'> = {},
) {
  const { question, group_item_title: groupItemTitle, archived } = body;
  const gameStartTime = dateOf(body.game_start_time);
  const shared = sharedTexts(body, before);
  return { question, groupItemTitle, gameStartTime, archived, ...changedParts(body, before), ...shared };
}

/** A market's terms in the units of the log; what the body does not say is as in `marketDefaults`. */
export function termsOf(body: Omit<MarketChangeBody, 'status'>) {
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

/**
 * The command that creates a market.
 * @param isEventNegRisk the default if the body does not say
 * @param extra texts in addition to the body's
 * @throws BadRequest for two equal token ids, and for a market that ends before it starts
 */
export function creationOf(
  services: Pick<Services, 'contracts'>,
  body: MarketBody,
  slug: string,
  isEventNegRisk: boolean,
  eventNumber: number,
  extra: object = {},
): CommandOf<'CreateMarket'> {
  const negRisk = body.neg_risk ?? isEventNegRisk;
  const { questionId, ids } = idsOf(services, body, slug, negRisk);
  const { status, ...rest } = body;
  const lastPrice = body.last_price === undefined ? undefined : pipsText(body.last_price);
  const texts = {
    slug,
    questionId,
    outcomes: body.outcomes ?? DEFAULT_OUTCOMES,
    lastPrice,
    ...changedTexts(rest),
    ...extra,
  };
  return {
    type: 'CreateMarket',
    eventNumber,
    ...ids,
    status: status ?? MarketStatus.OPEN,
    negRisk: negRisk ? 1 : 0,
    ...termsOf(rest),
    tail: tailOf(texts),
  };
}

/** The command that closes a market. Its mask lets none of the other terms apply. */
export const closeCommand = (marketIndex: number): CommandOf<'UpdateMarket'> => ({
  type: 'UpdateMarket',
  marketIndex,
  mask: MarketField.STATUS,
  status: MarketStatus.CLOSED,
  negRisk: 0,
  ...termsOf({}),
});
