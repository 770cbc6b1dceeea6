// The bench of the catalog: `npm run bench:catalog`. Imports the recorded catalog (or one made of its size), starts on it,
// and asks for lists and searches over loopback while the house trades; each figure beside a yardstick of the same run.
// Times are those of the asker, the exchange's processor time stands beside them. A percentile is the median of those of five
// rounds, the least and the greatest beside it; rounds of ours and of yardsticks take turns, and one that a hypervisor
// disturbs is measured again. Prints a table and never fails for a slow machine: the floors are said beside what was reached.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import MiniSearch, { type SearchOptions } from 'minisearch';
import { SnapshotFolder } from '../engine/journal/index.ts';
import type { Asked, AskingQuestion } from './catalog/asking.ts';
import { linesOf, madeRows, recordedRows } from './catalog/lines.ts';
import { pinApart } from './lib/pin.ts';
import { machine, percentile, spread } from './lib/statistics.ts';
import { STRIP_TYPES } from './lib/stripTypes.ts';
import { type Child, startChild } from './lib/talk.ts';
import { timed, timesOf } from './lib/timed.ts';
import { DISTURBED, Undisturbed } from './lib/undisturbed.ts';

const MAIN = join(import.meta.dirname, '../server/main.ts');
const ASKING = join(import.meta.dirname, './catalog/asking.ts');
/** Requests of a round, for each list or for all searches, and writings of a page. */
const REQUESTS = 200;
const ROUNDS = 5;
/** Searches of a round by the library bare, which take ten times as long. */
const BARE_SEARCHES = 60;
/** Rounds of lists that may be measured again in all, and of searches. */
const LISTS_AGAIN_MAX = 40;
const SEARCHES_AGAIN_MAX = 10;
/** Requests before the first round, which are not counted. */
const WARM_UP = 20;
/** A snapshot that takes longer does not come (ms). */
const SNAPSHOT_MS_MAX = 300_000;
/** Before another process is timed, so that what this one has left is collected. */
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

/** Runs a command of the program to its end. @throws when it fails */
async function run(args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [...STRIP_TYPES, MAIN, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  const status = await new Promise((resolve) => child.on('exit', resolve));
  if (status !== 0) throw new Error(`${args[0]} ended with status ${status}`);
}

/** Starts an exchange; resolves with its address, the time until it answered (ms) and how to stop it. */
async function started(dataDir: string) {
  const startedMs = performance.now();
  const args = [...STRIP_TYPES, MAIN, 'start', '--data-dir', dataDir, '--port', '0', '--json', '--house', 'calm'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const banner = await new Promise<string>((resolve) => child.stdout.once('data', (text) => resolve(String(text))));
  const { url }: { readonly url: string } = JSON.parse(banner);
  const stop = (): Promise<unknown> => {
    const ended = new Promise((resolve) => child.on('exit', resolve));
    child.kill('SIGTERM');
    return ended;
  };
  return { url, pid: child.pid ?? 0, startMs: performance.now() - startedMs, stop };
}

/** Waits until a path answers 200. */
async function answered(url: string, path: string): Promise<void> {
  while ((await fetch(url + path)).status !== 200) await sleep(20);
}

/** Percentiles of rounds of times (ms). */
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
const tell = (what: string, figure: string): void => {
  process.stdout.write(`${what.padEnd(66)} ${figure}\n`);
};

/** @throws unless the exchange lists so many markets at least */
async function requireListed(url: string, count: number): Promise<void> {
  const [newest]: readonly { readonly id: string }[] = JSON.parse(
    await (await fetch(`${url}/markets?limit=1&order=id`)).text(),
  );
  if (Number(newest.id) < count) throw new Error(`${count} markets were imported, and ${newest.id} are listed`);
}

const answer = <T>(child: Child, question: AskingQuestion) => child.ask(question) as Promise<T>; // as its file answers

/** Rounds of every list in turn, with `/ok` between two pages and time for the house to trade. */
async function benchLists(url: string, asking: Child): Promise<void> {
  const undisturbed = new Undisturbed(LISTS_AGAIN_MAX);
  const lists = LISTS.map((path) => ({ path, ours: new Rounds(), busy: new Rounds(), bare: new Rounds() }));
  const ok = new Rounds();
  for (const { path } of lists) await answer(asking, { kind: 'ask', paths: [path], count: WARM_UP });
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { path, ours, busy, bare } of lists) {
      const found = await undisturbed.round(() =>
        answer<Asked>(asking, { kind: 'ask', paths: [path], count: REQUESTS }),
      );
      ours.add(found.ours);
      busy.add(found.busy);
      ok.add(found.ok);
      bare.add(await undisturbed.round(() => answer(asking, { kind: 'stringify', path, count: REQUESTS })));
    }
  }
  for (const { path, ours, busy, bare } of lists) {
    const kib = Math.round((await (await fetch(url + path)).text()).length / 1024);
    tell(`GET ${path} (floor: p99 5 ms)`, `${ours}`);
    tell("  processor time of the exchange's thread, for that and for GET /ok", `${busy}`);
    tell(`  JSON.stringify of that page of ${kib} KiB`, `${bare}`);
  }
  tell('  GET /ok between them', `${ok}`);
  tell(DISTURBED, `${undisturbed}`);
}

