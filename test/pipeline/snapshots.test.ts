// Snapshots and starts: a start reads the newest usable snapshot and the journal after it. Whatever is wrong with a
// snapshot, or happens while one is made, costs a slower start and never the state. Every restart is compared with a replay
// of the whole journal.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import fs from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import {
  encodeCommand,
  makeSnapshot,
  openExchange,
  type Sections,
  SnapshotFolder,
  SnapshotUnusable,
  VirtualClock,
  verifyJournal,
} from '../../engine/index.ts';
import { inTempDir, whileRefused, withReplaced } from '../journal/support.ts';
import { commandsOf, counter, START_MS, settings, submitFounding, submitRounds } from './workload.ts';

const timeout = 300_000;

const warnings: string[] = [];

async function started(dataDir: string, clock: VirtualClock, version = 1, snapshotFrom?: number) {
  const { count, follower } = counter(version);
  const log = (_: string, text: string, figures: object = {}): void => {
    warnings.push(`${text} ${JSON.stringify(figures)}`);
  };
  warnings.length = 0;
  const exchange = await openExchange({ dataDir, clock, settings, followers: [follower], log, snapshotFrom });
  return { exchange, count };
}

/** An exchange that has run this many rounds of commands, closed; a snapshot is written on request. */
async function run(dataDir: string, clock: VirtualClock, seed: number, rounds: number, snapshotFrom?: number) {
  const { exchange } = await started(dataDir, clock, 1, snapshotFrom);
  if (exchange.isFresh) await submitFounding(exchange);
  await submitRounds(exchange, clock, seed, { rounds, commandsEach: 30 });
  await exchange.close();
  return { last: exchange.durableSequence };
}

/** Starts, checks the state against a replay of everything, and closes; returns where the snapshot ended. */
async function restart(dataDir: string, clock: VirtualClock, version = 1): Promise<number> {
  const { exchange, count } = await started(dataDir, clock, version);
  exchange.checkInvariants();
  await exchange.close();
  const { hashes, recordCount } = await verifyJournal(dataDir);
  expect(exchange.stateHash()).toEqual(hashes);
  expect(count.all).toBe(recordCount);
  expect(count.seen).toBe(recordCount - exchange.snapshotSequence);
  return exchange.snapshotSequence;
}

const snapshotsIn = (dataDir: string): string[] => readdirSync(join(dataDir, 'snapshots')).sort();

test('a start reads the newest snapshot and only the records after it', { timeout }, async () => {
  await inTempDir(async (dataDir) => {
    const clock = new VirtualClock(START_MS);
    const first = await run(dataDir, clock, 1, 10, 1);
    expect(snapshotsIn(dataDir)).toEqual([`${first.last}.snapshot`]);
    expect(await restart(dataDir, clock)).toBe(first.last);
    await run(dataDir, clock, 2, 10);
    expect(await restart(dataDir, clock)).toBe(first.last);
    // Too few records since then for another snapshot.
    await run(dataDir, clock, 3, 1, 10_000);
    expect(snapshotsIn(dataDir)).toEqual([`${first.last}.snapshot`]);
    for (let seed = 4; seed < 9; seed += 1) await run(dataDir, clock, seed, 2, 1);
    expect(snapshotsIn(dataDir).length).toBe(3);
    expect(await restart(dataDir, clock)).toBeGreaterThan(first.last);
  });
});

test('a snapshot that takes longer than a stop allows is abandoned, and the previous one is kept', {
  timeout,
}, async () => {
  await inTempDir(async (dataDir) => {
    const clock = new VirtualClock(START_MS);
    const { last } = await run(dataDir, clock, 1, 3, 1);
    const logged: string[] = [];
    const log = (_: string, text: string, figures: object = {}): void => {
      logged.push(`${text} ${JSON.stringify(figures)}`);
    };
    const { follower } = counter(1);
    const options = { dataDir, clock, settings, followers: [follower], log, snapshotFrom: 1 };
    const exchange = await openExchange(options, { snapshotMsMax: 0 });
    await exchange.close();
    expect(logged.at(-1)).toMatch(/^No snapshot was written; .*takes longer than a stop allows/);
    expect(snapshotsIn(dataDir)).toEqual([`${last}.snapshot`]);
    expect(await restart(dataDir, clock)).toBe(last);
  });
});

