// A process under the shim that goes through one failing disk after the other: an exchange in a fresh folder, whose n-th
// call to the file system fails, once or for ever, is used, closed, and opened again without the fault. It prints a line
// for each, with what was wrong. Started by ioFaults.test.ts; arguments: folder, first n, last n, step, error number.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { JournalReader, openExchange, StorageUnavailable } from '../../engine/index.ts';
import { commandsOf, settings, submitFounding } from '../pipeline/workload.ts';
import { CONTROL_FILE } from './shim.ts';

const [folder, first, last, step, errorNumber] = process.argv.slice(2);
const COMMANDS = 260;
const A_ROUND = 2;
const retry = { firstDelayMs: 1, largestDelayMs: 2, triesMax: 3 } as const;
const control = join(folder, CONTROL_FILE);
writeFileSync(control, '');

// As in the server: lmdb raises a second rejection for a failed commit, which nobody can catch.
process.on('unhandledRejection', (reason) => {
  if (reason instanceof Error && 'commitError' in reason) return;
  throw reason;
});

/** The commands of a run by their answers, and the defect that ended it. */
interface Answers {
  readonly done: Set<string>;
  readonly refused: Set<string>;
  readonly undecided: Set<string>;
  fatal: string | undefined;
}

const textOf = (command: Uint8Array): string => Buffer.from(command).toString('hex');

/** Uses an exchange whose disk fails; every answer is recorded. */
async function work(dataDir: string, order: string, answers: Answers): Promise<void> {
  const parts = { retry, answerMsMax: 20 };
  const onFatal = (error: Error): void => {
    answers.fatal = error.message;
  };
  const exchange = await openExchange({ dataDir, settings, followers: [], onFatal }, parts);
  await submitFounding(exchange);
  writeFileSync(control, order);
  const commands = commandsOf(7, () => exchange.now());
  for (let count = 0; count < COMMANDS; count += A_ROUND) {
    const round = Array.from({ length: A_ROUND }, () => Buffer.from(commands.next().value));
    await Promise.all(
      round.map((command) =>
        exchange.submit(command).then(
          () => answers.done.add(textOf(command)),
          (error: unknown) => {
            if (!(error instanceof StorageUnavailable)) throw error;
            (error.isUndecided ? answers.undecided : answers.refused).add(textOf(command));
          },
        ),
      ),
    );
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await exchange.close();
  writeFileSync(control, 'off');
}

/** Compares the journal with the answers, and checks that an exchange starts from it. */
async function check(dataDir: string, answers: Answers): Promise<string[]> {
  const stored = new Set<string>();
  const reader = new JournalReader(dataDir);
  for (const records of reader.read()) for (const { command } of records) stored.add(textOf(command));
  await reader.close();
  const wrong: string[] = [];
  for (const command of answers.done) if (!stored.has(command)) wrong.push('an acknowledged command is lost');
  for (const command of answers.refused) {
    if (stored.has(command) && !answers.done.has(command) && !answers.undecided.has(command)) wrong.push('a ghost');
  }
  const exchange = await openExchange({ dataDir, settings, followers: [] });
  exchange.checkInvariants();
  await exchange.close();
  return wrong;
}

for (let n = Number(first); n <= Number(last); n += Number(step)) {
  for (const count of [1, 0]) {
    const dataDir = join(folder, `fault-${n}-${count}`);
    mkdirSync(dataDir);
    const answers: Answers = { done: new Set(), refused: new Set(), undecided: new Set(), fatal: undefined };
    const wrong: string[] = [];
    try {
      await work(dataDir, `fail ${n} ${errorNumber} ${count}`, answers);
      writeFileSync(control, 'off');
      wrong.push(...(await check(dataDir, answers)));
    } catch (error) {
      writeFileSync(control, 'off');
      wrong.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
    const { done, refused, undecided, fatal } = answers;
    process.stdout.write(
      `${JSON.stringify({ n, count, done: done.size, refused: refused.size, undecided: undecided.size, fatal, wrong })}\n`,
    );
    rmSync(dataDir, { recursive: true, force: true });
  }
}
process.stdout.write('end\n');