/** Searches, and the library bare in turn: for that the library's own index is built before anything is timed. */
async function benchSearch(asking: Child, titles: readonly string[]): Promise<void> {
  const queries = QUERIES.split(';');
  const paths = queries.map((query) => `/public-search?q=${encodeURIComponent(query)}`);
  const undisturbed = new Undisturbed(SEARCHES_AGAIN_MAX);
  const index = new MiniSearch<{ id: number; title: string }>({ fields: ['title'] });
  index.addAll(titles.map((title, id) => ({ id, title })));
  const options: SearchOptions = { prefix: true, fuzzy: 0.2, combineWith: 'AND' };
  const search = (at: number) => index.search(queries[at % queries.length], options);
  const [ours, bare] = [new Rounds(), new Rounds()];
  await answer(asking, { kind: 'ask', paths, count: WARM_UP });
  for (let round = 0; round < ROUNDS; round += 1) {
    await sleep(SETTLE_MS);
    const found = await undisturbed.round(() => answer<Asked>(asking, { kind: 'ask', paths, count: REQUESTS }));
    ours.add(found.ours);
    bare.add(await undisturbed.round(() => timesOf(BARE_SEARCHES, search)));
  }
  tell('GET /public-search, twelve queries (floor: p99 20 ms)', `${ours}`);
  tell('  MiniSearch bare over the titles, prefixes and typos on', `${bare}`);
  tell(DISTURBED, `${undisturbed}`);
}

/** Starts on a data directory, waits until everything answers, and tells how long each took. */
async function benchStart(dataDir: string, kind: string, floor: string) {
  const { url, pid, startMs, stop } = await started(dataDir);
  const searchMs = await timed(() => answered(url, '/public-search?q=first'));
  const historyMs = await timed(() => answered(url, '/trades?limit=1'));
  tell(
    `start ${kind} until it answers; a search; user data (${floor})`,
    [startMs, startMs + searchMs, startMs + searchMs + historyMs].map(seconds).join('; '),
  );
  return { url, pid, stop };
}

const folder = mkdtempSync(join(tmpdir(), 'outcry-catalog-'));
try {
  const recorded = recordedRows();
  const rows = recorded ?? madeRows();
  const file = join(folder, 'catalog.jsonl');
  writeFileSync(file, linesOf(rows).join('\n'));
  tell('catalog', `${rows.length} markets, ${recorded === undefined ? 'made from a seed' : 'recorded'}`);
  tell('machine', `${machine().cpuModel}, load matters: run it alone`);
  const dataDir = join(folder, 'data');
  const empty = await timed(() => run(['import', fileOf(folder), '--data-dir', join(folder, 'empty')]));
  const importMs = await timed(() => run(['import', file, '--data-dir', dataDir]));
  const rate = rows.length / ((importMs - empty) / 1_000);
  tell('import, less an import of one market (floor: 10,000 markets/s)', `${Math.round(rate)} markets/s`);
  // What is ordinary is a start from a snapshot; right after such an import there is none.
  const replayed = await benchStart(dataDir, 'by replaying the whole journal', 'no floor');
  tell(
    'a snapshot of it, made beside with the lowest priority, after',
    seconds(await timed(() => snapshotIn(dataDir))),
  );
  tell('stop (floor: 5 s)', seconds(await timed(replayed.stop)));
  const { url, pid, stop } = await benchStart(dataDir, 'from that snapshot', 'floor: 5 s');
  const asking = startChild(ASKING, [...STRIP_TYPES, '--single-threaded']);
  await answer(asking, { kind: 'open', url, pid });
  if (asking.pid !== undefined) pinApart([pid, asking.pid]);
  const sequence = () => answer<number>(asking, { kind: 'sequence' });
  await requireListed(url, rows.length);
  const [firstSequence, firstMs] = [await sequence(), performance.now()];
  await benchLists(url, asking);
  await benchSearch(asking, [...new Set(rows.map(({ question }) => question))]);
  const perSecond = ((await sequence()) - firstSequence) / ((performance.now() - firstMs) / 1_000);
  tell('the house beside it', `${perSecond.toFixed(1)} commands a second`);
  asking.end();
  await stop();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Waits for a snapshot. @throws when none comes */
async function snapshotIn(dataDir: string): Promise<void> {
  const folder = new SnapshotFolder(dataDir);
  const endsMs = performance.now() + SNAPSHOT_MS_MAX;
  while (folder.list().length === 0) {
    if (performance.now() > endsMs) throw new Error(`no snapshot came within ${seconds(SNAPSHOT_MS_MAX)}`);
    await sleep(100);
  }
}

/** A file of one market. */
function fileOf(inFolder: string): string {
  const file = join(inFolder, 'one.jsonl');
  writeFileSync(file, linesOf(madeRows(1)).join('\n'));
  return file;
}