test('a stop whose disk hangs waits for it without blocking the process', { timeout }, async () => {
  await inTempDir(async (dataDir) => {
    const clock = new VirtualClock(START_MS);
    const { exchange } = await started(dataDir, clock, 1, 1);
    const { writeFile } = fs;
    let goOn = (): void => {};
    const hang = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let wait = (): void => {};
    const isWaiting = new Promise<boolean>((resolve) => {
      wait = () => resolve(true);
    });
    const late: typeof writeFile = async (...args) => {
      wait();
      await hang;
      await writeFile(...args);
    };
    await withReplaced(fs, { writeFile: late }, async () => {
      const closing = exchange.close();
      expect(await Promise.race([isWaiting, closing])).toBe(true);
      expect(existsSync(join(dataDir, 'snapshots'))).toBe(false);
      goOn();
      await closing;
    });
    expect(snapshotsIn(dataDir)).toEqual([`${exchange.durableSequence}.snapshot`]);
    expect(readdirSync(dataDir)).not.toContain('snapshots.draft');
  });
});

test('a stop on a disk that takes nothing warns only if a snapshot is due', { timeout }, async () => {
  await inTempDir(async (dataDir) => {
    const clock = new VirtualClock(START_MS);
    const { last } = await run(dataDir, clock, 1, 10, 1);
    const trial = join(dataDir, 'snapshots.draft');
    for (const [rounds, expected] of [
      [0, []],
      [1, [expect.stringMatching(/^No snapshot was written.*EISDIR/)]],
    ] as const) {
      const { exchange } = await started(dataDir, clock, 1, 10);
      await submitRounds(exchange, clock, 2, { rounds, commandsEach: 30 });
      warnings.length = 0;
      mkdirSync(trial);
      await exchange.close();
      rmSync(trial, { recursive: true });
      expect(warnings).toEqual(expected);
      expect(snapshotsIn(dataDir)).toEqual([`${last}.snapshot`]);
    }
  });
});

test('a stop that cannot list the snapshots logs the reason and releases the data directory', { timeout }, async () => {
  await inTempDir(async (dataDir) => {
    const clock = new VirtualClock(START_MS);
    const { exchange } = await started(dataDir, clock, 1, 1);
    writeFileSync(join(dataDir, 'snapshots'), 'a file where a folder is to be');
    await exchange.close();
    expect(warnings.join()).toMatch(/No snapshot was written.*ENOTDIR/);
    rmSync(join(dataDir, 'snapshots'));
    expect(await restart(dataDir, clock)).toBe(0);
  });
});

test('a follower without a snapshot part gets the whole journal replayed', { timeout }, async () => {
  await inTempDir(async (dataDir) => {
    const clock = new VirtualClock(START_MS);
    await run(dataDir, clock, 1, 3, 1);
    let seen = 0;
    const apply = (): void => {
      seen += 1;
    };
    const follower = { name: 'bare', apply };
    const exchange = await openExchange({ dataDir, clock, settings, followers: [follower], snapshotFrom: 1 });
    await exchange.close();
    expect([exchange.snapshotSequence, seen]).toEqual([0, exchange.durableSequence]);
    expect(snapshotsIn(dataDir).length).toBe(1);
  });
});

/** Ways to spoil the file of the newest snapshot, and the log's words for each. */
const spoilers: Readonly<Record<string, readonly [(path: string, dataDir: string) => void, RegExp]>> = {
  'a byte in its middle was changed': [(path) => flip(path, 0.5), /does not match its checksum/],
  'its head was changed': [(path) => flip(path, 0, 40), /head does not match its checksum/],
  'its first byte was changed': [(path) => flip(path, 0, 0), /does not begin as a snapshot does/],
  'it was cut off': [(path) => truncateSync(path, 3_000), /does not fit into 3000/],
  'it is empty': [(path) => truncateSync(path, 0), /it has 0 bytes/],
  'it cannot be read': [
    (path) => {
      rmSync(path);
      mkdirSync(path);
    },
    /EISDIR|it has \d+ bytes/,
  ],
  'it bears another name': [
    (path, dataDir) => renameSync(path, join(dataDir, 'snapshots/99999.snapshot')),
    /it is named after record 99999, but was made after record/,
  ],
};

function flip(path: string, share: number, at?: number): void {
  const bytes = readFileSync(path);
  bytes[at ?? Math.floor(bytes.length * share)] ^= 1;
  writeFileSync(path, bytes);
}

test('of the snapshots that were set aside, the newest three are kept', async () => {
  await inTempDir(async (dataDir) => {
    const folder = new SnapshotFolder(dataDir);
    const write = (sequence: number) => folder.write({ sequence, tMs: 0, journalHash: '', versions: {} }, () => {});
    for (let sequence = 1; sequence <= 5; sequence += 1) folder.setAside({ sequence, path: write(sequence) });
    write(6);
    const left = [3, 4, 5].map((sequence) => `${sequence}.snapshot.unusable`);
    expect(snapshotsIn(dataDir).toSorted()).toEqual([...left, '6.snapshot']);
  });
});

