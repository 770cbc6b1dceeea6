// The measurements of the history bench: rebuilding the index, each endpoint and its yardstick in turns, long pages, and
// how long the main thread stalls while ten clients fetch them. Called by bench/history.ts.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type OpenedHistorian, openHistorian } from '../../server/history/historian.ts';
import type { MarketDirectory, NamedMarket } from '../../server/history/totals.ts';
import { showProgress } from '../../server/process/progress.ts';
import type { HistoryQuery } from '../../server/wire/historyQueries.ts';
import { BusyClock } from '../lib/busy.ts';
import { statusBytes } from '../lib/processStatus.ts';
import { SeededRandom } from '../lib/seededRandom.ts';
import { longestAloneMs, longestMs, type Standstill, standstillsDuring } from '../lib/standstill.ts';
import { percentile } from '../lib/statistics.ts';
import { startChild } from '../lib/talk.ts';
import { waitedBy } from '../lib/waited.ts';
import { conditionOf, MARKETS_AN_EVENT, type WorldSize, walletOf } from './names.ts';
import { type Endpoint, endpoints, newestTrades } from './questions.ts';
import type { World } from './world.ts';
import { Yardstick } from './yardstick.ts';

const LONG_PAGE = 10_000;
const CLIENTS = 10;
const FIRST_ACCOUNT_ID = 2;
/** After its first answer the historian still commits and reopens its files; it gets this long (ms). */
const SETTLE_MS = 5_000;
const WARM_UP_SHARE = 0.2;
/** The same questions are repeated for at least this long (ms), so that one pause of the machine is not a percentile. */
const MEASURED_MS_MIN = 2_000;
/** Average number of draws allowed for a question that has rows. */
const DRAWS_A_QUESTION_MAX = 20;

