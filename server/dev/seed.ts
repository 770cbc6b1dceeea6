// The seed catalog as commands: events, markets, and the end of those that are closed or resolved. Called at first start in
// development: the file's events and markets become commands once; afterwards the log is authoritative. The house reads the
// file at each start, for the prices around which it trades.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import {
  encodeCommand,
  type LogRecord,
  MarketStatus,
  type RunningExchange,
  rejectionName,
} from '../../engine/index.ts';
import { closeCommand, creationOf, eventCommandOf, resolutionOf } from '../commands/creation.ts';
import type { Services } from '../services.ts';
import { decimalUnits, parseLots, parsePips } from '../wire/numbers.ts';
import type { EventBody, MarketBody } from '../wire/operatorBodies.ts';

/** The catalog file, relative to this one. */
const SEED_FILE = new URL('../../data/seed.json', import.meta.url);

const DAY_MS = 86_400_000;
/** The asset in which rewards are stated: USDC.e, as in production's records, by which maker bots choose their markets. */
const REWARD_ASSET = '0x2791bca1f2de4661ed88a30c99a7a9449aa84174';

const dates = {
  startDay: z.int().optional(),
  endDay: z.int().optional(),
  startDate: z.iso.datetime().optional(),
  endDate: z.iso.datetime().optional(),
};
const amount = z.string().regex(/^(0|[1-9]\d*)(\.\d+)?$/);
const hash = z.string().regex(/^0x[0-9a-f]{64}$/);
const marketSchema = z.object({
  slug: z.string(),
  question: z.string(),
  description: z.string(),
  groupItemTitle: z.string().optional(),
  conditionId: hash,
  questionId: hash,
  tokenIds: z.tuple([z.string(), z.string()]),
  outcomes: z.tuple([z.string(), z.string()]),
  tickSize: z.string(),
  minOrderSize: z.string().optional(),
  secondsDelay: z.int().optional(),
  fee: z.object({ rate: z.string(), exponent: z.int() }).optional(),
  rewards: z.object({ dailyRate: amount, minSize: amount, maxSpread: amount }).optional(),
  lastPrice: z.string(),
  status: z.enum(['open', 'closed', 'resolved']),
  winner: z.string().optional(),
  facts: z.enum(['recorded', 'derived']),
  ...dates,
});
const eventSchema = z.object({
  slug: z.string(),
  ticker: z.string().optional(),
  title: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  series: z.string().optional(),
  negRisk: z.boolean(),
  markets: z.array(marketSchema),
  ...dates,
});
const seedSchema = z.object({
  version: z.literal(1),
  tags: z.array(z.object({ slug: z.string(), label: z.string() })),
  series: z.array(z.object({ slug: z.string(), title: z.string(), recurrence: z.string() })),
  events: z.array(eventSchema),
});

export type SeedCatalog = z.infer<typeof seedSchema>;
type SeedEvent = SeedCatalog['events'][number];
type SeedMarket = SeedEvent['markets'][number];
type SeedDates = Pick<SeedEvent, 'startDay' | 'endDay' | 'startDate' | 'endDate'>;

/** The seed catalog; throws if the file does not fit the schema. */
export function readSeed(): SeedCatalog {
  return seedSchema.parse(JSON.parse(readFileSync(SEED_FILE, 'utf8')));
}

/** The day offsets unchanged, plus the dates that they give if the exchange first started at `firstMs`. */
function datesOf({ startDay, endDay, startDate, endDate }: SeedDates, firstMs: number): SeedDates {
  const isoOf = (day: number | undefined): string | undefined =>
    day === undefined ? undefined : new Date(firstMs + day * DAY_MS).toISOString();
  return { startDay, endDay, startDate: startDate ?? isoOf(startDay), endDate: endDate ?? isoOf(endDay) };
}

function eventCommand(seed: SeedCatalog, event: SeedEvent, firstMs: number): Uint8Array {
  const { slug, ticker, title, description, tags, negRisk } = event;
  const labels = Object.fromEntries(
    seed.tags.filter((tag) => tags.includes(tag.slug)).map((tag) => [tag.slug, tag.label]),
  );
  const series = seed.series.find((row) => row.slug === event.series);
  const seriesTexts = series && { title: series.title, recurrence: series.recurrence };
  const names = { title, ticker, tags, tag_labels: labels, series: series?.slug };
  const body: EventBody = { ...names, description, neg_risk: negRisk };
  return encodeCommand(eventCommandOf(body, slug, { seriesTexts, ...datesOf(event, firstMs) }));
}

