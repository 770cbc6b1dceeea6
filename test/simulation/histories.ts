// The historian at the end of a simulated log: its index is built in place from what the disk holds, and its answers are
// compared with the historian's referee. Used by run.ts on some seeds. It never looks at the exchange.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { LogRecord } from '../../engine/index.ts';
import { keccak256 } from '../../server/auth/keccak.ts';
import { answer } from '../../server/history/answer.ts';
import { AnswerMemory } from '../../server/history/answerMemory.ts';
import { LogFollower } from '../../server/history/follower.ts';
import { beginSlice } from '../../server/history/slice.ts';
import { BatchQueue } from '../../server/history/source.ts';
import type { Tables } from '../../server/history/tables.ts';
import type { HistoryRequest } from '../../server/wire/historyQueries.ts';
import { Oracle } from '../history/oracle.ts';
import { oracleAnswer } from '../history/oracleAnswers.ts';
import { everything, KINDS } from '../history/questions.ts';
import { fail } from './audit.ts';
import type { Disk } from './disk.ts';

/** About how many orders are asked for. */
const ORDERS_ASKED = 40;
/** Every wallet has ten questions, five in two dialects: a step without a factor in common with ten meets each of them. */
const WALLETS_STEP = 3;

/** The hash of a split, merge or redemption: keccak256 of the sequence and the index of its event, both as 64-bit numbers. */
function hashOfOther(sequence: number, index: number): string {
  const bytes = Buffer.alloc(16);
  bytes.writeBigUInt64BE(BigInt(sequence), 0);
  bytes.writeBigUInt64BE(BigInt(index), 8);
  return `0x${Buffer.from(keccak256(bytes)).toString('hex')}`;
}

/** Builds the index of a log and compares its answers; returns the number of questions asked. */
export async function compareHistories(disk: Disk, records: readonly LogRecord[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'outcry-simulation-'));
  const source = new BatchQueue();
  for (const { bytes } of disk.batches) source.add(Buffer.from(bytes));
  const settings = { indexPath: join(folder, 'history'), dataDir: undefined, isFresh: true, recordsPerCommit: 2_000 };
  const follower = new LogFollower(settings, source, () => {});
  try {
    const last = records.length;
    while (follower.sequence < last) if (!follower.index()) await follower.commit();
    const oracle = new Oracle(records, hashOfOther);
    const requests = requestsAbout(oracle);
    for (const request of requests) {
      const text = textOf(follower.tables, request);
      const found: unknown = text === undefined ? undefined : JSON.parse(text);
      const due = oracleAnswer(oracle, request);
      if (!isDeepStrictEqual(found, due)) {
        const [is, should] = [found, due].map((value) => JSON.stringify(value)?.slice(0, 2_000));
        fail(`the historian answers ${request.query.kind}`, { request: JSON.stringify(request), is, should });
      }
    }
    return requests.length;
  } finally {
    await follower.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Questions of every kind in both dialects: all about the whole log, and of those about single wallets and orders a sample,
 * since a history would otherwise take several times as long.
 */
function requestsAbout(oracle: Oracle): HistoryRequest[] {
  const all = everything(oracle);
  const subjectOf = ({ query }: HistoryRequest): 'order' | 'wallet' | 'all' => {
    if (query.kind === 'order') return 'order';
    return 'user' in query && query.user !== undefined ? 'wallet' : 'all';
  };
  const of = (subject: ReturnType<typeof subjectOf>) => all.filter((request) => subjectOf(request) === subject);
  const ofOrders = of('order');
  // The dialects take turns: an odd step meets both.
  const ordersStep = Math.floor(ofOrders.length / ORDERS_ASKED) | 1;
  const requests = [...of('all'), ...everyNth(of('wallet'), WALLETS_STEP), ...everyNth(ofOrders, ordersStep)];
  const asked = new Set(requests.map(({ query, dialect }) => `${query.kind} ${dialect}`));
  // A scenario may be too short to have wallets and orders.
  if (oracle.orders.size > 0 && asked.size < 2 * KINDS.length) {
    fail('the historian is asked all kinds of questions in both dialects', { asked: [...asked].join(', ') });
  }
  return requests;
}

const everyNth = <Item>(items: readonly Item[], step: number): Item[] => items.filter((_, index) => index % step === 0);

function textOf(tables: Tables, request: HistoryRequest): string | undefined {
  const work = answer(tables, request, new AnswerMemory());
  for (;;) {
    beginSlice();
    const { done, value } = work.next();
    if (done === true) return value === undefined ? undefined : Buffer.from(value).toString('utf8');
  }
}
