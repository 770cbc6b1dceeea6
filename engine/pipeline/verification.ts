// Verifies the journal of a data directory: every checksum, sequence, time and running hash, the replay of every command
// with its events compared byte by byte, and the invariants on the way and at the end. Called by the command `verify`. It
// takes no lock and writes nothing, so it may look at the journal of a running exchange: it sees what is durable.
import { JournalReader, type JournalRecord } from '../journal/index.ts';
import { replayOne } from './recovery.ts';
import { Reducers } from './reducers.ts';
import type { StateHashes } from './types.ts';

/** Records between two looks at all invariants: they cost as much as thousands of commands. */
const INVARIANTS_EVERY = 100_000;
/** The loop is given a turn after this long (ms), so that progress is told and signals are heard. */
const TURN_MS = 50;

/** What the state after a record breaks: conservation of money and shares, or a structure of the core or the registry. */
export class InvariantBroken extends Error {
  override readonly name = 'InvariantBroken';
  readonly sequence: number;

  constructor(sequence: number, cause: unknown) {
    const text = cause instanceof Error ? cause.message : String(cause);
    super(`The state after sequence ${sequence} breaks an invariant: ${text}.`, { cause });
    this.sequence = sequence;
  }
}

export interface VerifyOptions {
  /** Sees every record after its replay; what it throws ends the verification. */
  readonly onRecord?: ((record: JournalRecord) => void) | undefined;
  readonly onProgress?: (done: number, total: number) => void;
}

/** What a sound journal holds. */
export interface VerifiedJournal {
  /** Records, numbered from 1 without a gap. */
  readonly recordCount: number;
  /** Times of the first and the last one (ms); 0 for an empty journal. */
  readonly firstTMs: number;
  readonly lastTMs: number;
  /** How often all invariants were looked at. */
  readonly invariantLooks: number;
  /** Hashes of the state after the last record. */
  readonly hashes: StateHashes;
}

/**
 * Verifies all that is durable when it is called.
 * @throws JournalDamaged, RecoveryDiffers, RulesVersionUnknown or InvariantBroken, each naming the first bad sequence;
 * FormatUnsupported; a plain error where there is no journal
 */
export async function verifyJournal(dataDir: string, options: VerifyOptions = {}): Promise<VerifiedJournal> {
  const reader = new JournalReader(dataDir);
  try {
    return await verifyRecords(reader, options);
  } finally {
    await reader.close();
  }
}

async function verifyRecords(reader: JournalReader, options: VerifyOptions): Promise<VerifiedJournal> {
  const { onRecord = () => {}, onProgress = () => {} } = options;
  const total = reader.lastSequence();
  const reducers = new Reducers();
  let recordCount = 0;
  let firstTMs = 0;
  let lastTMs = 0;
  let invariantLooks = 0;
  const look = (): void => {
    try {
      reducers.checkInvariants();
    } catch (error) {
      throw new InvariantBroken(recordCount, error);
    }
    invariantLooks += 1;
  };
  let turnEndsMs = performance.now() + TURN_MS;
  for (const records of reader.read()) {
    for (const record of records) {
      if (record.sequence > total) break;
      replayOne(record, reducers);
      recordCount = record.sequence;
      if (recordCount === 1) firstTMs = record.tMs;
      lastTMs = record.tMs;
      onRecord(record);
      if (recordCount % INVARIANTS_EVERY === 0) look();
      if (performance.now() < turnEndsMs) continue;
      onProgress(recordCount, total);
      await new Promise<void>((resolve) => setImmediate(resolve));
      turnEndsMs = performance.now() + TURN_MS;
    }
    if (recordCount >= total) break;
  }
  look();
  onProgress(recordCount, total);
  return { recordCount, firstTMs, lastTMs, invariantLooks, hashes: reducers.stateHash() };
}
