// The running exchange: answers only after the flush and in order, followers before answers, ticks at due times, defects,
// refusal of malformed bytes. In memory, with stores that are held back where order matters.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Exchange } from '../../engine/core/index.ts';
import {
  CodecError,
  type Command,
  type EventWriter,
  encodeCommand,
  type LogRecord,
  MemoryStore,
  type Message,
  openExchange,
  Reducers,
  StorageUnavailable,
  VirtualClock,
} from '../../engine/index.ts';
import { HeldStore, inTempDir, quickRetry, turn } from '../journal/support.ts';
import { tailOf } from '../support/commandParts.ts';
import { heartbeat, notebook, optionsOf, tick } from './exchangeParts.ts';
import { foundingCommands, keyOf, ownerOf, START_MS, settings, submitFounding } from './workload.ts';

test('every start appends exactly one Started record, before any command', async () => {
  await inTempDir(async (dataDir) => {
    const { lines, follower } = notebook();
    for (let start = 0; start < 3; start += 1) {
      lines.length = 0;
      const exchange = await openExchange(optionsOf({ dataDir, followers: [follower] }));
      expect(exchange.isFresh).toBe(start === 0);
      await exchange.submit(tick);
      expect(lines.slice(-2).map((line) => line.split(' ')[1])).toEqual(['Started', 'Tick']);
      expect(lines.filter((line) => line.endsWith('Started')).length).toBe(start + 1);
      await exchange.close();
    }
  });
});

test('followers apply a record and its submitter is answered only after the flush, in order', async () => {
  const store = new HeldStore();
  const { lines, follower } = notebook();
  const opening = openExchange(optionsOf({ followers: [follower] }), { store });
  await store.endNext();
  const exchange = await opening;
  const submit = () => exchange.submit(tick).then(({ sequence }) => lines.push(`answer ${sequence}`));
  const first = [submit(), submit()];
  await turn();
  const second = [submit(), submit()];
  await turn();
  expect(lines).toEqual(['1 Started']);
  expect(exchange.durableSequence).toBe(1);
  await store.endNext();
  await Promise.all(first);
  expect(lines.slice(1)).toEqual(['2 Tick', '3 Tick', 'answer 2', 'answer 3']);
  expect(exchange.durableSequence).toBe(3);
  await store.endNext();
  await Promise.all(second);
  expect(lines.slice(5)).toEqual(['4 Tick', '5 Tick', 'answer 4', 'answer 5']);
  await exchange.close();
});

test('submitters are forgotten once they were answered', async () => {
  const exchange = await openExchange(optionsOf());
  await Promise.all(Array.from({ length: 10 }, () => exchange.submit(tick)));
  expect(Reflect.get(Reflect.get(exchange, 'answers'), 'waiting')).toEqual([]);
  await exchange.close();
});

test('all followers and the submitter get the same decoded record', async () => {
  const records: LogRecord[] = [];
  const follower = (name: string) => ({ name, apply: (record: LogRecord) => void records.push(record) });
  const exchange = await openExchange(optionsOf({ followers: [follower('a'), follower('b')] }));
  const record = await exchange.submit(foundingCommands()[0]);
  expect(records.slice(-2)).toEqual([record, record]);
  expect(records.at(-1)).toBe(record);
  expect(record.command).toBe(record.command);
  expect(record.command).toMatchObject({ type: 'CreateEvent', negRisk: 0 });
  expect(record.events).toEqual([{ type: 'EventCreated', eventNumber: 1 }]);
  expect(record.events).toBe(record.events);
  await exchange.close();
});

test('a rejected command is recorded with a Rejected event', async () => {
  const exchange = await openExchange(optionsOf());
  const { sequence, events } = await exchange.submit(encodeCommand(heartbeat));
  expect(sequence).toBe(2);
  expect(events).toMatchObject([{ type: 'Rejected', code: 1 }]);
  await exchange.close();
});

test('the same commands at the same times give the same state in memory and on disk', async () => {
  await inTempDir(async (dataDir) => {
    const hashes = [];
    for (const where of [undefined, dataDir]) {
      const exchange = await openExchange(optionsOf({ dataDir: where }));
      await submitFounding(exchange);
      hashes.push(exchange.stateHash());
      await exchange.close();
    }
    expect(hashes[1]).toEqual(hashes[0]);
  });
});