export interface Latency {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface EndpointFigures {
  readonly name: string;
  /** Rows that the yardstick reads, on average. */
  readonly rows: number;
  readonly ours: Latency;
  readonly yardstick: Latency;
  /** p99 of ours over p99 of the yardstick. */
  readonly ratio: number;
  /** The same without the time in which the working threads waited for a processor; NaN where the system does not report it. */
  readonly undisturbedRatio: number;
}

export interface Stall {
  readonly pages: number;
  readonly pagesPerSecond: number;
  readonly longestMs: number;
  /** The longest without the time in which an idle process stalled too, which is the machine's share. */
  readonly aloneMs: number;
  /** The longest stall of the idle process meanwhile. */
  readonly besideMs: number;
  /** Most processor time of the thread between two samples a millisecond apart, which excludes other processes. */
  readonly busyMs: number;
  /** The longest while nothing was asked, measured just before. */
  readonly idleMs: number;
}

export interface Memory {
  readonly residentMiB: number;
  /** The peak so far, mapped files included. */
  readonly mostResidentMiB: number;
  /** Without pages of mapped files, which the system reclaims when it needs them; NaN where the system does not report it. */
  readonly anonymousMiB: number;
}

/** The world's markets by condition id and event, as an exchange holds them in memory. */
function directoryOf(marketCount: number): MarketDirectory<NamedMarket> {
  const markets = Array.from({ length: marketCount }, (_, index) => ({ index, conditionId: conditionOf(index) }));
  const byCondition = new Map(markets.map((market) => [market.conditionId, market]));
  return {
    byCondition: (conditionId) => byCondition.get(conditionId),
    ofEvent: (eventNumber) => markets.slice((eventNumber - 1) * MARKETS_AN_EVENT, eventNumber * MARKETS_AN_EVENT),
  };
}

/** The world's accounts by wallet, as an exchange holds them in memory: created in order, after those of the house. */
const accountIdsOf = (wallets: number): ReadonlyMap<string, number> =>
  new Map(Array.from({ length: wallets }, (_, number) => [walletOf(number), FIRST_ACCOUNT_ID + number]));

/** Drops the index and rebuilds it from the journal; the historian stays open. */
export async function rebuild(dataDir: string, { lastSequence, markets: marketCount, wallets }: World) {
  rmSync(join(dataDir, 'history'), { recursive: true, force: true });
  const accountIds = accountIdsOf(wallets);
  const bar = showProgress(process.stderr, 'indexing', 'records');
  const historian = openHistorian({
    dataDir,
    markets: directoryOf(marketCount),
    accountIdOf: (wallet) => accountIds.get(wallet),
    onProgress: (done) => bar.update(done, lastSequence),
    log: (level, text, figures) => (level === 'info' ? undefined : console.error(text, figures)),
  });
  const startMs = performance.now();
  const before = process.cpuUsage();
  historian.durable(new Uint8Array(), lastSequence);
  await historian.caughtUp();
  const seconds = (performance.now() - startMs) / 1000;
  const { user, system } = process.cpuUsage(before);
  bar.stop();
  const { mostResidentMiB } = memoryNow();
  await sleep(SETTLE_MS);
  return { historian, seconds, busySeconds: (user + system) / 1e6, memory: { ...memoryNow(), mostResidentMiB } };
}

export function memoryNow(): Memory {
  return {
    residentMiB: process.memoryUsage().rss / 2 ** 20,
    mostResidentMiB: statusBytes('VmHWM') / 2 ** 20,
    anonymousMiB: statusBytes('RssAnon') / 2 ** 20,
  };
}

async function ask(historian: OpenedHistorian, query: HistoryQuery): Promise<Uint8Array> {
  const bytes = await historian.ask({ query, dialect: 'root' });
  if (bytes === undefined) throw new Error(`no answer to ${JSON.stringify(query)}`);
  return bytes;
}

/** Asks, then releases the answer, as a route does once it has sent it. */
async function askAndSend(historian: OpenedHistorian, query: HistoryQuery): Promise<void> {
  historian.reuse(await ask(historian, query));
}

/** The rows of a reply; a single figure counts as one row, a group of holders as its holders. */
function rowsOf(reply: unknown): unknown[] {
  if (!Array.isArray(reply)) return [reply];
  return reply.flatMap((row: { readonly holders?: unknown[] }) => row.holders ?? [row]);
}

const latency = (times: readonly number[]): Latency => {
  const sorted = times.toSorted((left, right) => left - right);
  return { p50Ms: percentile(sorted, 0.5), p99Ms: percentile(sorted, 0.99) };
};

/** A question with the keys of the yardstick rows that it is compared with. */
interface Prepared {
  readonly query: HistoryQuery;
  readonly keys: readonly number[];
}

/** Draws questions until enough of them have an answer, and stores the rows of their answers in the yardstick. */
async function prepare(
  historian: OpenedHistorian,
  yardstick: Yardstick,
  questions: number,
  { draw, rowsBehind }: Pick<Endpoint, 'rowsBehind'> & { readonly draw: () => HistoryQuery },
): Promise<Prepared[]> {
  const prepared: Prepared[] = [];
  for (let tries = 0; prepared.length < questions && tries < questions * DRAWS_A_QUESTION_MAX; tries += 1) {
    const query = draw();
    const reply = await ask(historian, rowsBehind?.(query) ?? query);
    const rows = rowsOf(JSON.parse(Buffer.from(reply).toString('utf8')));
    if (rows.length > 0) prepared.push({ query, keys: yardstick.store(rows) });
  }
  await yardstick.stored();
  return prepared;
}

/** Asks the historian and reads the yardstick alternately, at least `times` times, after warm-up turns that do not count. */
async function compareWithYardstick(
  historian: OpenedHistorian,
  name: string,
  times: number,
  prepareFor: (yardstick: Yardstick) => Promise<readonly Prepared[]>,
): Promise<EndpointFigures> {
  const yardstick = new Yardstick();
  const prepared = await prepareFor(yardstick);
  if (prepared.length === 0) throw new RangeError(`No question to ${name} has rows in this world: make it larger.`);
  const [ours, theirs, oursUndisturbed, theirsUndisturbed]: number[][] = [[], [], [], []];
  const waitedMs = waitedBy(['historian']);
  let rowCount = 0;
  const endMs = performance.now() + MEASURED_MS_MIN;
  for (let index = 0; index < times || performance.now() < endMs; index += 1) {
    const { query, keys } = prepared[index % prepared.length];
    const firstWaitedMs = waitedMs();
    const askedMs = performance.now();
    await askAndSend(historian, query);
    const oursMs = performance.now() - askedMs;
    const secondWaitedMs = waitedMs();
    const readMs = performance.now();
    yardstick.read(keys);
    const theirsMs = performance.now() - readMs;
    const thirdWaitedMs = waitedMs();
    if (index < times * WARM_UP_SHARE) continue;
    ours.push(oursMs);
    theirs.push(theirsMs);
    oursUndisturbed.push(oursMs - (secondWaitedMs - firstWaitedMs));
    theirsUndisturbed.push(theirsMs - (thirdWaitedMs - secondWaitedMs));
    rowCount += keys.length;
  }
  await yardstick.close();
  const figures = { ours: latency(ours), yardstick: latency(theirs) };
  const ratio = figures.ours.p99Ms / figures.yardstick.p99Ms;
  const undisturbedRatio = latency(oursUndisturbed).p99Ms / latency(theirsUndisturbed).p99Ms;
  return { name, rows: rowCount / ours.length, ...figures, ratio, undisturbedRatio };
}

/** Measures every endpoint at its default limit. */
export async function measureEndpoints(
  historian: OpenedHistorian,
  size: WorldSize,
  questions: number,
): Promise<EndpointFigures[]> {
  const bar = showProgress(process.stderr, 'measuring', 'endpoints');
  const figures: EndpointFigures[] = [];
  for (const { name, draw, rowsBehind } of endpoints) {
    const random = new SeededRandom(7);
    const asked = { draw: () => draw(random, size), rowsBehind };
    figures.push(
      await compareWithYardstick(historian, name, questions, (yard) => prepare(historian, yard, questions, asked)),
    );
    bar.update(figures.length, endpoints.length);
  }
  bar.stop();
  return figures;
}

/** Measures the longest page of trades. */
export function measureLongPage(historian: OpenedHistorian, times: number): Promise<EndpointFigures> {
  const asked = { draw: () => newestTrades(LONG_PAGE), rowsBehind: undefined };
  const name = `/trades?limit=${LONG_PAGE}`;
  return compareWithYardstick(historian, name, times, (yardstick) => prepare(historian, yardstick, 1, asked));
}

/** The most processor time (ms) of this thread between two samples while `work` runs, and when its loop stalled. */
async function watch(work: () => Promise<unknown>) {
  // Taking a sample leaves no garbage, so all that is collected meanwhile is the work's.
  const clock = new BusyClock(process.pid);
  let busiestMs = 0;
  let lastMs = clock.now();
  const standstills = await standstillsDuring(work, () => {
    const atMs = clock.now();
    busiestMs = Math.max(busiestMs, atMs - lastMs);
    lastMs = atMs;
  });
  clock.close();
  return { standstills, busiestMs };
}

/** Ten clients that each request the longest page again as soon as they have it, beside an idle process. */
export async function measureStall(historian: OpenedHistorian, forMs: number): Promise<Stall> {
  const idle = startChild(join(import.meta.dirname, '../lib/idle.ts'));
  try {
    const besideFor = async (ms: number): Promise<Standstill[]> => (await idle.ask(ms)) as Standstill[]; // idle.ts
    await askAndSend(historian, newestTrades(LONG_PAGE));
    const before = await watch(() => besideFor(forMs / 2));
    const endMs = performance.now() + forMs;
    let pages = 0;
    const pull = async (): Promise<void> => {
      for (; performance.now() < endMs; pages += 1) await askAndSend(historian, newestTrades(LONG_PAGE));
    };
    let beside: readonly Standstill[] = [];
    const { standstills, busiestMs } = await watch(async () => {
      [beside] = await Promise.all([besideFor(forMs), ...Array.from({ length: CLIENTS }, pull)]);
    });
    return {
      pages,
      pagesPerSecond: (pages * 1000) / forMs,
      longestMs: longestMs(standstills),
      aloneMs: longestAloneMs(standstills, beside),
      besideMs: longestMs(beside),
      busyMs: busiestMs,
      idleMs: longestMs(before.standstills),
    };
  } finally {
    idle.end();
  }
}
