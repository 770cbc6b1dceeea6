// The recovery bench, run by `npm run bench:recovery`: a replay beside applying the same commands, a start from a snapshot
// beside reading its bytes, and answers while a snapshot is made beside answers while none is. A round that a hypervisor
// disturbs is measured again. It prints a table with the floor beside each figure, and never fails because a machine is
// slow.
import { closeSync, mkdirSync, mkdtempSync, openSync, readSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Exchange } from '../engine/core/index.ts';
import { openExchange } from '../engine/index.ts';
import { JournalReader, ReadAheadThread, readAhead, SnapshotFile, SnapshotFolder } from '../engine/journal/index.ts';
import { READY } from '../engine/journal/readAhead.ts';
import { Reducers } from '../engine/pipeline/index.ts';
import { replayAfter } from '../engine/pipeline/recovery.ts';
import { EventWriter, encodeCommand, type Sections } from '../engine/protocol/index.ts';
import { Catalog } from '../server/catalog/index.ts';
import { SnapshotMaker } from '../server/snapshots/snapshotMaker.ts';
import { StreamFeed } from '../server/streams/feed.ts';
import { Views } from '../server/views/index.ts';
import { optionsOrUsage, wholeNumber } from './lib/options.ts';
import { machine, median, percentile, spread } from './lib/statistics.ts';
import { timed } from './lib/timed.ts';
import { DISTURBED, Undisturbed } from './lib/undisturbed.ts';
import { applyAll, commandsOf, PackedCommands, writeJournal } from './recovery/world.ts';

const USAGE = `npm run bench:recovery -- [options]
  --records N    orders of the long replay, default 1000000
  --few N        orders of the short replay, and of the snapshot beside answers, default 200000
  --orders N     orders of the snapshot that is loaded, default 1000000
  --seconds S    how long answers without a snapshot are measured, default 6
  --rounds N     rounds of replays and of loads, default 5`;

function readOptions() {
  const { values } = parseArgs({
    options: {
      records: { type: 'string', default: '1000000' },
      few: { type: 'string', default: '200000' },
      orders: { type: 'string', default: '1000000' },
      seconds: { type: 'string', default: '6' },
      rounds: { type: 'string', default: '5' },
    },
  });
  const whole = (name: keyof typeof values): number => wholeNumber(name, values[name]);
  return {
    records: whole('records'),
    few: whole('few'),
    orders: whole('orders'),
    seconds: whole('seconds'),
    rounds: whole('rounds'),
  };
}

const options = optionsOrUsage(readOptions, USAGE) ?? process.exit(2);
const { rounds } = options;
/** Commands per call of applyBatch. */
const BATCH_COMMANDS = 1_024;
/** Rounds of answers with and without a snapshot: each takes as long as a snapshot does. */
const ANSWER_ROUNDS = 3;
const undisturbed = new Undisturbed(20);
const folder = mkdtempSync(join(tmpdir(), 'outcry-recovery-'));

const printRow = (what: string, figure: string): void => {
  process.stdout.write(`${what.padEnd(74)} ${figure}\n`);
};
const ms = (value: number): string => `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`;

/** Runs both in turn, several times; prints the medians and the median of their ratios. `prepare` is not timed. */
async function compare(
  what: string,
  floor: string,
  work: () => unknown,
  yardstick: () => unknown,
  prepare: () => unknown = () => {},
): Promise<void> {
  const pairs: [number, number][] = [];
  const pair = async (): Promise<[number, number]> => {
    await prepare();
    return [await timed(work), await timed(yardstick)];
  };
  for (let round = 0; round < rounds; round += 1) pairs.push(await undisturbed.round(pair));
  const ratio = median(pairs.map(([one, other]) => one / other));
  const [one, other] = [median(pairs.map(([first]) => first)), median(pairs.map(([, second]) => second))];
  const { min, max } = spread(pairs.map(([first, second]) => first / second));
  const shown = `${ratio.toFixed(2)}× (${min.toFixed(2)}-${max.toFixed(2)})`;
  printRow(`${what} (floor: ${floor})`, `${shown}: ${ms(one)} beside ${ms(other)}`);
}

const dataDirOf = (name: string): string => {
  const dataDir = join(folder, name);
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(join(dataDir, 'format.json'), '{"format":2}\n');
  return dataDir;
};

async function benchReplay(orders: number): Promise<void> {
  const dataDir = dataDirOf(`replay-${orders}`);
  const commands = new PackedCommands(commandsOf(orders, 50, 30));
  const total = await writeJournal(join(dataDir, 'journal'), commands);
  let thread: ReadAheadThread | undefined;
  const replay = async (): Promise<void> => {
    const reader = new JournalReader(dataDir);
    const source = readAhead(dataDir, 0, total, (sequence) => reader.cursors(sequence), { thread });
    await replayAfter(0, source, new Reducers(), [], { total });
    await reader.close();
    thread = undefined;
  };
  /** As in a server, where the thread warms up while another process checks the journal. */
  const prepare = async (): Promise<void> => {
    thread = new ReadAheadThread();
    while (thread.readiness !== READY.warm) await sleep(5);
  };
  const out = new EventWriter();
  const apply = (): void => {
    const exchange = new Exchange();
    const { times, message, offsets } = commands;
    for (let first = 0; first < total; first += BATCH_COMMANDS) {
      exchange.applyBatch(times, message, offsets, first, Math.min(first + BATCH_COMMANDS, total), out);
    }
  };
  const reduce = (): void => {
    const reducers = new Reducers();
    for (const { tMs, bytes } of commands) reducers.reduce(tMs, bytes);
  };
  await replay();
  apply();
  reduce();
  await compare(`replay of ${total} records beside applyBatch of their commands`, '2×', replay, apply, prepare);
  await compare('  the same where the thread that reads ahead starts with it', 'none', replay, apply);
  await compare('  the replay beside core and registry', 'none', replay, reduce, prepare);
}

