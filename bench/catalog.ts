// The catalog bench, run by `npm run bench:catalog`. It imports the recorded catalog (or a generated one of the same size),
// starts an exchange on it, and requests lists and searches over loopback while the house trades, each beside a yardstick of the
// same run. Times are the client's; the exchange's processor time stands beside them. A percentile is the median over five
// rounds, with their minimum and maximum. Our rounds and the yardstick's alternate, and a round that a hypervisor disturbs is
// measured again. It prints a table with the floor beside each figure, and never fails because a machine is slow.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import MiniSearch, { type SearchOptions } from 'minisearch';
import { nodeOptions } from '../.ci/nodeOptions.mjs';
import { SnapshotFolder } from '../engine/journal/index.ts';
import type { ClientQuestion, RequestTimes } from './catalog/asking.ts';
import { generatedRows, linesOf, recordedRows } from './catalog/lines.ts';
import { optionsOrUsage } from './lib/options.ts';
import { pinApart } from './lib/pin.ts';
import { machine, percentile, spread } from './lib/statistics.ts';
import { type Child, startChild } from './lib/talk.ts';
import { timed, timesOf } from './lib/timed.ts';
import { DISTURBED, Undisturbed } from './lib/undisturbed.ts';
import { startExchange } from './load/servers.ts';

optionsOrUsage(() => parseArgs({}), 'npm run bench:catalog takes no options') ?? process.exit(2);

const MAIN = join(import.meta.dirname, '../server/main.ts');
const CLIENT = join(import.meta.dirname, './catalog/asking.ts');
/** Requests of a round, for each list and for all searches together, and how often a page is stringified. */
const REQUESTS = 200;
const ROUNDS = 5;
/** Searches of a round with the bare library, which take ten times as long. */
const BARE_SEARCHES = 60;
/** Most rounds of lists, and of searches, that may be measured again in total. */
const LISTS_AGAIN_MAX = 40;
const SEARCHES_AGAIN_MAX = 10;
/** Warm-up requests before the first round; they are not counted. */
const WARM_UP = 20;
/** How long to wait for a snapshot before giving up (ms). */
const SNAPSHOT_MS_MAX = 300_000;
/** Pause before another process is timed, which lets this one collect its garbage (ms). */
const SETTLE_MS = 300;
const LISTS = [
  '/markets?limit=100&order=volume24hr',
  '/markets?limit=100&closed=false&order=endDate&ascending=true',
  '/markets?limit=100&tag=sports&order=liquidity',
  '/markets?limit=100&offset=120000',
  '/events?limit=100&order=endDate',
  '/markets/keyset?limit=100&order=updatedAt',
  '/markets?next_cursor=MA==',
] as const;
const QUERIES =
  'lakers;who wins;celtics vs;barcelna;temperature chicago;arsenal;mar;tennis final;2026;premeir leage;yankees hits;will';

/** Runs an outcry command to completion. @throws when it exits with a status other than 0 */
async function run(args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [...nodeOptions, MAIN, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  const status = await new Promise((resolve) => child.on('exit', resolve));
  if (status !== 0) throw new Error(`${args[0]} ended with status ${status}`);
}

/** Waits until a path answers 200. */
async function untilAnswered(url: string, path: string): Promise<void> {
  while ((await fetch(url + path)).status !== 200) await sleep(20);
}

/** Collects rounds of times (ms) and computes their percentiles. */
class Rounds {
  private readonly rounds: (readonly number[])[] = [];

  add(times: readonly number[]): void {
    this.rounds.push(times.toSorted(ascending));
  }

  toString(): string {
    return `p50 ${this.percentile(0.5)}, p99 ${this.percentile(0.99)}`;
  }

  private percentile(share: number): string {
    const found = spread(this.rounds.map((times) => percentile(times, share)));
    const [middle, least, most] = [found.median, found.min, found.max].map((ms) => ms.toFixed(2));
    return `${middle} ms (${least}-${most})`;
  }
}

const ascending = (left: number, right: number): number => left - right;
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
const printRow = (what: string, figure: string): void => {
  process.stdout.write(`${what.padEnd(66)} ${figure}\n`);
};

/** @throws unless the exchange lists at least `count` markets */
async function requireListed(url: string, count: number): Promise<void> {
  const [newest]: readonly { readonly id: string }[] = JSON.parse(
    await (await fetch(`${url}/markets?limit=1&order=id`)).text(),
  );
  if (Number(newest.id) < count) throw new Error(`${count} markets were imported, and ${newest.id} are listed`);
}

const askClient = <T>(child: Child, question: ClientQuestion) => child.ask(question) as Promise<T>; // as its file answers

/**
 * Measures every list in turn, round by round, with a request for `/ok` between two pages and pauses in which the house trades.
 */
async function benchLists(url: string, client: Child): Promise<void> {
  const undisturbed = new Undisturbed(LISTS_AGAIN_MAX);
  const lists = LISTS.map((path) => ({ path, ours: new Rounds(), busy: new Rounds(), bare: new Rounds() }));
  const ok = new Rounds();
  for (const { path } of lists) await askClient(client, { kind: 'ask', paths: [path], count: WARM_UP });
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { path, ours, busy, bare } of lists) {
      const found = await undisturbed.round(() =>
        askClient<RequestTimes>(client, { kind: 'ask', paths: [path], count: REQUESTS }),
      );
      ours.add(found.ours);
      busy.add(found.busy);
      ok.add(found.ok);
      bare.add(await undisturbed.round(() => askClient(client, { kind: 'stringify', path, count: REQUESTS })));
    }
  }
  for (const { path, ours, busy, bare } of lists) {
    const kib = Math.round((await (await fetch(url + path)).text()).length / 1024);
    printRow(`GET ${path} (floor: p99 5 ms)`, `${ours}`);
    printRow("  processor time of the exchange's thread, for that and for GET /ok", `${busy}`);
    printRow(`  JSON.stringify of that page of ${kib} KiB`, `${bare}`);
  }
  printRow('  GET /ok between them', `${ok}`);
  printRow(DISTURBED, `${undisturbed}`);
}