test('a virtual clock goes on past what cannot be settled, as while the journal cannot be written', () => {
  const clock = new VirtualClock(START_MS);
  const woken: number[] = [];
  clock.attach({ nextDueMs: () => START_MS + 100, wake: () => void woken.push(clock.now() - START_MS) });
  clock.advance(1_000);
  expect(clock.now()).toBe(START_MS + 1_000);
  clock.advance(500);
  expect(woken).toEqual([100, 1_000, 1_000, 1_500]); // never back at what was due
});

test('when a virtual clock jumps past several due times, each is processed at its own time', async () => {
  const clock = new VirtualClock(START_MS);
  const seen: string[] = [];
  const apply = ({ tMs, events }: LogRecord) => {
    for (const event of events) if (event.type === 'HeartbeatLapsed') seen.push(`lapsed at ${tMs - START_MS}`);
  };
  const exchange = await openExchange(optionsOf({ clock, followers: [{ name: 'lapses', apply }] }));
  await submitFounding(exchange);
  expect(exchange.nextDueMs()).toBe(Number.POSITIVE_INFINITY);
  await exchange.submit(encodeCommand(heartbeat));
  clock.advance(3_000);
  await exchange.submit(encodeCommand({ ...heartbeat, owner: ownerOf(1), keyId: keyOf(1) }));
  expect(exchange.nextDueMs()).toBe(START_MS + 10_000);
  const before = exchange.durableSequence;
  clock.advance(6_999);
  await turn();
  expect(exchange.durableSequence).toBe(before);
  clock.advance(1_000_000);
  await turn();
  expect(seen).toEqual(['lapsed at 10000', 'lapsed at 13000']);
  expect(exchange.durableSequence).toBe(before + 2);
  expect(exchange.now()).toBe(START_MS + 1_009_999);
  await exchange.close();
  clock.advance(1_000);
});

test('with the system clock, a Tick is submitted automatically when something is due', async () => {
  let resolveLapsed: (record: LogRecord) => void = () => {};
  const lapsed = new Promise<LogRecord>((resolve) => {
    resolveLapsed = resolve;
  });
  const apply = (record: LogRecord) => {
    if (record.events.some(({ type }) => type === 'HeartbeatLapsed')) resolveLapsed(record);
  };
  const options = optionsOf({ clock: undefined, followers: [{ name: 'lapses', apply }] });
  const exchange = await openExchange({ ...options, settings: { ...settings, heartbeatWindowMs: 30 } });
  await submitFounding(exchange);
  const { tMs } = await exchange.submit(encodeCommand(heartbeat));
  const record = await lapsed;
  expect(record.command.type).toBe('Tick');
  expect(record.tMs).toBeGreaterThanOrEqual(tMs + 30);
  await exchange.close();
});

/** The real core, except that it fails on withdrawals. */
class FailingExchange extends Exchange {
  override applyAt(tMs: number, message: Message, offset: number, out: EventWriter): void {
    if (message.bytes[offset + 1] === withdrawal[1]) throw new Error('assertion 12: the vault does not add up');
    super.applyAt(tMs, message, offset, out);
  }
}
const withdrawal = encodeCommand({ type: 'Withdraw', wallet: ownerOf(0), owner: ownerOf(0), amountMicro: 1 });

test('an engine defect dumps the command to a file, appends no record and stops the exchange', async () => {
  await inTempDir(async (dataDir) => {
    const fatal: Error[] = [];
    const options = optionsOf({ dataDir, onFatal: (error) => fatal.push(error) });
    const exchange = await openExchange(options, {
      restored: { reducers: new Reducers(new FailingExchange()), sequence: 0 },
    });
    const early = exchange.submit(tick);
    const failing = exchange.submit(withdrawal);
    await expect(failing).rejects.toThrow('assertion 12: the vault does not add up');
    await expect(failing).rejects.toBeInstanceOf(StorageUnavailable);
    expect((await early).sequence).toBe(2);
    await expect(exchange.submit(tick)).rejects.toThrow('The engine failed at sequence 3 (Withdraw)');
    expect(fatal.map(({ name }) => name)).toEqual(['EngineDefect']);
    const [file] = readdirSync(join(dataDir, 'crash'));
    expect(file).toBe(`3-${START_MS}.json`);
    const dump = JSON.parse(readFileSync(join(dataDir, 'crash', file), 'utf8'));
    expect(dump).toMatchObject({ sequence: 3, tMs: START_MS, command: 'Withdraw' });
    expect(dump.bytes).toBe(`0x${Buffer.from(withdrawal).toString('hex')}`);
    await exchange.close();
    const again = await openExchange(optionsOf({ dataDir }));
    expect(again.durableSequence).toBe(3);
    await again.close();
  });
});

