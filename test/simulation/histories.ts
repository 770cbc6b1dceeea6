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
import type { HistoryRequest } from '../../server/history/queries.ts';
import { beginSlice } from '../../server/history/slice.ts';
import { BatchQueue } from '../../server/history/source.ts';
import type { Tables } from '../../server/history/tables.ts';
import { Oracle } from '../history/oracle.ts';
import { oracleAnswer } from '../history/oracleAnswers.ts';
import { everything, KINDS } from '../history/questions.ts';
import { fail } from './audit.ts';
import type { Disk } from './disk.ts';

/** About how many orders are asked for; every other question that there is about a log is asked. */
const ORDERS_ASKED = 40;

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

/** Questions of every kind in both dialects, of which those for single orders are so many that a sample must do. */
function requestsAbout(oracle: Oracle): HistoryRequest[] {
  const isOfOrder = ({ query }: HistoryRequest): boolean => query.kind === 'order';
  const all = everything(oracle);
  const ofOrders = all.filter(isOfOrder);
  // The dialects take turns: an odd step meets both.
  const step = Math.floor(ofOrders.length / ORDERS_ASKED) | 1;
  const requests = [
    ...all.filter((request) => !isOfOrder(request)),
    ...ofOrders.filter((_, index) => index % step === 0),
  ];
  const asked = new Set(requests.map(({ query, dialect }) => `${query.kind} ${dialect}`));
  // A scenario may be too short to have an order.
  if (oracle.orders.size > 0 && asked.size < 2 * KINDS.length) {
    fail('the historian is asked all kinds of questions in both dialects', { asked: [...asked].join(', ') });
  }
  return requests;
}

function textOf(tables: Tables, request: HistoryRequest): string | undefined {
  const work = answer(tables, request, new AnswerMemory());
  for (;;) {
    beginSlice();
    const { done, value } = work.next();
    if (done === true) return value === undefined ? undefined : Buffer.from(value).toString('utf8');
  }
}
