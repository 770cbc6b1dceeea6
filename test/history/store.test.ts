// The index on disk by itself: packed blocks come back as they were written, whatever is forgotten in between. An unusable
// index is dropped, one that was killed is not.
import fs, { existsSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Command, decodeCommand, type EventOf, encodeCommand } from '../../engine/index.ts';
import { BlockTable } from '../../server/history/blocks.ts';
import { closedParts } from '../../server/history/closed.ts';
import { LEG } from '../../server/history/figures.ts';
import { LogFollower } from '../../server/history/follower.ts';
import { PAIR_KEY_BYTES, Table, writePairKey } from '../../server/history/keys.ts';
import { Markets } from '../../server/history/markets.ts';
import { legAt } from '../../server/history/pairs.ts';
import { Positions } from '../../server/history/positions.ts';
import { dropUnusable, IndexStore } from '../../server/history/store.ts';
import { watchSyncs } from '../support/syncs.ts';

const RECORD_BYTES = 16;
const RECORDS = 30_000;
const ACCOUNTS = 50;
const MARKETS = 600;

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'outcry-index-')), 'history');
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

test('packed records read back as last written: before a commit, after it, and after reopening', async () => {
  const store = new IndexStore(folder, true);
  const table = new BlockTable(store, Table.ROWS, RECORD_BYTES, 4);
  const write = (record: number, partition: number, value: number): void => {
    const offset = table.change(record, partition);
    table.view.setFloat64(offset, value, true);
  };
  const read = (from: BlockTable, record: number, partition: number): number => {
    const offset = from.locate(record, partition);
    return from.view.getFloat64(offset, true);
  };
  for (let round = 1; round <= 2; round += 1) {
    for (let record = 0; record < RECORDS; record += 7) write(record, record % 3, record + round);
    for (let record = 0; record < RECORDS; record += 7) expect(read(table, record, record % 3)).toBe(record + round);
    await store.commit((put) => table.flush(put));
    table.committed();
    expect(table.dirtyCount).toBe(0);
    for (let record = 0; record < RECORDS; record += 7) expect(read(table, record, record % 3)).toBe(record + round);
  }
  expect(read(table, 1, 1)).toBe(0);
  await store.close();
  const again = new IndexStore(folder, true);
  const reread = new BlockTable(again, Table.ROWS, RECORD_BYTES, 4);
  for (let record = 0; record < RECORDS; record += 7) expect(read(reread, record, record % 3)).toBe(record + 2);
  await again.close();
});

test('all positions of a wallet are visited once, whether committed or not', async () => {
  const store = new IndexStore(folder, true);
  let positions = new Positions(store, true);
  const seenOf = (account: number): Map<number, number> => {
    const seen = new Map<number, number>();
    const see = (market: number, start: number): void => {
      expect(seen.has(market)).toBe(false);
      seen.set(market, positions.numbers[start + LEG.numbers + LEG.size]);
    };
    for (const _ of positions.visit(account, see)); // every part
    return seen;
  };
  const sizeOf = (account: number, market: number, round: number): number => account * 1_000 + market + round * 1e6;
  for (let round = 1; round <= 3; round += 1) {
    const expected = new Map<number, number>();
    for (let account = 0; account < ACCOUNTS; account += 1) {
      for (let market = round % 2; market < MARKETS; market += 2) {
        const leg = legAt(positions.change(account, market), 1);
        positions.numbers[leg + LEG.size] = sizeOf(account, market, round);
        positions.numbers[leg + LEG.bought] = 1;
        if (account === 7) expected.set(market, sizeOf(account, market, round));
      }
    }
    const before = seenOf(7);
    for (const [market, size] of expected) expect(before.get(market)).toBe(size);
    expect(before.size).toBe(round === 1 ? MARKETS / 2 : MARKETS);
    if (round === 2) continue; // two rounds in one commit
    await store.commit((put, remove) => positions.flush(put, remove));
    positions.committed();
    expect(seenOf(7)).toEqual(before);
    positions = new Positions(store, false);
    expect(seenOf(7)).toEqual(before);
  }
  expect(seenOf(ACCOUNTS).size).toBe(0);
  await store.close();
});

