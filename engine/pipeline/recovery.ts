// Recovery: every record of the journal that is not in a snapshot goes through the reducers again, and the events that they
// produce must be, byte by byte, those that were recorded and acknowledged. Called once when an exchange opens, by whoever
// makes snapshots, and by verification. It writes nothing.
import { hashBehind, type JournalRecord } from '../journal/index.ts';
import { commandLayouts, commandName, decodeCommand, decodeEvents } from '../protocol/index.ts';
import { applyToFollowers, DecodedRecord } from './record.ts';
import type { Reducers } from './reducers.ts';
import type { Follower } from './types.ts';

/** Version of the rules that this program applies: raised when a release changes the result of any command. */
export const RULES_VERSION = 1;
/** The versions whose results this program can still reproduce. */
const KNOWN_RULES_VERSIONS: readonly number[] = [1];
/** The loop is given a turn after this long (ms), so that signals are heard during a long replay. */
const TURN_MS = 50;
/** The clock is looked at once in so many records. */
const RECORDS_A_LOOK = 64;
/** Events up to this length (bytes) are compared here, word by word. */
const SHORT_BYTES = 512;

/** The journal was written under rules that this program does not know. */
export class RulesVersionUnknown extends Error {
  override readonly name = 'RulesVersionUnknown';
  readonly sequence: number;

  constructor(sequence: number, version: number) {
    super(
      `The journal was written under rules version ${version} from sequence ${sequence} on; this program knows ` +
        `${KNOWN_RULES_VERSIONS.join(', ')}. Use the version of the program that wrote it, or a newer one.`,
    );
    this.sequence = sequence;
  }
}

/** Replaying a record gave other events than those that were recorded. */
export class RecoveryDiffers extends Error {
  override readonly name = 'RecoveryDiffers';
  readonly sequence: number;

  constructor(sequence: number, difference: string, cause?: unknown) {
    super(
      `Replaying the journal gave another result at sequence ${sequence}: ${difference}. The exchange does not start, ` +
        'because what was acknowledged would change.',
      { cause },
    );
    this.sequence = sequence;
  }
}

/** Where a replay ended: the last record, its time (ms) and the running hash (hex) behind it; '' when there was none. */
export interface ReplayEnd {
  readonly sequence: number;
  readonly tMs: number;
  readonly journalHash: string;
}

/** What a replay reads: a journal, or a reader of one. */
export interface RecordSource {
  read(fromSequence: number): Iterable<readonly JournalRecord[]>;
}

export interface ReplayOptions {
  /** The last record to replay. */
  readonly total: number;
  /** Records replayed, of how many. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/**
 * Replays the records after `from` (0: all) into reducers and followers that hold everything up to it. Throws
 * RecoveryDiffers, RulesVersionUnknown or the journal's JournalDamaged, each naming the sequence.
 */
export async function replayAfter(
  from: number,
  source: RecordSource,
  reducers: Reducers,
  followers: readonly Follower[],
  { total, onProgress = () => {} }: ReplayOptions,
): Promise<ReplayEnd> {
  let last: JournalRecord | undefined;
  let turnEndsMs = performance.now() + TURN_MS;
  // From the record that is known already, so that the one after it is held against it too.
  for (const records of source.read(Math.max(1, from))) {
    for (const record of records) {
      if (record.sequence <= from || record.sequence > total) continue;
      last = record;
      replayOne(record, reducers);
      if (followers.length > 0) applyToFollowers(followers, new DecodedRecord(record));
      if (record.sequence % RECORDS_A_LOOK !== 0 || performance.now() < turnEndsMs) continue;
      onProgress(record.sequence - from, total - from);
      await new Promise<void>((resolve) => setImmediate(resolve));
      turnEndsMs = performance.now() + TURN_MS;
    }
    if ((last?.sequence ?? from) >= total) break;
  }
  if (total > from) onProgress(total - from, total - from);
  return last === undefined
    ? { sequence: from, tMs: 0, journalHash: '' }
    : { sequence: last.sequence, tMs: last.tMs, journalHash: hashBehind(last) };
}

/**
 * Puts one record's command through the reducers again and compares its events with those that were recorded.
 * Throws RecoveryDiffers or RulesVersionUnknown, naming the sequence.
 */
export function replayOne(record: JournalRecord, reducers: Reducers): void {
  const { sequence, tMs, command } = record;
  if (command[1] === commandLayouts.Started.type) assertRulesKnown(sequence, command);
  try {
    reducers.reduce(tMs, command);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new RecoveryDiffers(sequence, `the ${commandName(command)} fails now: ${text}`, error);
  }
  const { out } = reducers;
  if (isSameEvents(record, out.bytes, out.length)) return;
  throw new RecoveryDiffers(sequence, differenceOf(record.events, out.bytes.subarray(0, out.length)));
}

/** Most events are short: the call of a library would take longer than the comparison. */
function isSameEvents({ batch, view, eventsStart, end }: JournalRecord, bytes: Uint8Array, length: number): boolean {
  if (end - eventsStart !== length) return false;
  if (length > SHORT_BYTES) return batch.compare(bytes, 0, length, eventsStart, end) === 0;
  const whole = length - (length % 4);
  for (let at = 0; at < whole; at += 4) {
    const word = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
    if (view.getInt32(eventsStart + at, true) !== word) return false;
  }
  for (let at = whole; at < length; at += 1) if (batch[eventsStart + at] !== bytes[at]) return false;
  return true;
}

function assertRulesKnown(sequence: number, bytes: Uint8Array): void {
  const command = decodeCommand(bytes);
  if (command.type === 'Started' && !KNOWN_RULES_VERSIONS.includes(command.rulesVersion)) {
    throw new RulesVersionUnknown(sequence, command.rulesVersion);
  }
}

/** The first event that differs, as text. */
function differenceOf(recorded: Uint8Array, replayed: Uint8Array): string {
  try {
    const before = decodeEvents(recorded).map((event) => JSON.stringify(event));
    const after = decodeEvents(replayed).map((event) => JSON.stringify(event));
    const index = before.findIndex((event, i) => event !== after[i]);
    const at = index < 0 ? before.length : index;
    return `event ${at + 1} was ${before[at] ?? 'not there'} and now is ${after[at] ?? 'not there'}`;
  } catch (error) {
    return `its events cannot be read (${error instanceof Error ? error.message : String(error)})`;
  }
}