test('if the newest snapshot is unusable, the start logs the reason and uses the previous one', {
  timeout,
}, async () => {
  await inTempDir(async (folder) => {
    const clock = new VirtualClock(START_MS);
    const original = join(folder, 'original');
    const older = await run(original, clock, 1, 4, 1);
    const newer = await run(original, clock, 2, 4, 1);
    await run(original, clock, 3, 2);
    for (const [name, [spoil, warning]] of Object.entries(spoilers)) {
      const dataDir = join(folder, 'copy', name.replaceAll(' ', '-'));
      cpSync(original, dataDir, { recursive: true });
      spoil(join(dataDir, `snapshots/${newer.last}.snapshot`), dataDir);
      expect(await restart(dataDir, clock), name).toBe(older.last);
      expect(warnings.join('\n'), name).toMatch(warning);
      expect(snapshotsIn(dataDir).filter((file) => file.endsWith('.unusable')).length, name).toBe(1);
      flip(join(dataDir, `snapshots/${older.last}.snapshot`), 0.5);
      expect(await restart(dataDir, clock), name).toBe(0);
    }
  });
});

test('snapshots that the system does not let us open now keep their names, and the start fails with its error', {
  timeout,
}, async () => {
  await inTempDir(async (dataDir) => {
    const clock = new VirtualClock(START_MS);
    const older = await run(dataDir, clock, 1, 2, 1);
    const newer = await run(dataDir, clock, 2, 2, 1);
    const names = snapshotsIn(dataDir);
    const isSnapshot = (path: string): boolean => path.endsWith('.snapshot');
    for (const code of ['EMFILE', 'ENFILE', 'ENOMEM', 'EACCES']) {
      await whileRefused(code, isSnapshot, async () => {
        await expect(started(dataDir, clock), code).rejects.toMatchObject({ code });
        const message = expect.stringMatching(/^The snapshot \S*\.snapshot cannot be read now: /);
        await expect(verifyJournal(dataDir), code).rejects.toMatchObject({ message, cause: { code } });
        const making = makeSnapshot(dataDir, [counter().follower], { log: () => {} });
        await expect(making, code).rejects.toMatchObject({ code });
      });
      expect(snapshotsIn(dataDir), code).toEqual(names);
    }
    expect(await restart(dataDir, clock)).toBe(newer.last);
    // One that the disk cannot read is unusable.
    const isNewer = (path: string): boolean => path.endsWith(`/${newer.last}.snapshot`);
    await whileRefused('EIO', isNewer, async () => expect(await restart(dataDir, clock)).toBe(older.last));
    expect(snapshotsIn(dataDir)).toContain(`${newer.last}.snapshot.unusable`);
  });
});

test('a snapshot of another journal or follower version, or ahead of its journal, is not used', {
  timeout,
}, async () => {
  await inTempDir(async (folder) => {
    const clock = new VirtualClock(START_MS);
    const [one, other] = [join(folder, 'one'), join(folder, 'other')];
    const { last } = await run(one, clock, 1, 4, 1);
    await run(other, clock, 2, 6, 1);
    copyFileSync(join(one, `snapshots/${last}.snapshot`), join(other, `snapshots/${last}.snapshot`));
    for (const { sequence, path } of new SnapshotFolder(other).list()) {
      if (sequence !== last) renameSync(path, `${path}.away`);
    }
    const faultsOf = async (dataDir: string) => (await verifyJournal(dataDir)).snapshotFaults;
    expect(await faultsOf(other)).toEqual([expect.stringContaining('it is of another journal')]);
    expect(await restart(other, clock)).toBe(0);
    expect(warnings.join('\n')).toContain('not of this journal');
    expect(await restart(one, clock, 2)).toBe(0);
    expect(warnings.join('\n')).toContain('its part follower counter has version 1, this program has 2');
    const short = join(folder, 'short');
    await run(short, clock, 3, 1);
    cpSync(join(one, 'snapshots'), join(short, 'snapshots'), { recursive: true });
    renameSync(join(short, `snapshots/${last}.snapshot`), join(short, 'snapshots/9000.snapshot'));
    expect(await faultsOf(short)).toEqual([expect.stringContaining('the journal has no such record')]);
    expect(await restart(short, clock)).toBe(0);
  });
});