/** Measures searches and the bare library in turns. The library's own index is built before anything is timed. */
async function benchSearch(client: Child, titles: readonly string[]): Promise<void> {
  const queries = QUERIES.split(';');
  const paths = queries.map((query) => `/public-search?q=${encodeURIComponent(query)}`);
  const undisturbed = new Undisturbed(SEARCHES_AGAIN_MAX);
  const index = new MiniSearch<{ id: number; title: string }>({ fields: ['title'] });
  index.addAll(titles.map((title, id) => ({ id, title })));
  const options: SearchOptions = { prefix: true, fuzzy: 0.2, combineWith: 'AND' };
  const search = (at: number) => index.search(queries[at % queries.length], options);
  const [ours, bare] = [new Rounds(), new Rounds()];
  await askClient(client, { kind: 'ask', paths, count: WARM_UP });
  for (let round = 0; round < ROUNDS; round += 1) {
    await sleep(SETTLE_MS);
    const found = await undisturbed.round(() =>
      askClient<RequestTimes>(client, { kind: 'ask', paths, count: REQUESTS }),
    );
    ours.add(found.ours);
    bare.add(await undisturbed.round(() => timesOf(BARE_SEARCHES, search)));
  }
  printRow('GET /public-search, twelve queries (floor: p99 20 ms)', `${ours}`);
  printRow('  MiniSearch bare over the titles, prefixes and typos on', `${bare}`);
  printRow(DISTURBED, `${undisturbed}`);
}

/** Starts on a data directory, waits until everything answers, and prints how long each part took. */
async function benchStart(dataDir: string, kind: string, floor: string) {
  const startedMs = performance.now();
  const { port, pid = 0, stop } = await startExchange(dataDir, ['--house', 'calm']);
  const startMs = performance.now() - startedMs;
  const url = `http://127.0.0.1:${port}`;
  const searchMs = await timed(() => untilAnswered(url, '/public-search?q=first'));
  const historyMs = await timed(() => untilAnswered(url, '/trades?limit=1'));
  printRow(
    `start ${kind} until it answers; a search; user data (${floor})`,
    [startMs, startMs + searchMs, startMs + searchMs + historyMs].map(seconds).join('; '),
  );
  return { url, pid, stop };
}

/** Waits until a snapshot exists. @throws when none is written in time */
async function untilSnapshot(dataDir: string): Promise<void> {
  const snapshots = new SnapshotFolder(dataDir);
  const endsMs = performance.now() + SNAPSHOT_MS_MAX;
  while (snapshots.list().length === 0) {
    if (performance.now() > endsMs) throw new Error(`no snapshot came within ${seconds(SNAPSHOT_MS_MAX)}`);
    await sleep(100);
  }
}

/** Writes an import file of one market and returns its path. */
function writeOneMarket(folder: string): string {
  const file = join(folder, 'one.jsonl');
  writeFileSync(file, linesOf(generatedRows(1)).join('\n'));
  return file;
}

const folder = mkdtempSync(join(tmpdir(), 'outcry-catalog-'));
try {
  const recorded = recordedRows();
  const rows = recorded ?? generatedRows();
  const file = join(folder, 'catalog.jsonl');
  writeFileSync(file, linesOf(rows).join('\n'));
  printRow('catalog', `${rows.length} markets, ${recorded === undefined ? 'made from a seed' : 'recorded'}`);
  printRow('machine', `${machine().cpuModel}, load matters: run it alone`);
  const dataDir = join(folder, 'data');
  const empty = await timed(() => run(['import', writeOneMarket(folder), '--data-dir', join(folder, 'empty')]));
  const importMs = await timed(() => run(['import', file, '--data-dir', dataDir]));
  const rate = rows.length / ((importMs - empty) / 1_000);
  printRow('import, less an import of one market (floor: 10,000 markets/s)', `${Math.round(rate)} markets/s`);
  // The usual start is from a snapshot; right after such an import there is none yet.
  const replayed = await benchStart(dataDir, 'by replaying the whole journal', 'no floor');
  printRow(
    'a snapshot of it, made beside with the lowest priority, after',
    seconds(await timed(() => untilSnapshot(dataDir))),
  );
  printRow('stop (floor: 5 s)', seconds(await timed(replayed.stop)));
  const { url, pid, stop } = await benchStart(dataDir, 'from that snapshot', 'floor: 5 s');
  const client = startChild(CLIENT, ['--single-threaded']);
  await askClient(client, { kind: 'open', url, pid });
  if (client.pid !== undefined) pinApart([pid, client.pid]);
  const sequence = () => askClient<number>(client, { kind: 'sequence' });
  await requireListed(url, rows.length);
  const [firstSequence, firstMs] = [await sequence(), performance.now()];
  await benchLists(url, client);
  await benchSearch(client, [...new Set(rows.map(({ question }) => question))]);
  const perSecond = ((await sequence()) - firstSequence) / ((performance.now() - firstMs) / 1_000);
  printRow('the house beside it', `${perSecond.toFixed(1)} commands a second`);
  client.end();
  await stop();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
