// Verifies the journal of a data directory: every checksum, sequence, time and running hash, the replay of every command
// with its events compared byte by byte, the invariants on the way and at the end, and each snapshot when the replay reaches
// its record. Called by the command `verify`. It takes no lock and writes nothing, so it may verify the journal of a running
// exchange: it sees what is durable.
import { existsSync } from 'node:fs';
import { JournalReader, type JournalRecord, type KeptSnapshot, SnapshotFolder } from '../journal/index.ts';
import { reasonOf } from '../protocol/index.ts';
import { LoopTurn } from './loopTurn.ts';
import { replayRecords } from './recovery.ts';
import { Reducers } from './reducers.ts';
import { snapshotFault } from './snapshot.ts';
import type { StateHashes } from './types.ts';

/** Records between two checks of all invariants, which cost as much as thousands of commands. */
const INVARIANTS_EVERY = 100_000;
/** How long (ms) a verification runs before progress is reported and signals are handled. */
const TURN_MS = 50;

/** The state after a record breaks an invariant: conservation of money and shares, or one of a structure of either reducer. */
class InvariantBroken extends Error {
  override readonly name = 'InvariantBroken';
  readonly sequence: number;

  constructor(sequence: number, cause: unknown) {
    super(`The state after sequence ${sequence} breaks an invariant: ${reasonOf(cause)}.`, { cause });
    this.sequence = sequence;
  }
}

interface VerifyOptions {
  /** Called with every record after its replay; what it throws ends the verification. */
  readonly onRecord?: ((record: JournalRecord) => void) | undefined;
  readonly onProgress?: (done: number, total: number) => void;
}

/** The result of verifying a sound journal. */
export interface VerifiedJournal {
  /** Records, numbered from 1 without a gap. */
  readonly recordCount: number;
  /** Times of the first and the last one (ms); 0 for an empty journal. */
  readonly firstTMs: number;
  readonly lastTMs: number;
  /** How often all invariants were checked. */
  readonly invariantLooks: number;
  /** Number of snapshots that hold the state that the replay had after their record. */
  readonly snapshotCount: number;
  /** The faults of other snapshots, a sentence each. The journal is sound in spite of them. */
  readonly snapshotFaults: readonly string[];
  /** Snapshots of another version of the program, which alone can check them, a sentence each. */
  readonly foreignSnapshots: readonly string[];
  /** Hashes of the state after the last record. */
  readonly hashes: StateHashes;
}

/**
 * Verifies everything that is durable at the time of the call.
 * @throws JournalDamaged, RecoveryDiffers, RulesVersionUnknown or InvariantBroken, each naming the first bad sequence;
 * FormatUnsupported; a plain error where there is no journal, or for a snapshot that the system does not let us read now
 */
export async function verifyJournal(dataDir: string, options: VerifyOptions = {}): Promise<VerifiedJournal> {
  const reader = new JournalReader(dataDir);
  try {
    return await verifyRecords(reader, new SnapshotFolder(dataDir).list(), options);
  } finally {
    await reader.close();
  }
}

async function verifyRecords(
  reader: JournalReader,
  snapshots: readonly KeptSnapshot[],
  options: VerifyOptions,
): Promise<VerifiedJournal> {
  const { onRecord = () => {}, onProgress = () => {} } = options;
  const total = reader.lastSequence();
  const reducers = new Reducers();
  let recordCount = 0;
  let firstTMs = 0;
  let lastTMs = 0;
  let invariantLooks = 0;
  const checkInvariants = (): void => {
    try {
      reducers.checkInvariants();
    } catch (error) {
      throw new InvariantBroken(recordCount, error);
    }
    invariantLooks += 1;
  };
  const checks = new SnapshotChecks(snapshots, reducers);
  const turn = new LoopTurn(TURN_MS);
  const replayed = (record: JournalRecord): void => {
    recordCount = record.sequence;
    if (recordCount === 1) firstTMs = record.tMs;
    lastTMs = record.tMs;
    onRecord(record);
    checks.replayed(record);
    if (recordCount % INVARIANTS_EVERY === 0) checkInvariants();
  };
  for (const records of reader.read()) {
    replayRecords(
      records.filter(({ sequence }) => sequence <= total),
      reducers,
      replayed,
    );
    if (recordCount >= total) break;
    if (!turn.isOver) continue;
    onProgress(recordCount, total);
    await turn.next();
  }
  checkInvariants();
  onProgress(recordCount, total);
  return { recordCount, firstTMs, lastTMs, invariantLooks, ...checks.findings(), hashes: reducers.stateHash() };
}

/** Checks each snapshot when the replay reaches its last record. */
class SnapshotChecks {
  /** Newest first. */
  private readonly waiting: KeptSnapshot[];
  private readonly reducers: Reducers;
  private soundCount = 0;
  private readonly faults: string[] = [];
  private readonly foreign: string[] = [];

  constructor(snapshots: readonly KeptSnapshot[], reducers: Reducers) {
    this.waiting = [...snapshots];
    this.reducers = reducers;
  }

  replayed(record: JournalRecord): void {
    const snapshot = this.waiting.at(-1);
    if (snapshot?.sequence !== record.sequence) return;
    this.waiting.pop();
    const fault = snapshotFault(snapshot, this.reducers, record);
    if (fault === undefined) {
      this.soundCount += 1;
      return;
    }
    if (!existsSync(snapshot.path)) return; // the exchange has removed it for a newer one
    (fault.isOfAnotherVersion ? this.foreign : this.faults).push(fault.text);
  }

  /** The findings after the whole replay: a snapshot that still waits ends with a record that the journal does not have. */
  findings(): Pick<VerifiedJournal, 'snapshotCount' | 'snapshotFaults' | 'foreignSnapshots'> {
    const beyondEnd = this.waiting.map(({ path }) => `${path}: the journal has no such record.`);
    const snapshotFaults = [...this.faults, ...beyondEnd];
    return { snapshotCount: this.soundCount, snapshotFaults, foreignSnapshots: this.foreign };
  }
}
