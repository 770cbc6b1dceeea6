// The process in which a journal is verified: a file that LMDB maps and that is cut off or damaged can end whoever reads
// it with a signal, and then there must be somebody left to say so. Started by verify.ts with one argument, its task as
// JSON; it answers in messages. It writes nothing.
import { verifyJournal } from '../../engine/index.ts';
import { orderHasher } from '../auth/orderDigest.ts';
import { SignatureCheck } from './orderSignatures.ts';
import type { VerifyMessage, VerifyTask } from './verify.ts';

function tell(message: VerifyMessage): void {
  process.send?.(message);
}

/** The first bad sequence that an error names. */
function sequenceOf(error: unknown): number | undefined {
  return error instanceof Error && 'sequence' in error && typeof error.sequence === 'number'
    ? error.sequence
    : undefined;
}

async function run({ dataDir, contracts }: VerifyTask): Promise<void> {
  const signatures = contracts === undefined ? undefined : new SignatureCheck(orderHasher(contracts));
  try {
    const journal = await verifyJournal(dataDir, {
      onRecord: (record) => signatures?.see(record),
      onProgress: (done, total) => tell({ kind: 'progress', done, total }),
    });
    tell({ kind: 'sound', journal, signedOrders: signatures?.orderCount });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    tell({ kind: 'unsound', text, sequence: sequenceOf(error) });
  }
}

const task: VerifyTask = JSON.parse(process.argv[2]);
await run(task);
process.disconnect?.();
