// Questions about owners' messages that are no longer in memory: each needs a replay of the log, so owners alternate, and what
// nobody wants any more is not read. Mostly without threads: nobody here still wants the messages when its turn comes.
// owed.test.ts has the readings themselves.
import { expect, test } from 'vitest';
import { encodeCommand, openExchange } from '../../engine/index.ts';
import { makeUserLog, type UserLog } from '../../server/streams/userLog.ts';
import { PLAIN_SETTINGS } from '../support/plainSettings.ts';
import { tempDir } from '../support/tempDir.ts';

/** Of sockets that stay open. */
const NEVER = new AbortController().signal;

/** The name of each question whose turn has come. */
let turns: string[] = [];

/** A log, and the function that lets the first question, of owner 0x0, come to its end. */
function open(): { readonly log: UserLog; readonly release: () => void; readonly first: Promise<void> } {
  turns = [];
  const log = makeUserLog('no such folder', () => {}) ?? expect.unreachable('there is a folder');
  let release: () => void = () => {};
  const released = new Promise<boolean>((resolve) => {
    release = () => resolve(false);
  });
  const first = log.read(questionOf('0x0'), () => released, NEVER);
  return { log, release: () => release(), first };
}

const questionOf = (owner: string) => ({ owner, marketIndex: undefined, streamId: 'all', after: 0, last: 1 });

/** Asks for an owner's messages under a name. When the turn comes, `then` runs, and they are no longer wanted. */
const ask = (log: UserLog, owner: string, name: string, then: () => void = () => {}, signal = NEVER): Promise<void> =>
  log.read(
    questionOf(owner),
    async () => {
      turns.push(name);
      then();
      return false;
    },
    signal,
  );

test('owners alternate, and the questions of one are served in order of arrival', async () => {
  const { log, release, first } = open();
  const asked = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map((name) => ask(log, `0x${name[0]}`, name));
  release();
  await Promise.all([first, ...asked]);
  expect(turns).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('an owner that asks while its own question is served waits for the others, but not for those who ask later', async () => {
  const { log, release, first } = open();
  const own = ask(log, '0x0', 'own');
  let late: Promise<void> | undefined;
  const other = ask(log, '0xa', 'other', () => {
    late = ask(log, '0xb', 'late');
  });
  release();
  await Promise.all([first, own, other]);
  await late;
  expect(turns).toEqual(['other', 'own', 'late']);
});

test('a question that fails does not affect the others, and a later one is served', async () => {
  const { log, release, first } = open();
  const failing = ask(log, '0xa', 'failing', () => {
    throw new Error('no more');
  });
  const other = ask(log, '0xa', 'other');
  release();
  await first;
  await expect(failing).rejects.toThrow('no more');
  await other;
  await ask(log, '0xa', 'later');
  expect(turns).toEqual(['failing', 'other', 'later']);
});

test('questions of a socket that ends leave the line at once, and the others keep their order', async () => {
  const { log, release, first } = open();
  const socket = new AbortController();
  const left = ['a1', 'b1', '01'].map((name) => ask(log, `0x${name[0]}`, name, () => {}, socket.signal));
  const kept = ['b2', 'a2', 'c1'].map((name) => ask(log, `0x${name[0]}`, name));
  socket.abort();
  await Promise.all(left);
  expect(turns).toEqual([]);
  release();
  await Promise.all([first, ...kept]);
  expect(turns).toEqual(['a2', 'b2', 'c1']);
});

test('an owner whose only question has left the line comes after those who asked before it asks again', async () => {
  const { log, release, first } = open();
  const socket = new AbortController();
  const left = ask(log, '0xa', 'left', () => {}, socket.signal);
  const other = ask(log, '0xb', 'other');
  socket.abort();
  const again = ask(log, '0xa', 'again');
  release();
  await Promise.all([first, left, other, again]);
  expect(turns).toEqual(['other', 'again']);
});

test('a reading that finds nothing ends soon after its client has left', async () => {
  const dataDir = tempDir();
  const exchange = await openExchange({ dataDir, followers: [], settings: PLAIN_SETTINGS });
  const owner = `0x${'11'.repeat(20)}`;
  const deposit = encodeCommand({ type: 'Deposit', wallet: owner, owner, amountMicro: 1, isFaucet: 0 });
  await Promise.all(Array.from({ length: 10_000 }, () => exchange.submit(deposit)));
  await exchange.close();
  const log = makeUserLog(dataDir, () => {}) ?? expect.unreachable('there is a folder');
  let asked = 0;
  const take = async (messages: readonly string[]): Promise<boolean> => {
    expect(messages).toEqual([]);
    asked += 1;
    return asked < 2;
  };
  await log.read(questionOf(owner), take, NEVER);
  expect(asked).toBe(2);
});
