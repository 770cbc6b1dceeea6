// What an exchange does with its data directory beside its journal and snapshots: it saves the command of a crash there, and
// leaves the directory to the next process.
import type { DataDirectory } from '../journal/index.ts';
import { commandName, readHex, reasonOf } from '../protocol/index.ts';
import { EngineDefect } from './record.ts';
import type { Log } from './types.ts';

/**
 * Lets the next process into a directory. Not to be called while the journal is left open: a write that hangs may still end. On
 * a disk that takes nothing the lock stays, and the next start takes it over.
 */
export function releaseDirectory(directory: DataDirectory, log: Log | undefined): void {
  try {
    directory.release();
  } catch (error) {
    log?.('warn', 'The lock of the data directory could not be removed; the next start first checks the journal.', {
      reason: reasonOf(error),
    });
  }
}

/** The command at which a reducer has thrown. */
interface FailedCommand {
  readonly sequence: number;
  readonly tMs: number;
  readonly command: Uint8Array;
}

/** The error to stop with after a reducer has thrown at a command, which is saved in the directory, if there is one. */
export function defectOf(
  error: unknown,
  { sequence, tMs, command }: FailedCommand,
  directory: DataDirectory | undefined,
  log: Log,
): EngineDefect {
  const text = reasonOf(error);
  const name = commandName(command);
  const dump = JSON.stringify({
    sequence,
    tMs,
    command: name,
    bytes: readHex(command, 0, command.length),
    error: error instanceof Error ? error.stack : text,
  });
  let file: string | undefined;
  try {
    file = directory?.dumpCrash(`${sequence}-${tMs}.json`, `${dump}\n`);
  } catch (failure) {
    log('error', 'The command of the crash could not be dumped.', { reason: String(failure), dump });
  }
  const where = file === undefined ? '' : ` The command is in ${file}.`;
  return new EngineDefect(`The engine failed at sequence ${sequence} (${name}): ${text}.${where}`, { cause: error });
}
