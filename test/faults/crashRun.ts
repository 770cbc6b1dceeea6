// The crash run: a server under load from signed clients is killed with SIGKILL, at random moments and at every named point
// on its way to the disk, restarted and compared with the replies that its clients got. Run by its test and by npm run
// crash -- --kills 1000 (--seed N repeats a run as far as the machine allows). It prints its figures and ends with status 1
// when anything was lost, doubled or made up.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { program } from 'commander';
import { SeededRandom } from '../../bench/lib/seededRandom.ts';
import { verifyJournal } from '../../engine/index.ts';
import { flagsOf } from '../support/flags.ts';
import { freePort } from '../support/ports.ts';
import { wholeNumberFrom } from '../support/wholeNumber.ts';
import { type Child, startChild } from './child.ts';
import { Clients } from './clients.ts';
import { CRASH_POINTS } from './crashPoints.ts';
import { ClientLedger, differencesOf, JournalLedger } from './ledger.ts';

const TRADERS = 4;
const CONNECTIONS_EACH = 3;
/** Most passages of a point before the crash: records are many, flushes few. */
const PASSAGES_MAX = { append: 200, flush: 30 } as const;
const DELAY_MS_MAX = 400;
/** A folder is verified as a whole and abandoned after this many kills, which keeps its replay short. */
const KILLS_A_FOLDER = 100;
/** When a crash point is not reached within this time (ms), the process is killed from outside. */
const POINT_MS_MAX = 3_000;
/** How many orders of each round are looked up over HTTP after the restart. */
const ASKED_A_ROUND = 25;