/** A figure of the catalog in its unit; throws if it is missing or malformed, which is a defect in our own file. */
function requireFigure(value: number | undefined, what: string, slug: string): number {
  if (value === undefined) throw new Error(`seed: market ${slug} has no usable ${what}`);
  return value;
}

/** A market of the file as an operator would describe it. */
function bodyOf(market: SeedMarket): MarketBody {
  const { slug, question, description, outcomes, fee, minOrderSize, rewards } = market;
  return {
    question,
    description,
    group_item_title: market.groupItemTitle,
    outcomes,
    question_id: market.questionId,
    condition_id: market.conditionId,
    token_ids: market.tokenIds,
    last_price: requireFigure(parsePips(market.lastPrice), 'last price', slug),
    tick_size: requireFigure(parsePips(market.tickSize), 'tick size', slug),
    min_order_size:
      minOrderSize === undefined ? undefined : requireFigure(parseLots(minOrderSize), 'minimum size', slug),
    seconds_delay: market.secondsDelay,
    fee: fee && { ...fee, rate: requireFigure(decimalUnits.feeRate.parse(fee.rate), 'fee rate', slug) },
    rewards: rewards && {
      rates: [{ asset_address: REWARD_ASSET, rewards_daily_rate: Number(rewards.dailyRate) }],
      min_size: Number(rewards.minSize),
      max_spread: Number(rewards.maxSpread),
    },
  };
}

/** The command that ends a market that is not open; undefined for an open one. */
function endCommand(market: SeedMarket, marketIndex: number): Uint8Array | undefined {
  if (market.status === 'open') return undefined;
  if (market.status === 'resolved') {
    const resolution = resolutionOf(market.outcomes, market.winner ?? '');
    if (resolution === undefined) throw new Error(`${market.slug}: its winner is neither an outcome nor "split"`);
    return encodeCommand({ type: 'ResolveMarket', marketIndex, resolution });
  }
  return encodeCommand(closeCommand(marketIndex));
}

function requireAccepted(record: LogRecord): void {
  const refused = record.events.find((event) => event.type === 'Rejected');
  if (refused !== undefined)
    throw new Error(`seed: ${record.command.type} was refused: ${rejectionName(refused.code)}`);
}

/** Submits commands in order without awaiting each, so that they share flushes. */
async function submitAll(exchange: RunningExchange, commands: readonly (Uint8Array | undefined)[]): Promise<void> {
  const wanted = commands.filter((command) => command !== undefined);
  for (const record of await Promise.all(wanted.map((command) => exchange.submit(command)))) requireAccepted(record);
}

/**
 * Creates what is missing of the catalog: all of it at first start, the rest after an interrupted one.
 * @param firstMs the time of first start, from which day offsets count
 */
export async function plantSeed(
  services: Pick<Services, 'exchange' | 'views' | 'contracts'>,
  seed: SeedCatalog,
  firstMs: number,
): Promise<void> {
  const { exchange } = services;
  const { markets } = services.views;
  const newEvents = seed.events.filter(({ slug }) => markets.eventBySlug(slug) === undefined);
  await submitAll(
    exchange,
    newEvents.map((event) => eventCommand(seed, event, firstMs)),
  );
  const all = seed.events.flatMap((event) => event.markets.map((market) => ({ event, market })));
  const newMarkets = all.filter(({ market }) => markets.byCondition(market.conditionId) === undefined);
  await submitAll(
    exchange,
    newMarkets.map(({ event, market }) => {
      const number = requireFigure(markets.eventBySlug(event.slug)?.eventNumber, 'event', market.slug);
      const dates = datesOf({ ...event, ...market }, firstMs);
      return encodeCommand(creationOf(services, bodyOf(market), market.slug, event.negRisk, number, dates));
    }),
  );
  await submitAll(
    exchange,
    all.map(({ market }) => {
      const planted = markets.byCondition(market.conditionId);
      return planted?.status === MarketStatus.OPEN ? endCommand(market, planted.index) : undefined;
    }),
  );
}