test('positions that change while many others are being written keep their numbers when those are forgotten', async () => {
  const store = new IndexStore(folder, true);
  const positions = new Positions(store, true);
  const set = (account: number, market: number, size: number): void => {
    const leg = legAt(positions.change(account, market), 0);
    positions.numbers[leg + LEG.size] = size;
    positions.numbers[leg + LEG.bought] = size;
  };
  const sizesOf = (from: Positions, account: number): number[] => {
    const sizes: number[] = [];
    const see = (market: number, start: number): void => {
      expect(sizes[market]).toBeUndefined();
      sizes[market] = from.numbers[start + LEG.size];
    };
    for (const _ of from.visit(account, see)); // every part
    return sizes;
  };
  // More than are held in memory once they are written.
  for (let account = 0; account < 70; account += 1)
    for (let market = 0; market < MARKETS; market += 1) set(account, market, 1 + market);
  const writing = store.commit((put, remove) => positions.flush(put, remove));
  for (const account of [69, 7]) for (const market of [400, 3, 599]) set(account, market, 5_000 + account);
  await writing;
  positions.committed();
  expect(positions.dirtyCount).toBe(6);
  set(7, 3, 6_000);
  expect(positions.dirtyCount).toBe(6);
  const expected = Array.from({ length: MARKETS }, (_, market) => 1 + market);
  expect(sizesOf(positions, 8)).toEqual(expected);
  for (const market of [400, 599]) expected[market] = 5_007;
  expected[3] = 6_000;
  expect(sizesOf(positions, 7)).toEqual(expected);
  await store.commit((put, remove) => positions.flush(put, remove));
  positions.committed();
  for (const from of [positions, new Positions(store, false)]) expect(sizesOf(from, 7)).toEqual(expected);
  await store.close();
});

test('closed positions are read in descending order of gains, even beyond 2^53', async () => {
  const store = new IndexStore(folder, true);
  const positions = new Positions(store, true);
  // Wallets that trade a market back and forth gain and lose more in it than there is money.
  const sizes = [1, 2 ** 32, 2 ** 53 - 1, 2 ** 53 + 2, 2 ** 64];
  const gains = [0, ...sizes, ...sizes.map((size) => -size)];
  for (const [market, gain] of gains.entries()) {
    const leg = legAt(positions.change(7, market), 0);
    positions.numbers[leg + LEG.bought] = 1;
    positions.numbers[leg + LEG.realized] = gain;
  }
  await store.commit((put, remove) => positions.flush(put, remove));
  positions.committed();
  const read = [...closedParts(store, 7, Number.POSITIVE_INFINITY)].flat();
  const falling = gains.toSorted((left, right) => right - left);
  expect(read.map(({ numbers }) => numbers[LEG.realized])).toEqual(falling);
  expect(read.map(({ market }) => gains[market])).toEqual(falling);
  await store.close();
});

test('more closed positions than are read at once are each read once, and those of other wallets are not', async () => {
  const store = new IndexStore(folder, true);
  const positions = new Positions(store, true);
  const count = 1_100;
  for (const account of [6, 7, 8])
    for (let market = 0; market < count; market += 1) {
      const leg = legAt(positions.change(account, market), 0);
      positions.numbers[leg + LEG.bought] = 1;
      positions.numbers[leg + LEG.realized] = (market % 50) - 25;
    }
  await store.commit((put, remove) => positions.flush(put, remove));
  positions.committed();
  const markets = [...closedParts(store, 7, count)].flat().map(({ market }) => market);
  expect(markets.toSorted((left, right) => left - right)).toEqual(Array.from({ length: count }, (_, market) => market));
  await store.close();
});

