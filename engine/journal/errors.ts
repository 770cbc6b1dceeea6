// The faults of a data directory or its journal: an error class for each, with its figures, from which the start-up can say in
// one sentence what to do. Thrown by the files of this folder and by the pipeline, which refuses commands with one.
import { SnapshotUnusable } from '../protocol/index.ts';
import { lockPathIn } from './files.ts';

/** The journal does not hold what was once acknowledged: `sequence` is the first record that is not sound. */
export class JournalDamaged extends Error {
  override readonly name = 'JournalDamaged';
  readonly sequence: number;
  readonly reason: string;

  constructor(sequence: number, reason: string) {
    super(`The journal is damaged at sequence ${sequence}: ${reason}.`);
    this.sequence = sequence;
    this.reason = reason;
  }
}

/**
 * Where the holder of a data directory lives: in our own pid namespace; in another one (of a container, say), where it answers;
 * or in another one, and it could not be reached.
 */
export type HolderPlace = 'here' | 'elsewhere' | 'unreachable';

/** Another process has the data directory. */
export class DataDirectoryLocked extends Error {
  override readonly name = 'DataDirectoryLocked';
  readonly directory: string;
  readonly pid: number;

  constructor(directory: string, pid: number, place: HolderPlace = 'here') {
    const where = place === 'here' ? '' : ' of another container or of the host machine';
    const advice =
      place === 'unreachable'
        ? ` This program could not check whether that process still runs: if it has ended, remove the file ${lockPathIn(directory)}.`
        : '';
    super(
      `The data directory ${directory} is in use by process ${pid}${where}. ` +
        `Stop that process, or choose another --data-dir.${advice}`,
    );
    this.directory = directory;
    this.pid = pid;
  }
}

/** The data directory was written by a version of the program that this one does not know. */
export class FormatUnsupported extends Error {
  override readonly name = 'FormatUnsupported';
  readonly found: string;
  readonly supported: number;

  constructor(directory: string, found: string, supported: number) {
    super(
      `The data directory ${directory} has format ${found}; this program reads format ${supported}. ` +
        'Use the version of the program that wrote it, or choose another --data-dir to start afresh.',
    );
    this.found = found;
    this.supported = supported;
  }
}

/** Nothing can be made durable at present; `reason` says why. What was acknowledged before is safe, reads go on. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
  readonly reason: string;
  /** Whether the command was accepted before that: it may yet become durable, or may be found after a restart. */
  readonly isUndecided: boolean;

  constructor(reason: string, isUndecided = false) {
    super(
      isUndecided
        ? `It is not known whether the command was accepted: ${reason}`
        : `Commands are not accepted: ${reason}`,
    );
    this.reason = reason;
    this.isUndecided = isUndecided;
  }
}

/** The records asked for were archived, and the archived part cannot be read where it should be. */
export class JournalArchived extends Error {
  override readonly name = 'JournalArchived';
}

/** The snapshot was written by another version of the program, which can still use it: nothing says that it is damaged. */
export class SnapshotOfAnotherVersion extends SnapshotUnusable {}

/** Throws SnapshotOfAnotherVersion with the reason. */
export function requireSameVersion(isSame: boolean, reason: string): asserts isSame {
  if (!isSame) throw new SnapshotOfAnotherVersion(reason);
}