test('a snapshot of another version is skipped but kept, and that version uses it later', {
  timeout,
}, async () => {
  await inTempDir(async (dataDir) => {
    const clock = new VirtualClock(START_MS);
    const { last } = await run(dataDir, clock, 1, 4, 1);
    const own = `${last}.snapshot`;
    expect(await restart(dataDir, clock, 2)).toBe(0);
    expect(warnings[0]).toMatch(
      /of another version of the program and was left in its place, for that version; .* is read/,
    );
    expect(snapshotsIn(dataDir)).toEqual([own]);
    expect(await restart(dataDir, clock)).toBe(last);
    // A version without a follower that the snapshot has does not load it either.
    const without = await openExchange({ dataDir, clock, settings, followers: [] });
    await without.close();
    expect([without.snapshotSequence, snapshotsIn(dataDir)]).toEqual([0, [own]]);
    // The same for a snapshot whose file format is of another version; verification finds no fault with it.
    const path = join(dataDir, 'snapshots', own);
    flip(path, 0, 9);
    expect(await restart(dataDir, clock)).toBe(0);
    expect(warnings[0]).toMatch(/left in its place.*format version 257, this program reads 1/);
    const { snapshotCount, snapshotFaults, foreignSnapshots } = await verifyJournal(dataDir);
    expect([snapshotCount, snapshotFaults, foreignSnapshots.length]).toEqual([0, [], 1]);
    flip(path, 0, 9);
    expect(await restart(dataDir, clock)).toBe(last);
  });
});

test('a snapshot is made despite newer ones of another version, and is not the one pruned', {
  timeout,
}, async () => {
  await inTempDir(async (dataDir) => {
    const clock = new VirtualClock(START_MS);
    await run(dataDir, clock, 1, 4);
    const maker = (version: number) => makeSnapshot(dataDir, [counter(version).follower], { log: () => {} });
    const other = (await maker(2)) ?? 0;
    // The other version's snapshot has this name; one more record gives a free name.
    expect(await maker(1)).toBe(undefined);
    for (const name of [90_001, 90_002, 90_003]) {
      copyFileSync(join(dataDir, `snapshots/${other}.snapshot`), join(dataDir, `snapshots/${name}.snapshot`));
    }
    const { last } = await run(dataDir, clock, 2, 1, 1);
    expect(snapshotsIn(dataDir)).toEqual([`${last}.snapshot`, '90002.snapshot', '90003.snapshot']);
    expect(await restart(dataDir, clock)).toBe(last);
  });
});

/** A follower of the counter's name and version, whose part of a snapshot is another one. */
const counterThat = (visit: (sections: Sections) => void) => {
  return { name: 'counter', apply: () => {}, snapshot: { version: 1, visit } };
};

const takesMore = (sections: Sections): void => {
  sections.number('all', 0);
  sections.number('more', 0);
};
const takesNothing = (): void => {};

test('a follower that cannot load its part stops one start; the next one skips the snapshot', {
  timeout,
}, async () => {
  for (const visit of [takesMore, takesNothing]) {
    await inTempDir(async (dataDir) => {
      const clock = new VirtualClock(START_MS);
      await run(dataDir, clock, 1, 2, 1);
      const opening = openExchange({ dataDir, clock, settings, followers: [counterThat(visit)] });
      await expect(opening).rejects.toThrow(SnapshotUnusable);
      expect(await restart(dataDir, clock)).toBe(0);
    });
  }
});

test('a snapshot made beside an exchange is read back, and gets no name if its file is damaged', {
  timeout,
}, async () => {
  await inTempDir(async (dataDir) => {
    const clock = new VirtualClock(START_MS);
    await run(dataDir, clock, 1, 2);
    const onStep = (step: string): void => {
      if (step === 'written') flip(join(dataDir, 'snapshots', snapshotsIn(dataDir)[0]), 0.5);
    };
    const making = makeSnapshot(dataDir, [counter().follower], { log: () => {}, onStep });
    await expect(making).rejects.toThrow(/does not match its checksum/);
    expect(snapshotsIn(dataDir)).toEqual([]);
  });
});

test('a follower that cannot load its part ends the making of a snapshot, which sets none aside and does not say so', {
  timeout,
}, async () => {
  await inTempDir(async (dataDir) => {
    const clock = new VirtualClock(START_MS);
    const { last } = await run(dataDir, clock, 1, 2, 1);
    await run(dataDir, clock, 2, 1);
    const making = makeSnapshot(dataDir, [counterThat(takesMore)], { log: () => {} });
    await expect(making).rejects.toThrow(/^The snapshot cannot be used: it has no section follower counter\/more\.$/);
    expect(snapshotsIn(dataDir)).toEqual([`${last}.snapshot`]);
  });
});

