// The flags of the commands that the tests offer (simulate, mutate, crash, powerloss): all of them read theirs here, and end with
// the same status when they are invalid.
import type { Command } from 'commander';
import { endWithReader } from '../../bench/lib/endWithReader.ts';

/** Status of a command that was asked for something impossible, as of the benches. Status 1 says that a fault was found. */
const USAGE_STATUS = 2;

/**
 * The flags given to this process, by the program's options. An invalid one, or a later `program.error`, prints its sentence
 * and ends the process with status 2. From here on, it also ends when nobody reads its output any more.
 */
export function flagsOf<Flags extends object>(program: Command): Flags {
  endWithReader();
  program.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : USAGE_STATUS));
  return program.parse().opts<Flags>();
}