interface Totals {
  kills: number;
  readonly killsAt: Map<string, number>;
  acknowledged: number;
  orders: number;
  lost: number;
  doubled: number;
  ghosts: number;
  sentAgain: number;
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Lets a process crash at the given place, or kills it; returns the name of the place. */
async function crash(child: Child, place: string, random: SeededRandom): Promise<string> {
  if (place === 'random') await Promise.race([sleep(random.below(DELAY_MS_MAX)), child.ended]);
  else await Promise.race([sleep(POINT_MS_MAX), child.ended]);
  const isByItself = !child.isRunning;
  child.kill('SIGKILL');
  const { status, signal } = await child.ended;
  if (signal !== 'SIGKILL') throw new Error(`the server ended with ${status ?? signal} by itself:\n${child.output}`);
  return isByItself || place === 'random' ? place : `${place} not reached`;
}

/** Looks up orders of the last round on the restarted server, and sends those again that were never answered. */
async function askAfter(
  clients: Clients,
  ledger: ClientLedger,
  journal: JournalLedger,
  ids: readonly string[],
  totals: Totals,
) {
  const wrong: string[] = [];
  const asked = await Promise.all(ids.map(async (id) => ({ id, reply: await clients.orderOf(id) })));
  for (const { id, reply } of asked) {
    const order = journal.orders.get(id);
    if (order === undefined) {
      if (reply?.status !== 404) wrong.push(`the order ${id} is in no record and was answered ${reply?.status}`);
    } else if (reply?.status !== 200) {
      wrong.push(`the order ${id} is in record ${order.sequence} and was answered ${reply?.status}`);
    } else {
      const lots = Math.round(Number(reply.json.size_matched) * 100);
      if (lots !== order.filledLots) wrong.push(`the order ${id} filled ${order.filledLots} lots and shows ${lots}`);
    }
  }
  const unknown = ids.filter((id) => ledger.orders.get(id)?.outcome === 'unknown');
  totals.sentAgain += unknown.length;
  const sent = await Promise.all(unknown.map(async (id) => ({ id, again: await clients.sendAgain(id) })));
  for (const { id, again } of sent) {
    const order = journal.orders.get(id);
    const isDuplicate = again?.status === 400 && /Duplicated/.test(again.json.error);
    if (isDuplicate !== (order !== undefined)) {
      wrong.push(`the order ${id} was sent again: ${again?.status} ${JSON.stringify(again?.json)}`);
    }
    if (isDuplicate && again.json.detail?.original === undefined)
      wrong.push(`the duplicate of ${id} tells no original`);
  }
  return wrong;
}

/** The life of one folder: prepared, crashed `kills` times, checked after each. */
async function crashFolder(kills: number, firstKill: number, seed: number, totals: Totals): Promise<readonly string[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'outcry-crash-'));
  const random = new SeededRandom(seed);
  const ledger = new ClientLedger();
  const journal = new JournalLedger(dataDir);
  const clients = new Clients(ledger, () => random.below(1_000_000) / 1_000_000);
  const port = await freePort();
  let child = startChild({ dataDir, port });
  const wrong: string[] = [];
  try {
    await child.ready();
    await clients.prepare(child.url, TRADERS, seed);
    for (let kill = 0; kill < kills && wrong.length === 0; kill += 1) {
      const places = ['random', ...CRASH_POINTS];
      const place = places[(firstKill + kill) % places.length];
      const point = CRASH_POINTS.find((name) => name === place);
      const before = ledger.orders.size;
      if (point !== undefined)
        child.crashAt(point, 1 + random.below(point.endsWith('flush') ? PASSAGES_MAX.flush : PASSAGES_MAX.append));
      const load = clients.run(CONNECTIONS_EACH);
      const at = await crash(child, place, random);
      clients.stop();
      await load;
      totals.kills += 1;
      totals.killsAt.set(at, (totals.killsAt.get(at) ?? 0) + 1);
      child = startChild({ dataDir, port });
      const [state] = await Promise.all([child.ready().then(() => child.state()), journal.readTo()]);
      if (state === undefined) throw new Error(`the server did not start again:\n${child.output}`);
      await journal.readTo(state.sequence);
      const { lost, doubled, ghosts } = differencesOf(ledger, journal);
      totals.lost += lost.length;
      totals.doubled += doubled.length;
      totals.ghosts += ghosts.length;
      wrong.push(...lost, ...doubled, ...ghosts);
      const own = JSON.stringify(journal.hashes());
      if (journal.sequence !== state.sequence || own !== JSON.stringify(state.hashes)) {
        wrong.push(`the state at ${state.sequence} is ${JSON.stringify(state.hashes)}, the replay's ${own}`);
      }
      const latest = [...ledger.orders.keys()].slice(before).reverse();
      const unknown = latest.filter((id) => ledger.orders.get(id)?.outcome === 'unknown');
      const asked = [...new Set([...unknown, ...latest])].slice(0, ASKED_A_ROUND);
      wrong.push(...(await askAfter(clients, ledger, journal, asked, totals)));
      clients.forget();
    }
    child.kill('SIGTERM');
    const { status } = await child.ended;
    if (status !== 0) wrong.push(`the server stopped with ${status}:\n${child.output}`);
    await journal.readTo();
    journal.checkInvariants();
    const { hashes } = await verifyJournal(dataDir);
    if (JSON.stringify(hashes) !== JSON.stringify(journal.hashes()))
      wrong.push('the whole journal gives another state');
    totals.acknowledged += ledger.acknowledgedCount;
    totals.orders += journal.orders.size;
    return wrong;
  } finally {
    child.kill('SIGKILL');
    await child.ended;
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function run(kills: number, seed: number): Promise<number> {
  const totals: Totals = {
    ...{ kills: 0, killsAt: new Map(), acknowledged: 0, orders: 0, lost: 0, doubled: 0, ghosts: 0, sentAgain: 0 },
  };
  const startMs = performance.now();
  const wrong: string[] = [];
  for (let folder = 0; totals.kills < kills && wrong.length === 0; folder += 1) {
    const count = Math.min(KILLS_A_FOLDER, kills - totals.kills);
    wrong.push(...(await crashFolder(count, totals.kills, seed + folder, totals)));
    const seconds = Math.round((performance.now() - startMs) / 1000);
    say(`${totals.kills} kills in ${seconds} s, ${totals.acknowledged} acknowledged operations`);
  }
  for (const text of wrong.slice(0, 20)) say(`WRONG ${text}`);
  say(`seed ${seed}; kills by place: ${[...totals.killsAt].map(([at, count]) => `${at} ${count}`).join(', ')}`);
  say(`${totals.orders} orders in the journals, ${totals.sentAgain} sent again because no answer had come`);
  say(
    `kills ${totals.kills}, acknowledged operations ${totals.acknowledged}, lost ${totals.lost}, ` +
      `doubled ${totals.doubled}, ghosts ${totals.ghosts}`,
  );
  return wrong.length === 0 ? 0 : 1;
}

program
  .name('crash')
  .option('--kills <N>', 'how often the server is killed', wholeNumberFrom(1), 12)
  .option('--seed <N>', 'what is drawn', wholeNumberFrom(0), 1 + (Date.now() % 1_000_000));
const flags: { readonly kills: number; readonly seed: number } = flagsOf(program);
process.exitCode = await run(flags.kills, flags.seed);