async function benchStart(): Promise<void> {
  const { orders } = options;
  const reducers = await applyAll(commandsOf(orders, 0, 0), () => undefined);
  const visitOf = (some: Reducers) => (sections: Sections) => {
    some.core.visit(sections.part('core'));
    some.registry.visit(sections.part('registry'));
  };
  const facts = { sequence: 1, tMs: 0, journalHash: '', versions: {} };
  const snapshots = new SnapshotFolder(dataDirOf('start'));
  const writeMs = await timed(() => snapshots.write(facts, visitOf(reducers)));
  const [{ path }] = snapshots.list();
  const { size } = statSync(path);
  const load = (): void => {
    const fresh = new Reducers();
    new SnapshotFile(path).load(visitOf(fresh));
  };
  const read = (): void => {
    const descriptor = openSync(path, 'r');
    const bytes = new Uint8Array(size);
    for (let done = 0; done < size; ) done += readSync(descriptor, bytes, done, size - done, done);
    closeSync(descriptor);
  };
  load();
  printRow(`a snapshot of ${orders} resting orders`, `${(size / 1e6).toFixed(0)} MB, written in ${ms(writeMs)}`);
  await compare('loading it beside reading its bytes', '3×', load, read);
}

/** Latencies of commands submitted one after the other, every half millisecond or so; ms, sorted. */
async function latencies(submit: () => Promise<unknown>, shouldContinue: () => boolean): Promise<readonly number[]> {
  const found: number[] = [];
  while (shouldContinue()) {
    const startedMs = performance.now();
    await submit();
    found.push(performance.now() - startedMs);
  }
  return found.sort((left, right) => left - right);
}

async function benchAnswers(): Promise<void> {
  const dataDir = dataDirOf('answers');
  await writeJournal(join(dataDir, 'journal'), commandsOf(options.few, 50, 30));
  const views = new Views();
  new Catalog(views); // as in a server: snapshots include the catalog
  const followers = [...views.followers(), ...new StreamFeed(views).followers()];
  const settings = { orderWindowMs: 86_400_000, heartbeatWindowMs: 10_000, minedDelayMs: 0, confirmedDelayMs: 0 };
  const exchange = await openExchange({
    ...{ dataDir, followers, settings: { ...settings, creditMicro: 0 }, acceptClock: true },
  });
  const tick = encodeCommand({ type: 'Tick' });
  const submit = (): Promise<unknown> => exchange.submit(tick);
  const found: AnswersRound[] = [];
  for (let round = 0; round < ANSWER_ROUNDS; round += 1) {
    found.push(
      await undisturbed.round(async () => {
        const endsMs = performance.now() + options.seconds * 1_000;
        const alone = await latencies(submit, () => performance.now() < endsMs);
        return { alone, beside: await besideSnapshot(dataDir, exchange.durableSequence, submit) };
      }),
    );
  }
  await exchange.close();
  const p99Of = (times: readonly number[]): number => percentile(times, 0.99);
  const ratios = spread(found.map(({ alone, beside }) => p99Of(beside) / p99Of(alone)));
  const middle = (of: (round: AnswersRound) => number): string => ms(median(found.map(of)));
  const what = `p99 of durable answers while a snapshot of ${options.few} orders is made`;
  printRow(
    `${what} (floor: 3×)`,
    `${ratios.median.toFixed(2)}× (${ratios.min.toFixed(2)}-${ratios.max.toFixed(2)}): ` +
      `${middle(({ beside }) => p99Of(beside))} beside ${middle(({ alone }) => p99Of(alone))}`,
  );
  const longest = `${middle(({ beside }) => beside.at(-1) ?? 0)} beside ${middle(({ alone }) => alone.at(-1) ?? 0)}`;
  const p50 = `${middle(({ beside }) => percentile(beside, 0.5))} beside ${middle(({ alone }) => percentile(alone, 0.5))}`;
  printRow('  p50, and the longest', `${p50}, ${longest}`);
}

/** Latencies (ms, sorted) while nothing else is done, and while a snapshot is made. */
interface AnswersRound {
  readonly alone: readonly number[];
  readonly beside: readonly number[];
}

/** Starts making a snapshot, and submits commands until it is done. */
async function besideSnapshot(
  dataDir: string,
  sequence: number,
  submit: () => Promise<unknown>,
): Promise<readonly number[]> {
  let made = 0;
  const maker = new SnapshotMaker({
    ...{ dataDir, every: 1 },
    log: (_level, text, figures = {}) => {
      made += 1;
      if (made === 1) printRow('  a snapshot beside it', `${text} ${JSON.stringify(figures)}`);
    },
  });
  maker.opened(0);
  maker.durable(sequence);
  const beside = await latencies(submit, () => made === 0);
  await maker.close();
  return beside;
}

try {
  printRow('machine', `${machine().cpuModel}, load matters: run it alone`);
  await benchReplay(options.records);
  await benchReplay(options.few);
  await benchStart();
  await benchAnswers();
  printRow(DISTURBED, `${undisturbed}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