test('a rejection within submitTogether writes none of its commands; an earlier command is answered', async () => {
  await inTempDir(async (dataDir) => {
    const fatal: string[] = [];
    const options = optionsOf({ dataDir, onFatal: (error) => fatal.push(error.message) });
    const exchange = await openExchange(options);
    const eventOf = (slug: string) => encodeCommand({ type: 'CreateEvent', negRisk: 0, tail: tailOf({ slug }) });
    const early = exchange.submit(tick);
    await exchange.submitTogether([]);
    const act = exchange.submitTogether([eventOf('first'), eventOf('first'), eventOf('second')]);
    const reason =
      'The engine failed at sequence 4 (CreateEvent): one of several commands of one operation was refused.';
    await expect(act).rejects.toThrow(reason);
    expect((await early).sequence).toBe(2);
    expect(exchange.durableSequence).toBe(2);
    expect(exchange.unavailableReason).toContain(reason);
    expect(fatal.length).toBe(1);
    await exchange.close();
    const again = await openExchange(optionsOf({ dataDir }));
    expect([again.durableSequence, again.nextEventNumber]).toEqual([3, 1]);
    await again.close();
  });
});

test('a follower that throws stops the exchange with an error that names the follower', async () => {
  const fatal: string[] = [];
  const apply = ({ command }: LogRecord) => {
    if (command.type === 'Tick') throw new Error('no room for this view');
  };
  const onFatal = (error: Error) => fatal.push(error.message);
  const exchange = await openExchange(optionsOf({ followers: [{ name: 'books', apply }], onFatal }));
  const reason = 'The follower books failed at sequence 2: no room for this view';
  await expect(exchange.submit(tick)).rejects.toThrow(reason);
  await expect(exchange.submit(tick)).rejects.toThrow(reason);
  expect(fatal).toEqual([reason]);
  await exchange.close();
});

test('while the journal cannot be written, new commands are rejected; a pending one is answered later', async () => {
  const store = new HeldStore();
  const opening = openExchange(optionsOf(), { store, retry: quickRetry });
  await store.endNext();
  const exchange = await opening;
  const taken = exchange.submit(tick);
  await store.endNext(new Error('No space left on device'));
  while (exchange.unavailableReason === undefined) await turn();
  await expect(exchange.submit(tick)).rejects.toThrow('the journal cannot be written: No space left on device');
  await store.endNext();
  expect((await taken).sequence).toBe(2);
  const later = exchange.submit(tick);
  await store.endNext();
  expect((await later).sequence).toBe(3);
  await exchange.close();
});

test('an exchange stops if its journal cannot be written after 5 tries', async () => {
  const store = new HeldStore();
  const fatal: string[] = [];
  const options = optionsOf({ onFatal: (error) => fatal.push(error.message) });
  const opening = openExchange(options, { store, retry: quickRetry });
  await store.endNext();
  const exchange = await opening;
  const taken = exchange.submit(tick);
  for (let tries = 1; tries <= quickRetry.triesMax; tries += 1) await store.endNext(new Error('I/O error'));
  await expect(taken).rejects.toBeInstanceOf(StorageUnavailable);
  expect(fatal).toEqual(['The journal could not be written after 5 tries: I/O error.']);
  await exchange.close();
});

test('close() answers pending commands and rejects later ones', async () => {
  const exchange = await openExchange(optionsOf(), { store: new MemoryStore(true) });
  const taken = exchange.submit(tick);
  const closing = exchange.close();
  await expect(exchange.submit(tick)).rejects.toThrow('the exchange is closing');
  expect((await taken).sequence).toBe(2);
  await closing;
  await exchange.close();
});

/** Ten deposits, each of its own amount. */
const depositsOf = (caller: number): readonly Command[] =>
  Array.from({ length: 10 }, (_, index) => {
    const owner = ownerOf(caller);
    return { type: 'Deposit', wallet: owner, owner, amountMicro: 1_000 * caller + index + 1, isFaucet: 0 };
  });

/** Six events, each with a text of nearly a MiB, the longest that there is. */
const longTextsOf = (caller: number): readonly Command[] =>
  Array.from({ length: 6 }, (_, index) => {
    const texts = { slug: `${caller}-${index}`, title: 'x'.repeat(1_000_000) };
    return { type: 'CreateEvent', negRisk: 0, tail: tailOf(texts) };
  });

/** What tells a command from the others. */
const lineOf = (command: Command): string =>
  command.type === 'Deposit' ? `${command.owner} ${command.amountMicro}` : `${command.type} ${slugOf(command)}`;
