// What a core must do on fixed sequences of commands: events, due times and books by the reference exchange, hashes and
// answers of the unchanged core; and that core's effort. Recorded once by main.ts, written to a file, and compared with every
// mutant by worker.ts.
import { readFileSync, writeFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { Exchange } from '../../engine/core/index.ts';
import { type Command, type EngineEvent, EventWriter, encodeCommand } from '../../engine/protocol/index.ts';
import { Generator, type TimedCommand } from '../model/generator.ts';
import { walletOf } from '../model/names.ts';
import { ReferenceExchange } from '../model/reference.ts';
import { asideAnswers, fewOwners } from './asides.ts';
import { corruptions, type FoundCorruption } from './corruption.ts';
import { crowd } from './crowd.ts';
import { damagedLoadOutcomes } from './damagedSnapshots.ts';
import { effortOf } from './effort.ts';
import { acceptAnyAge, payHalf } from './hairs.ts';
import { lookalikes } from './lookalikes.ts';

interface TracedCommand {
  readonly tMs: number;
  readonly bytes: Uint8Array;
  readonly events: Uint8Array;
  readonly nextDueMs: number;
}

export interface Trace {
  readonly name: string;
  readonly commands: readonly TracedCommand[];
  /** Everything that can be asked of the core, after this many commands. */
  readonly checkpoints: readonly { readonly after: number; readonly text: string }[];
  /**
   * What the invariants report on damage to the state after this many
   * commands, and how loading responds to damage to its snapshot.
   */
  readonly corrupted:
    | {
        readonly after: number;
        readonly found: readonly FoundCorruption[];
        readonly loadOutcomes: readonly string[];
        /** The core's answers to the questions of asides.ts. */
        readonly asideAnswers: readonly string[];
      }
    | undefined;
}

/** What a core must do, and what the unchanged one does for time and memory. */
export interface Recording {
  readonly traces: readonly Trace[];
  readonly effort: string;
}

/** The name of the trace of a crowd. */
export const CROWD = 'crowd';
const CHECKPOINT_EVERY = 60;
/** How many accounts, opened or not, are asked for their balances. */
const ACCOUNTS_ASKED = 40;
/** The checks of the state are themselves checked on these traces, after this many commands or at their end. */
const CORRUPTED: ReadonlyMap<string, number> = new Map([
  ['seed 3', 420],
  ['few owners', Infinity],
  ['half paid', Infinity],
]);

/** A core's answers to every question, as one text. */
export function askEverything(core: Exchange): string {
  core.checkInvariants();
  const marketCount = marketsIn(core);
  const parts = [core.stateHash(), core.idSetHash()];
  for (let market = 0; market < marketCount; market += 1) {
    const { bids, asks } = core.bookLevels(market);
    parts.push([...bids, ...asks].map(({ pips, lots }) => `${lots}@${pips}`).join(' '));
  }
  for (let account = 0; account < ACCOUNTS_ASKED; account += 1) {
    const shares = Array.from({ length: marketCount * 2 }, (_, key) => core.sharesMicro(account, key >> 1, key & 1));
    parts.push(`${core.collateralMicro(account)} ${shares.join(' ')}`);
  }
  for (let owner = 0; owner < 8; owner += 1) parts.push(String(core.accountIdOf(walletOf(owner, 0))));
  return parts.join('\n');
}

/** The events of the reference as the core would encode them. */
function encodeEvents(events: readonly EngineEvent[]): Uint8Array {
  const writer = new EventWriter();
  writer.begin();
  for (const event of events) writer.write(event);
  writer.finish();
  return writer.bytes.slice(0, writer.length);
}

function record(
  name: string,
  timed: readonly TimedCommand[],
  expected: readonly (readonly EngineEvent[])[] | undefined,
): Trace {
  const core = new Exchange();
  const writer = new EventWriter();
  const commands: TracedCommand[] = [];
  const checkpoints: { after: number; text: string }[] = [];
  let corrupted: Trace['corrupted'];
  for (const [index, { tMs, command }] of timed.entries()) {
    const bytes = encodeCommand(command);
    writer.begin();
    core.apply(tMs, bytes, writer);
    writer.finish();
    const events = writer.bytes.slice(0, writer.length);
    const expectedEvents = expected === undefined ? events : encodeEvents(expected[index]);
    if (Buffer.compare(events, expectedEvents) !== 0)
      throw new Error(`${name}: core and reference differ at command ${index}`);
    commands.push({ tMs, bytes, events, nextDueMs: core.nextDueMs() });
    const isCheckpoint =
      expected === undefined ? index === timed.length - 1 : index % CHECKPOINT_EVERY === CHECKPOINT_EVERY - 1;
    if (isCheckpoint) checkpoints.push({ after: index, text: askEverything(core) });
    if (index === Math.min(CORRUPTED.get(name) ?? Number.NaN, timed.length - 1)) {
      const loadOutcomes = damagedLoadOutcomes(core, Exchange);
      corrupted = { after: index, found: corruptions(core), loadOutcomes, asideAnswers: asideAnswers(Exchange) };
    }
  }
  return { name, commands, checkpoints, corrupted };
}

/** The number of markets, counted through the public interface. */
function marketsIn(core: Exchange): number {
  let count = 0;
  for (;;) {
    try {
      core.bookLevels(count);
    } catch {
      return count;
    }
    count += 1;
  }
}

/**
 * Records `seeds` sequences of the model's generator with this many commands each, one crowd, one exchange that accepts orders
 * of any age, one with few owners, one with keys and amounts that look like others, and one that has paid half; and the effort.
 */
export function writeRecording(file: string, seeds: number, commands: number): void {
  const traces: Trace[] = [];
  for (let seed = 1; seed <= seeds; seed += 1) {
    const generator = new Generator(seed);
    const reference = new ReferenceExchange();
    const timed: TimedCommand[] = [];
    const expected: (readonly EngineEvent[])[] = [];
    while (timed.length < commands) {
      const next = generator.next(reference.state);
      timed.push(next);
      expected.push(reference.apply(next.tMs, next.command));
    }
    traces.push(record(`seed ${seed}`, timed, expected));
  }
  for (const [name, play] of [
    [CROWD, crowd],
    ['any age', acceptAnyAge],
    ['few owners', fewOwners],
    ['lookalikes', lookalikes],
    ['half paid', payHalf],
  ] as const) {
    const timed: TimedCommand[] = [];
    play((tMs: number, command: Command) => timed.push({ tMs, command }));
    traces.push(record(name, timed, undefined));
  }
  const recording: Recording = { traces, effort: effortOf(Exchange) };
  writeFileSync(file, serialize(recording));
}

export function readRecording(file: string): Recording {
  return deserialize(readFileSync(file)) as Recording; // writeRecording wrote it
}
