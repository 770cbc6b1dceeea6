// Opens the images that a fault left, one after the other, as a start after it would:
// journal, replay, invariants, and the historian's index. Started by images.ts, which
// exchanges lines with it and notices from outside when an image ends this process.

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  FormatUnsupported,
  JournalDamaged,
  JournalReader,
  RecoveryDiffers,
  Reducers,
  RulesVersionUnknown,
  reasonOf,
} from '../../engine/index.ts';
import { replayRecords } from '../../engine/pipeline/recovery.ts';
import { LogFollower } from '../../server/history/follower.ts';
import { JournalSource } from '../../server/history/source.ts';

export interface Image {
  readonly dataDir: string;
  /** The last sequence that was acknowledged before the loss. */
  readonly acknowledged: number;
  /** Calls that were not synced at that moment. */
  readonly waitingCount: number;
}

export interface Checked {
  readonly dataDir: string;
  /** Refused: by name, with a sentence. Lost: it opens, but something acknowledged is missing. */
  readonly outcome: 'opened' | 'refused' | 'lost' | 'died' | 'failed';
  readonly text: string;
  /** The fate of the historian's index. */
  readonly history: 'kept' | 'rebuilt' | 'none' | 'wrong' | 'not opened';
}

/** The last sequence of a journal that is sound to its end; throws what a start would. */
async function replayImage(dataDir: string): Promise<{ readonly last: number; readonly state: string }> {
  const reader = new JournalReader(dataDir);
  try {
    const reducers = new Reducers();
    let last = 0;
    for (const records of reader.read()) {
      replayRecords(records, reducers, (record) => {
        last = record.sequence;
      });
    }
    reducers.checkInvariants();
    return { last, state: JSON.stringify(reducers.stateHash()) };
  } finally {
    await reader.close();
  }
}

/**
 * Opens the index as the historian's thread does, brings it to the
 * journal's end, and compares its orders with those of a fresh index.
 */
async function openIndex(dataDir: string): Promise<Checked['history']> {
  const indexPath = join(dataDir, 'history');
  if (!existsSync(join(indexPath, 'data.mdb'))) return 'none';
  let isDropped = false;
  const ordersOf = async (isFresh: boolean): Promise<string> => {
    const source = new JournalSource(dataDir);
    const onDropped = (): void => {
      isDropped ||= !isFresh;
    };
    const follower = new LogFollower({ indexPath, dataDir, isFresh, recordsPerCommit: 1_000_000 }, source, onDropped);
    await follower.checkJournal();
    while (follower.index() || follower.isCommitting) await new Promise((resolve) => setImmediate(resolve));
    const { sequence, tables } = follower;
    const text = [
      sequence,
      tables.orders.last,
      tables.rows.last,
      tables.accounts.count,
      tables.markets.list.length,
    ].join();
    await follower.close();
    return text;
  };
  const found = await ordersOf(false);
  rmSync(join(indexPath, 'sum.json'), { force: true });
  if (found !== (await ordersOf(true))) return 'wrong';
  return isDropped ? 'rebuilt' : 'kept';
}

const named = [FormatUnsupported, JournalDamaged, RecoveryDiffers, RulesVersionUnknown];

async function checkImage({ dataDir, acknowledged }: Image): Promise<Checked> {
  const checked = (outcome: Checked['outcome'], text: string, history: Checked['history'] = 'not opened'): Checked => ({
    ...{ dataDir, outcome, text, history },
  });
  try {
    if (acknowledged === 0 && !existsSync(join(dataDir, 'journal', 'data.mdb')))
      return checked('opened', 'nothing yet');
    const { last, state } = await replayImage(dataDir);
    if (last < acknowledged) return checked('lost', `the journal ends at ${last}, ${acknowledged} was acknowledged`);
    return checked('opened', `up to ${last}, state ${state}`, await openIndex(dataDir));
  } catch (error) {
    const text = reasonOf(error);
    // A journal still being created has no record: nothing in it was acknowledged, and it is refused by name.
    return checked(named.some((kind) => error instanceof kind) ? 'refused' : 'failed', text);
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await checkImage(JSON.parse(line)))}\n`);
}