test('a closed position that changes after a restart is listed once, and not while it is open again', async () => {
  const store = new IndexStore(folder, true);
  for (const [size, gain] of [
    [0, 5],
    [3, 5],
    [0, 9],
    [0, -4],
  ]) {
    const positions = new Positions(store, false); // remembers nothing of the one before
    const leg = legAt(positions.change(7, 1), 1);
    positions.numbers[leg + LEG.bought] = 10;
    positions.numbers[leg + LEG.size] = size;
    positions.numbers[leg + LEG.realized] = gain;
    await store.commit((put, remove) => positions.flush(put, remove));
    positions.committed();
    const listed = [...closedParts(store, 7, Number.POSITIVE_INFINITY)].flat();
    expect(listed.map(({ numbers }) => numbers[LEG.realized])).toEqual(size === 0 ? [gain] : []);
  }
  await store.close();
});

test('a commit of positions puts and removes as many entries as its disk space was reserved for', async () => {
  const store = new IndexStore(folder, true);
  const positions = new Positions(store, true);
  const close = (gain: number): void => {
    const start = positions.change(7, 1);
    for (const outcome of [0, 1]) {
      const leg = legAt(start, outcome);
      positions.numbers[leg + LEG.bought] = 1;
      positions.numbers[leg + LEG.realized] = gain;
    }
  };
  for (const gain of [1, 2, 2]) {
    close(gain);
    const reserved = positions.need().entries;
    let entries = 0;
    await store.commit((put, remove) => {
      const count = <Args extends readonly unknown[]>(change: (...args: Args) => void) => {
        return (...args: Args): void => {
          entries += 1;
          change(...args);
        };
      };
      positions.flush(count(put), count(remove));
    });
    positions.committed();
    expect(entries, `with the gain ${gain}`).toBe(reserved);
  }
  await store.close();
});

test('the disk space reserved for texts of markets and events covers the longest ones', async () => {
  const store = new IndexStore(folder, true);
  const markets = new Markets(store);
  const longest = '\u6f22'.repeat(2_000);
  const commandOf = (texts: object): Command => {
    const tail = Buffer.from(JSON.stringify(texts));
    return decodeCommand(encodeCommand({ type: 'CreateEvent', negRisk: 0, tail }));
  };
  markets.eventCreated(1, commandOf({ icon: longest, slug: 'event' }));
  const token = `0x${'01'.repeat(32)}`;
  const created: EventOf<'MarketCreated'> = {
    ...{ type: 'MarketCreated', marketIndex: 0, eventNumber: 1, conditionId: token, firstToken: token },
    ...{ secondToken: token, status: 0, negRisk: 0, autoTick: 0, tickPips: 100, feeRate: 0, feeExponent: 1 },
    ...{ minOrderLots: 500, delaySeconds: 0, minMarketableBuyMicro: 0 },
  };
  markets.created(created, commandOf({ icon: longest, question: longest.slice(0, 500), slug: 'market' }));
  let bytes = 0;
  const reserved = markets.textBytesToWrite;
  markets.flush((key, value) => {
    if (key[0] !== Table.MARKETS) bytes += value.length;
  });
  expect(bytes).toBeGreaterThan(2 * longest.length * 3);
  expect(reserved).toBeGreaterThanOrEqual(bytes);
  await store.close();
});

test('an index changed after a clean close is dropped; one left by a killed process is kept', async () => {
  const store = new IndexStore(folder, false);
  await store.commit((put) => put(Buffer.from([Table.META, 1]), Buffer.alloc(100_000, 1)));
  const file = join(folder, 'data.mdb');
  const sum = join(folder, 'sum.json');
  expect(existsSync(sum)).toBe(false);
  expect(dropUnusable(folder, false)).toBeUndefined(); // as a killed process leaves it
  await store.close();
  expect(dropUnusable(folder, false)).toBeUndefined();
  writeFileSync(sum, '{}');
  expect(dropUnusable(folder, false)).toBe('its file is not as it was left');
  expect(existsSync(folder)).toBe(false);
  const second = new IndexStore(folder, false);
  await second.commit((put) => put(Buffer.from([Table.META, 1]), Buffer.alloc(100_000, 2)));
  await second.close();
  rmSync(sum);
  truncateSync(file, 8_192);
  expect(dropUnusable(folder, false)).toContain('cut off');
  expect(existsSync(file)).toBe(false);
});