const slugOf = ({ tail = new Uint8Array() }: Command): string => new TextDecoder().decode(tail.subarray(0, 15));
const numberedLineOf = ({ sequence, command }: LogRecord): string => `${sequence} ${lineOf(command)}`;

test('close() makes all commands of all callers durable, however many batches they fill, and answers each', async () => {
  const store = new HeldStore();
  const opening = openExchange(optionsOf(), { store });
  await store.endNext();
  const exchange = await opening;
  const given: string[] = [];
  const answered: string[] = [];
  /** One caller's commands, submitted at once. */
  const call = (caller: number, commands: readonly Command[]): readonly Promise<void>[] =>
    commands.map(async (command, index) => {
      given.push(lineOf(command));
      const record = await exchange.submit(encodeCommand(command));
      expect(lineOf(record.command), `command ${index} of caller ${caller}`).toBe(lineOf(command));
      answered.push(`${record.sequence} ${lineOf(record.command)}`);
    });
  const taken = [0, 1, 2].flatMap((caller) => call(caller, depositsOf(caller)));
  await turn();
  // These wait behind the write above, and their texts need more than two batches of 8 MiB.
  for (const caller of [3, 4, 5]) taken.push(...call(caller, [...longTextsOf(caller), ...depositsOf(caller)]));
  await turn();
  expect([store.heldCount, answered.length]).toEqual([1, 0]);
  const closing = exchange.close();
  const ended: string[] = [];
  void closing.then(() => ended.push('closed'));
  await turn();
  expect([answered, ended]).toEqual([[], []]);
  for (let batch = 0; batch < 4; batch += 1) await store.endNext();
  await Promise.all(taken);
  await closing;
  const due = given.map((line, index) => `${index + 2} ${line}`);
  expect(answered).toEqual(due);
  expect(store.log.filter((line) => line.startsWith('written')).length).toBe(5);
  const found: string[] = [];
  const reader = { name: 'reader', apply: (record: LogRecord) => void found.push(numberedLineOf(record)) };
  const again = openExchange(optionsOf({ followers: [reader] }), { store });
  await store.endNext();
  await (await again).close();
  expect(found.slice(1, -1)).toEqual(due);
});

test('malformed commands are rejected and leave no record', async () => {
  const exchange = await openExchange(optionsOf());
  const create = foundingCommands()[0];
  const edited = (change: (bytes: Uint8Array) => void, bytes = tick): Uint8Array => {
    const copy = Uint8Array.from(bytes);
    change(copy);
    return copy;
  };
  const setMode = encodeCommand({ type: 'SetExchangeMode', mode: 1 });
  const malformed = [
    new Uint8Array(0),
    new Uint8Array(7),
    edited((bytes) => bytes.set([2], 0)),
    edited((bytes) => bytes.set([200], 1)),
    edited((bytes) => bytes.set([1], 4)),
    edited((bytes) => bytes.set([1], 2)),
    edited((bytes) => bytes.set([5], 8), setMode),
    edited((bytes) => bytes.set([0], bytes.length - 1), create),
    encodeCommand({ type: 'CreateEvent', negRisk: 0, tail: tailOf({ title: 'no slug' }) }),
    encodeCommand({ type: 'CreateEvent', negRisk: 0, tail: tailOf([]) }),
    encodeCommand({ type: 'CreateEvent', negRisk: 0, tail: Buffer.from('null') }),
    encodeCommand({ type: 'CreateEvent', negRisk: 0, tail: Buffer.from('{"slug":"no UTF-8: \xff"}', 'latin1') }),
    encodeCommand({ type: 'CreateEvent', negRisk: 0 }),
  ];
  for (const bytes of malformed) await expect(exchange.submit(bytes)).rejects.toBeInstanceOf(CodecError);
  const negative = edited((bytes) => new DataView(bytes.buffer).setFloat64(bytes.length - 8, -1, true), withdrawal);
  await expect(exchange.submit(negative)).rejects.toThrow('Withdraw.amountMicro: expected an integer from 0');
  const deep = tailOf({ slug: 'deep', levels: JSON.parse(`${'['.repeat(64)}${']'.repeat(64)}`) });
  await expect(exchange.submit(encodeCommand({ type: 'CreateEvent', negRisk: 0, tail: deep }))).rejects.toThrow(
    'CreateEvent: its texts nest deeper than 64 levels',
  );
  expect((await exchange.submit(tick)).sequence).toBe(2);
  await exchange.close();
});
