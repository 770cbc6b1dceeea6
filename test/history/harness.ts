// An exchange with its historian, and the comparison of its answers with those of the oracle. Used by the tests of this
// folder and by the process that they kill.
import { join } from 'node:path';
import { expect } from 'vitest';
import { type LogRecord, openExchange, type RunningExchange, type VirtualClock } from '../../engine/index.ts';
import { keccak256 } from '../../server/auth/keccak.ts';
import { answer } from '../../server/history/answer.ts';
import { AnswerMemory } from '../../server/history/answerMemory.ts';
import { LogFollower } from '../../server/history/follower.ts';
import { type OpenedHistorian, openHistorian } from '../../server/history/historian.ts';
import { beginSlice } from '../../server/history/slice.ts';
import { JournalSource } from '../../server/history/source.ts';
import type { Tables } from '../../server/history/tables.ts';
import { listedMarkets, Views } from '../../server/views/index.ts';
import type { HistoryRequest } from '../../server/wire/historyQueries.ts';
import { Oracle } from './oracle.ts';
import { oracleAnswer } from './oracleAnswers.ts';
import { Keeper, newClock, settings } from './world.ts';

/** More than any machine needs (ms). */
export const WAIT_MS_MAX = 600_000;

/** A running exchange with a historian beside it. */
export interface Venue {
  readonly exchange: RunningExchange;
  readonly historian: OpenedHistorian;
  readonly clock: VirtualClock;
  readonly views: Views;
  /** The whole log so far. */
  readonly records: readonly LogRecord[];
  close(): Promise<void>;
}

interface VenueOptions {
  readonly dataDir?: string;
  readonly clock?: VirtualClock;
  readonly recordsPerCommit?: number;
  readonly onLog?: (text: string) => void;
}

export async function openVenue(options: VenueOptions = {}): Promise<Venue> {
  const { dataDir, clock = newClock(), recordsPerCommit, onLog = () => {} } = options;
  const [keeper, views] = [new Keeper(), new Views()];
  const log = (_: string, text: string, figures: object = {}): void => onLog(`${text} ${JSON.stringify(figures)}`);
  const accountIdOf = (wallet: string): number | undefined => views.accounts.byWallet(wallet)?.accountId;
  const markets = listedMarkets(views.markets);
  const historian = openHistorian({ dataDir, recordsPerCommit, log, markets, accountIdOf, waitMsMax: WAIT_MS_MAX });
  const followers = [keeper, ...views.followers()];
  const exchange = await openExchange({ dataDir, clock, settings, followers, onDurable: historian.durable });
  return {
    ...{ exchange, historian, clock, views, records: keeper.records },
    close: async () => {
      await exchange.close();
      await historian.close();
    },
  };
}

/** The hash of a split, merge or redemption: keccak256 of the sequence and the index of its event, both as 64-bit numbers. */
function otherHash(sequence: number, index: number): string {
  const bytes = Buffer.alloc(16);
  bytes.writeBigUInt64BE(BigInt(sequence), 0);
  bytes.writeBigUInt64BE(BigInt(index), 8);
  return `0x${Buffer.from(keccak256(bytes)).toString('hex')}`;
}

export const oracleOf = (records: readonly LogRecord[]): Oracle => new Oracle(records, otherHash);

/** The bytes of an answer as text; undefined for a record that does not exist. */
export async function askText(historian: OpenedHistorian, request: HistoryRequest): Promise<string | undefined> {
  const bytes = await historian.ask(request);
  return bytes === undefined ? undefined : Buffer.from(bytes).toString('utf8');
}

/** Asks all questions at once and expects each answer to be the oracle's; a difference is reported with its question. */
export async function expectSame(
  historian: OpenedHistorian,
  oracle: Oracle,
  requests: readonly HistoryRequest[],
  about: string,
): Promise<void> {
  const texts = await Promise.all(requests.map((request) => askText(historian, request)));
  for (const [index, request] of requests.entries()) {
    const text = texts[index];
    const answer: unknown = text === undefined ? undefined : JSON.parse(text);
    expect(answer, `${about}: ${JSON.stringify(request)}`).toEqual(oracleAnswer(oracle, request));
  }
}

interface InPlace {
  readonly answers: readonly (string | undefined)[];
  /** Why it was rebuilt. */
  readonly dropped: readonly string[];
  /** The last sequence that it held when it was opened. */
  readonly foundSequence: number;
}

/**
 * The same index without a thread of its own: its answers at the given sequence, if wanted after it was reopened there, as
 * after a long way through the log.
 */
export async function answersInPlace(
  dataDir: string,
  lastSequence: number,
  requests: readonly HistoryRequest[],
  isReopened = false,
): Promise<InPlace> {
  const dropped: string[] = [];
  const settings = { indexPath: join(dataDir, 'history'), dataDir, isFresh: false, recordsPerCommit: 1_000 };
  const follower = new LogFollower(settings, new JournalSource(dataDir), (reason) => dropped.push(reason));
  await follower.checkJournal();
  const foundSequence = follower.sequence;
  while (follower.sequence < lastSequence) {
    if (follower.index()) continue;
    await follower.commit();
  }
  if (isReopened) await follower.reopen();
  const answers = requests.map((request) => answerInPlace(follower.tables, request));
  await follower.close();
  return { answers, dropped, foundSequence };
}

function answerInPlace(tables: Tables, request: HistoryRequest): string | undefined {
  const work = answer(tables, request, new AnswerMemory());
  for (;;) {
    beginSlice();
    const { done, value } = work.next();
    if (done === true) return value === undefined ? undefined : Buffer.from(value).toString('utf8');
  }
}
