// The process in which a journal is verified, copied or archived: a truncated or damaged memory-mapped LMDB file can kill
// its reader with a signal, and then another process must be left to report it. Started by journalTask.ts with its task as
// JSON in one argument; it answers in messages.
import {
  archiveJournal,
  copyJournal,
  DataDirectoryLocked,
  isOfSystem,
  reasonOf,
  verifyJournal,
} from '../../engine/index.ts';
import { orderHasher } from '../auth/orderDigest.ts';
import { endWithParent, leaveParent, tellParent } from '../process/childProcess.ts';
import type { JournalMessage, JournalTask } from './journalTask.ts';
import { SignatureCheck } from './orderSignatures.ts';

const report = (message: JournalMessage): void => tellParent(message);

const onProgress = (done: number, total: number): void => report({ kind: 'progress', done, total });

async function run(task: JournalTask): Promise<void> {
  if (task.kind === 'copy') {
    const { dataDir, toFolder, lastSequence } = task;
    report({ kind: 'copied', lastSequence: await copyJournal(dataDir, toFolder, { lastSequence, onProgress }) });
    return;
  }
  if (task.kind === 'archive') {
    report({ kind: 'archived', archived: await archiveJournal(task.dataDir, task.toFolder, { onProgress }) });
    return;
  }
  const { contracts } = task;
  const signatures = contracts === undefined ? undefined : new SignatureCheck(orderHasher(contracts));
  const onRecord = signatures === undefined ? undefined : signatures.checkRecord.bind(signatures);
  const journal = await verifyJournal(task.dataDir, { onRecord, onProgress });
  report({ kind: 'sound', journal, signedOrders: signatures?.orderCount });
}

const FAILURES = {
  verify: 'The journal cannot be read',
  copy: 'The journal cannot be copied',
  archive: 'The journal cannot be archived',
} as const;

function textOf(error: unknown, { kind }: JournalTask): string {
  const text = reasonOf(error);
  return isOfSystem(error) ? `${FAILURES[kind]}: ${text}.` : text;
}

endWithParent(); // a partial copy is then left behind
const task: JournalTask = JSON.parse(process.argv[2]);
try {
  await run(task);
} catch (error) {
  const isNumbered = error instanceof Error && 'sequence' in error && typeof error.sequence === 'number';
  const text = textOf(error, task);
  const sequence = isNumbered ? Number(error.sequence) : undefined;
  report({ kind: 'failed', text, sequence, ...(error instanceof DataDirectoryLocked && { isLocked: true }) });
}
leaveParent();
