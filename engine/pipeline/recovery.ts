// Recovery: every record of the journal that is not in a snapshot goes through the reducers again, and the events that they
// produce must be, byte by byte, those that were recorded and acknowledged. Called once when an exchange opens, when a snapshot
// is made, and by verification. It writes nothing.
import { AHEAD_MAX } from '../core/index.ts';
import { JournalRecord, type PackedRecords, packRecords, RECORD_AT, RECORD_HEADER_BYTES } from '../journal/index.ts';
import {
  commandLayouts,
  commandName,
  decodeCommand,
  decodeEvents,
  type EventWriter,
  Message,
  RulesVersion,
  reasonOf,
} from '../protocol/index.ts';
import { LoopTurn } from './loopTurn.ts';
import { applyToFollowers, DecodedRecord } from './record.ts';
import type { Reducers } from './reducers.ts';
import type { Follower } from './types.ts';

/** The versions whose results this program can still reproduce. */
const KNOWN_RULES_VERSIONS: readonly number[] = Object.values(RulesVersion);
/** How long (ms) a replay runs before signals are handled. */
const TURN_MS = 50;
const STARTED_TYPE = commandLayouts.Started.type;

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

/** Replaying a record produced other events than the recorded ones. */
export class RecoveryDiffers extends Error {
  override readonly name = 'RecoveryDiffers';
  readonly sequence: number;

  constructor(sequence: number, difference: string, cause?: unknown) {
    super(
      `Replaying the journal gave a different result at sequence ${sequence}: ${difference}. The exchange does not start, ` +
        'because what was acknowledged would change.',
      { cause },
    );
    this.sequence = sequence;
  }
}

/** Where a replay ended: the last record, its time (ms) and the running hash (hex) after it; '' when there was none. */
export interface ReplayEnd {
  readonly sequence: number;
  readonly tMs: number;
  readonly journalHash: string;
}

interface ReplayOptions {
  /** The last record to replay. */
  readonly total: number;
  /** Called with how many records were replayed, of how many. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/**
 * Replays the records after `from` (0: all) into reducers and followers that hold everything up to it. Throws
 * RecoveryDiffers, RulesVersionUnknown or the journal's JournalDamaged, each naming the sequence.
 */
export async function replayAfter(
  from: number,
  source: Iterable<PackedRecords> | AsyncIterable<PackedRecords>,
  reducers: Reducers,
  followers: readonly Follower[],
  { total, onProgress = () => {} }: ReplayOptions,
): Promise<ReplayEnd> {
  let end: ReplayEnd = { sequence: from, tMs: 0, journalHash: '' };
  const turn = new LoopTurn(TURN_MS);
  for await (const packed of source) {
    const { buffer, firstSequence, count, commandAt, hash } = packed;
    // Shared memory is reused for later packs: followers, which may keep their records, get a copy.
    const isReused = buffer instanceof SharedArrayBuffer && followers.length > 0;
    const kept = isReused ? buffer.slice(0) : buffer;
    const [batch, view] = [Buffer.from(kept), new DataView(kept)];
    const recordOf = (index: number) => new JournalRecord(batch, view, commandAt[index] - RECORD_HEADER_BYTES);
    replayPacked(packed, reducers, (index) => {
      if (followers.length > 0) applyToFollowers(followers, new DecodedRecord(recordOf(index)));
    });
    end = { sequence: firstSequence + count - 1, tMs: recordOf(count - 1).tMs, journalHash: hash };
    if (!turn.isOver) continue;
    onProgress(end.sequence - from, total - from);
    await turn.next();
  }
  if (total > from) onProgress(total - from, total - from);
  return end;
}

/** Replays consecutive records, and calls `onReplayed` with each. Throws as replayPacked does. */
export function replayRecords(
  records: readonly JournalRecord[],
  reducers: Reducers,
  onReplayed: (record: JournalRecord) => void,
): void {
  if (records.length === 0) return;
  replayPacked(packRecords(records), reducers, (index) => onReplayed(records[index]));
}

/**
 * Runs the commands of packed records through the reducers again, compares the events of each with the recorded ones, and
 * then calls `onReplayed` with the record's index. Throws RecoveryDiffers or RulesVersionUnknown, naming the sequence.
 */
function replayPacked(packed: PackedRecords, reducers: Reducers, onReplayed: (index: number) => void): void {
  const { count, commandAt } = packed;
  const message = new Message(packed.buffer);
  for (let first = 0; first < count; first += AHEAD_MAX) {
    const last = Math.min(first + AHEAD_MAX, count);
    reducers.core.lookAhead(message, commandAt, first, last);
    for (let index = first; index < last; index += 1) {
      replayOne(packed, message, index, reducers);
      onReplayed(index);
    }
  }
}

function replayOne(packed: PackedRecords, message: Message, index: number, reducers: Reducers): void {
  const sequence = packed.firstSequence + index;
  const { words, doubles } = message;
  const at = packed.commandAt[index];
  const start = at - RECORD_HEADER_BYTES;
  const bytes = words[(start + RECORD_AT.commandBytes) >> 2];
  if (message.bytes[at + 1] === STARTED_TYPE) assertRulesKnown(sequence, message.bytes.subarray(at, at + bytes));
  try {
    reducers.reduceAt(doubles[(start + RECORD_AT.tMs) >> 3], message, at, bytes);
  } catch (error) {
    const name = commandName(message.bytes.subarray(at, at + bytes));
    throw new RecoveryDiffers(sequence, `the ${name} now fails: ${reasonOf(error)}`, error);
  }
  const { out } = reducers;
  const eventsAt = at + bytes;
  const end = start + words[(start + RECORD_AT.length) >> 2];
  if (end - eventsAt === out.length && isSameAt(message, eventsAt, out)) return;
  throw new RecoveryDiffers(
    sequence,
    differenceOf(message.bytes.subarray(eventsAt, end), out.bytes.subarray(0, out.length)),
  );
}

/** Whether the message holds the same bytes from `start` on as `out`, whose length is a whole number of words. */
function isSameAt({ view }: Message, start: number, { length, words }: EventWriter): boolean {
  const count = length >> 2;
  for (let i = 0; i < count; i += 1) if (view.getInt32(start + i * 4, true) !== words[i]) return false;
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
    return `its events cannot be read (${reasonOf(error)})`;
  }
}