test('a snapshot made while an exchange runs covers durable records only', { timeout }, async () => {
  await inTempDir(async (dataDir) => {
    const clock = new VirtualClock(START_MS);
    await run(dataDir, clock, 1, 4, 1);
    const { exchange } = await started(dataDir, clock);
    const commands = commandsOf(2, () => clock.now());
    for (let round = 0; round < 4; round += 1) {
      const taken = Array.from({ length: 30 }, () => exchange.submit(commands.next().value));
      const [made] = await Promise.all([makeSnapshot(dataDir, [counter().follower], { log: () => {} }), ...taken]);
      expect(made ?? 0).toBeGreaterThan(0);
      expect(made ?? 0).toBeLessThanOrEqual(exchange.durableSequence);
      clock.advance(37);
    }
    // What the clock's last advance made due is durable with this: nothing else follows while the next snapshots are made.
    await exchange.submit(encodeCommand({ type: 'Tick' }));
    const last = await makeSnapshot(dataDir, [counter().follower], { log: () => {} });
    expect(last).toBe(exchange.durableSequence);
    expect(await makeSnapshot(dataDir, [counter().follower], { log: () => {} })).toBe(undefined);
    await exchange.close();
    expect(await restart(dataDir, clock)).toBe(last);
    // Verification compares the state of every snapshot with that of the replay.
    expect(await verifyJournal(dataDir)).toMatchObject({ snapshotCount: 3 });
  });
});

test('after a crash at any step of making a snapshot, a start uses the new or the previous one', {
  timeout,
}, async () => {
  await inTempDir(async (folder) => {
    const clock = new VirtualClock(START_MS);
    const original = join(folder, 'original');
    const { last } = await run(original, clock, 1, 3, 1);
    await run(original, clock, 2, 2);
    for (const step of ['begun', 'written', 'synced', 'renamed', 'pruned']) {
      const dataDir = join(folder, step);
      cpSync(original, dataDir, { recursive: true });
      const child = spawnSync(process.execPath, [join(import.meta.dirname, './makerChild.ts'), dataDir, step]);
      expect(child.signal, String(child.stderr)).toBe('SIGKILL');
      const isNamed = step === 'renamed' || step === 'pruned';
      const from = await restart(dataDir, clock);
      if (isNamed) expect(from, step).toBeGreaterThan(last);
      else expect(from, step).toBe(last);
      expect(
        existsSync(join(dataDir, 'snapshots')) && snapshotsIn(dataDir).some((file) => file.endsWith('.draft')),
      ).toBe(false);
    }
  });
});

test('a maker that was killed leaves a draft, which the next one removes while the exchange runs on', {
  timeout,
}, async () => {
  await inTempDir(async (dataDir) => {
    const clock = new VirtualClock(START_MS);
    const { exchange } = await started(dataDir, clock);
    await submitFounding(exchange);
    const drafts = (): string[] => snapshotsIn(dataDir).filter((file) => file.endsWith('.draft'));
    for (let seed = 1; seed <= 3; seed += 1) {
      await submitRounds(exchange, clock, seed, { rounds: 1, commandsEach: 30 });
      const child = spawnSync(process.execPath, [join(import.meta.dirname, './makerChild.ts'), dataDir, 'written']);
      expect(child.signal, String(child.stderr)).toBe('SIGKILL');
      expect(drafts().length, 'only that of the last maker').toBe(1);
    }
    const made = await makeSnapshot(dataDir, [counter().follower], { log: () => {} });
    expect(snapshotsIn(dataDir)).toEqual([`${made}.snapshot`]);
    await exchange.close();
  });
});

test('a snapshot that is removed while a start looks at it is passed over', { timeout }, async () => {
  await inTempDir(async (dataDir) => {
    const clock = new VirtualClock(START_MS);
    const { last } = await run(dataDir, clock, 1, 2, 1);
    // The maker of an exchange that was killed may still write a newer one, and remove the oldest.
    const list = SnapshotFolder.prototype.list;
    const listed = vi.spyOn(SnapshotFolder.prototype, 'list').mockImplementation(function (this: SnapshotFolder) {
      return [{ sequence: last + 1, path: join(this.path, `${last + 1}.snapshot`) }, ...list.call(this)];
    });
    const from = await restart(dataDir, clock).finally(() => listed.mockRestore());
    expect(from).toBe(last);
  });
});