test('the checksum is durable after the index itself when it is left, and its removal before the index changes', async () => {
  const [file, sum] = [join(folder, 'data.mdb'), join(folder, 'sum.json')];
  const store = new IndexStore(folder, false);
  await store.commit((put) => put(Buffer.from([Table.META, 1]), Buffer.alloc(100_000, 1)));
  const left = await watchSyncs(() => store.close());
  expect(left).toEqual([`synced ${file}`, `synced ${sum}.new`, `named ${sum}`, `synced ${folder}`]);
  let again: IndexStore | undefined;
  const removed = await watchSyncs(() => {
    again = new IndexStore(folder, false);
  });
  expect(existsSync(sum)).toBe(false);
  expect(removed).toEqual([`synced ${folder}`]);
  await again?.close();
});

test.runIf(process.platform === 'linux')('an index closed on a full disk is kept, without a checksum', async () => {
  const store = new IndexStore(folder, false);
  await store.commit((put) => put(Buffer.from([Table.META, 1]), Buffer.alloc(100_000, 1)));
  const sum = join(folder, 'sum.json');
  for (const path of [sum, `${sum}.new`]) symlinkSync('/dev/full', path); // every write to it fails as on a full disk
  await store.close();
  expect(existsSync(sum)).toBe(false);
  expect(dropUnusable(folder, false)).toBeUndefined();
  const again = new IndexStore(folder, false);
  expect(again.get(Buffer.from([Table.META, 1]))).toHaveLength(100_000);
  await again.close();
});

/** What is dropped, or thrown, if the system opens no file but gives this code as the reason. */
function droppedIfRefused(code: string): string | undefined {
  const { openSync } = fs;
  fs.openSync = () => {
    throw Object.assign(new Error(`${code}: no file is opened`), { code });
  };
  syncBuiltinESMExports();
  try {
    return dropUnusable(folder, false);
  } finally {
    fs.openSync = openSync;
    syncBuiltinESMExports();
  }
}

test('an index that the system does not let us open is kept; one that the disk cannot read is dropped', async () => {
  const store = new IndexStore(folder, false);
  await store.commit((put) => put(Buffer.from([Table.META, 1]), Buffer.alloc(100_000, 1)));
  await store.close();
  for (const code of ['EMFILE', 'EACCES', 'ENOMEM']) {
    expect(() => droppedIfRefused(code)).toThrow(code);
    expect(dropUnusable(folder, false), code).toBeUndefined();
    expect(existsSync(join(folder, 'data.mdb')), code).toBe(true);
  }
  expect(droppedIfRefused('EIO')).toContain('EIO');
  expect(existsSync(folder)).toBe(false);
});

test('an index of another format is replaced by one that has no checksum while it is open', async () => {
  const other = new IndexStore(folder, false);
  const cursorKey = writePairKey(Buffer.alloc(PAIR_KEY_BYTES), Table.META, 0, 0);
  await other.commit((put) => put(cursorKey, Buffer.from('{"format":1}')));
  await other.close();
  const emptyLog = {
    next: () => undefined,
    hashAt: () => undefined,
    canRewind: true,
    reopen: async () => {},
    close: async () => {},
  };
  const settings = { indexPath: folder, dataDir: folder, isFresh: false, recordsPerCommit: 1_000 };
  const reasons: string[] = [];
  const follower = new LogFollower(settings, emptyLog, (reason) => reasons.push(reason));
  await nextTurn(); // what the end of the other one still had to do is done by then
  expect(reasons).toEqual([expect.stringContaining('format 1')]);
  expect(existsSync(join(folder, 'sum.json'))).toBe(false);
  await follower.abandon();
  expect(dropUnusable(folder, false), 'as a killed process leaves it').toBeUndefined();
});

test('an index whose file a killed process had just created, empty, is opened and not dropped', async () => {
  fs.mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'data.mdb'), '');
  expect(dropUnusable(folder, false)).toBeUndefined();
  await new IndexStore(folder, false).close(false);
});
