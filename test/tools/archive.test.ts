// Archiving a journal: records that no snapshot needs go into a folder and are read back before anything is removed. Starts
// work without the archive, readers of the records find them there or name the missing archive, and a crash at any step
// leaves a complete data directory.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nodeOptions } from '../../.ci/nodeOptions.mjs';
import {
  type ArchiveStep,
  archiveJournal,
  copyJournal,
  JournalArchived,
  JournalReader,
  openExchange,
  SnapshotFolder,
  VirtualClock,
  verifyJournal,
  wasLeftBehind,
} from '../../engine/index.ts';
import { JournalSource } from '../../server/history/source.ts';
import { makeUserLog } from '../../server/streams/userLog.ts';
import { inTempDir, whileRefused } from '../journal/support.ts';
import { counter, START_MS, settings, submitFounding, submitRounds } from '../pipeline/workload.ts';
import { runToEnd } from '../support/process.ts';
import { canRehearse } from '../support/rehearsal.ts';
import { watchSyncs } from '../support/syncs.ts';

const LONG = { timeout: 300_000 } as const;
const main = join(import.meta.dirname, '../../server/main.ts');
const STEPS: readonly ArchiveStep[] = ['copied', 'kept', 'listed', 'cut'];

/** Runs further commands in an exchange that is opened and closed; it leaves a snapshot. */
async function run(dataDir: string, clock: VirtualClock, seed: number, snapshotFrom = 1) {
  const followers = [counter().follower];
  const exchange = await openExchange({ dataDir, clock, settings, followers, snapshotFrom });
  if (exchange.isFresh) await submitFounding(exchange);
  await submitRounds(exchange, clock, seed, { rounds: 5, commandsEach: 25 });
  await exchange.close();
  return { hashes: exchange.stateHash(), from: exchange.snapshotSequence };
}

/** A data directory with three snapshots and some records after the last one, with its journal's verification and bytes. */
async function makeWorld(dataDir: string, clock: VirtualClock) {
  for (const seed of [1, 2, 3]) await run(dataDir, clock, seed);
  await run(dataDir, clock, 4, 1_000_000);
  return { verified: await verifyJournal(dataDir), bytes: await bytesOf(dataDir) };
}

/** Every record of a journal, back to back. */
async function bytesOf(dataDir: string): Promise<Buffer> {
  const reader = new JournalReader(dataDir);
  const all: Uint8Array[] = [];
  for (const records of reader.read()) for (const { bytes } of records) all.push(bytes);
  await reader.close();
  return Buffer.concat(all);
}

test('records that no snapshot needs are archived, and readers still get all records', LONG, async () => {
  await inTempDir(async (folder) => {
    const [dataDir, archive] = [join(folder, 'data'), join(folder, 'archive')];
    const clock = new VirtualClock(START_MS);
    const { verified, bytes } = await makeWorld(dataDir, clock);
    const archived = await archiveJournal(dataDir, archive);
    expect(archived?.keptFrom).toBeGreaterThan(50);
    expect(archived?.bytesAfter).toBeLessThan(archived?.bytesBefore ?? 0);
    const last = (archived?.keptFrom ?? 0) - 1;
    expect(readdirSync(archive)).toEqual([`records-1-${last}`]);
    expect(await bytesOf(dataDir)).toEqual(bytes);
    expect(await verifyJournal(dataDir)).toEqual(verified);
    // Nothing else is older than the snapshots, until there are newer ones.
    expect(await archiveJournal(dataDir, archive)).toBeUndefined();
    for (const seed of [5, 6, 7]) await run(dataDir, clock, seed);
    const again = await archiveJournal(dataDir, join(folder, 'elsewhere'));
    expect(again?.part.firstSequence).toBe(last + 1);
    const { hashes } = await run(dataDir, clock, 8, 1_000_000);
    expect((await verifyJournal(dataDir)).hashes).toEqual(hashes);
    // A copy is complete again.
    const copy = join(folder, 'copy');
    mkdirSync(copy);
    cpSync(join(dataDir, 'format.json'), join(copy, 'format.json'));
    await copyJournal(dataDir, join(copy, 'journal'));
    expect(await bytesOf(copy)).toEqual(await bytesOf(dataDir));
  });
});

test('an archive inside the data directory is refused however its path is written; nothing changes', LONG, async () => {
  await inTempDir(async (folder) => {
    const [dataDir, link] = [join(folder, 'data'), join(folder, 'link')];
    const { bytes } = await makeWorld(dataDir, new VirtualClock(START_MS));
    symlinkSync(dataDir, link);
    const names = readdirSync(dataDir);
    for (const target of [
      dataDir,
      join(dataDir, 'journal-kept'),
      join(link, 'a', 'b'),
      join(folder, 'x', '..', 'data'),
    ]) {
      await expect(archiveJournal(dataDir, target)).rejects.toThrow('must not be inside the data directory');
    }
    expect(readdirSync(dataDir)).toEqual(names);
    expect(await bytesOf(dataDir)).toEqual(bytes);
    expect(await archiveJournal(dataDir, `${dataDir}-archive`)).toBeDefined();
  });
});

test('a snapshot removed while its journal is verified is not reported as a fault', LONG, async () => {
  await inTempDir(async (folder) => {
    const dataDir = join(folder, 'data');
    const { verified } = await makeWorld(dataDir, new VirtualClock(START_MS));
    const snapshots = join(dataDir, 'snapshots');
    const oldest = Math.min(...readdirSync(snapshots).map((name) => Number.parseInt(name, 10)));
    const onRecord = ({ sequence }: { readonly sequence: number }): void => {
      if (sequence === 1) rmSync(join(snapshots, `${oldest}.snapshot`));
    };
    const { snapshotCount, snapshotFaults } = await verifyJournal(dataDir, { onRecord });
    expect([snapshotCount, snapshotFaults]).toEqual([verified.snapshotCount - 1, []]);
  });
});

/** Changes the format version in a snapshot's file, which is in bytes 8 to 11. */
function reform(path: string): void {
  const bytes = readFileSync(path);
  bytes.writeUInt32LE(bytes.readUInt32LE(8) + 1, 8);
  writeFileSync(path, bytes);
}

test(
  'archiving skips snapshots of another format version and keeps what the oldest readable one needs',
  LONG,
  async () => {
    await inTempDir(async (folder) => {
      const sound = join(folder, 'sound');
      await makeWorld(sound, new VirtualClock(START_MS));
      const kept = new SnapshotFolder(sound).list().map(({ sequence }) => sequence); // the newest first
      expect(kept.length).toBe(3);
      for (const foreign of [[2], [1, 2], [0, 1, 2], [0]]) {
        const dataDir = join(folder, `data-${foreign.join('-')}`);
        cpSync(sound, dataDir, { recursive: true });
        for (const index of foreign) reform(join(dataDir, 'snapshots', `${kept[index]}.snapshot`));
        const names = readdirSync(join(dataDir, 'snapshots'));
        const archived = await archiveJournal(dataDir, join(folder, `archive-${foreign.join('-')}`));
        const oldest = kept.findLast((_, index) => !foreign.includes(index));
        expect(archived === undefined, `${foreign}`).toBe(oldest === undefined);
        if (oldest !== undefined) {
          // The batch with the snapshot's last record is kept, and nothing before it.
          expect(archived?.keptFrom).toBeLessThanOrEqual(oldest);
          expect(archived?.keptFrom).toBeGreaterThan(kept[kept.indexOf(oldest) + 1] ?? 0);
        }
        expect(readdirSync(join(dataDir, 'snapshots'))).toEqual(names);
      }
    });
  },
);

test('if the oldest snapshot is damaged, archive and verify report it and nothing is archived', LONG, async () => {
  await inTempDir(async (folder) => {
    const [dataDir, archive] = [join(folder, 'data'), join(folder, 'archive')];
    const { bytes } = await makeWorld(dataDir, new VirtualClock(START_MS));
    const path = new SnapshotFolder(dataDir).list().at(-1)?.path ?? '';
    const damaged = readFileSync(path);
    damaged[damaged.length - 100] ^= 1;
    writeFileSync(path, damaged);
    const end = await runToEnd(['archive', archive, '--data-dir', dataDir]);
    expect(end.status).toBe(1);
    expect(end.output).toContain(`The snapshot ${path} cannot be used: `);
    expect(end.output).toContain('remove it');
    // Verification also reports it by its exit status, though the journal is sound.
    const verified = await runToEnd(['verify', '--data-dir', dataDir]);
    expect(verified.output).toContain(`The journal of ${dataDir} is sound.`);
    expect(verified.output).toContain('snapshot    cannot be used, and may be deleted: ');
    expect(verified.status).toBe(1);
    expect(await bytesOf(dataDir)).toEqual(bytes);
    expect(existsSync(archive)).toBe(false);
  });
});

test('archiving a truncated journal fails and releases the data directory', async () => {
  await inTempDir(async (folder) => {
    const [dataDir, archive] = [join(folder, 'data'), join(folder, 'archive')];
    await run(dataDir, new VirtualClock(START_MS), 1);
    truncateSync(join(dataDir, 'journal', 'data.mdb'), 10_000);
    for (let call = 0; call < 2; call += 1) {
      await expect(archiveJournal(dataDir, archive)).rejects.toThrow('the file data.mdb is cut off');
    }
    expect(existsSync(join(dataDir, 'lock'))).toBe(false);
  });
});

test('archiving reports progress up to the last record of the journal', LONG, async () => {
  await inTempDir(async (folder) => {
    const dataDir = join(folder, 'data');
    const { verified } = await makeWorld(dataDir, new VirtualClock(START_MS));
    const reported: [number, number][] = [];
    const onProgress = (done: number, total: number): void => void reported.push([done, total]);
    const archived = await archiveJournal(dataDir, join(folder, 'archive'), { onProgress });
    const total = verified.recordCount;
    expect(reported).toEqual([
      [(archived?.keptFrom ?? 0) - 1, total],
      [total, total],
    ]);
  });
});

test(
  'while an archive is missing, each stretch of refused user streams is reported once, with its folder',
  LONG,
  async () => {
    await inTempDir(async (folder) => {
      const [dataDir, archive, away] = [join(folder, 'data'), join(folder, 'archive'), join(folder, 'away')];
      await makeWorld(dataDir, new VirtualClock(START_MS));
      await archiveJournal(dataDir, archive);
      const reports: string[] = [];
      const log =
        makeUserLog(dataDir, (reason) => reports.push(reason)) ?? expect.unreachable('there is a data directory');
      const question = { owner: `0x${'11'.repeat(20)}`, marketIndex: undefined, streamId: 'all', after: 0, last: 1 };
      const read = (): Promise<void> => log.read(question, async () => true, new AbortController().signal);
      renameSync(archive, away);
      for (const _ of ['first', 'second']) await expect(read()).rejects.toThrow('were archived to');
      expect(reports).toEqual([expect.stringContaining(archive)]);
      renameSync(away, archive);
      await read();
      renameSync(archive, away);
      await expect(read()).rejects.toThrow('were archived to');
      expect(reports).toHaveLength(2);
    });
  },
);

test('without the archive, starts from a snapshot work and other readers name the missing records', LONG, async () => {
  await inTempDir(async (folder) => {
    const [dataDir, archive] = [join(folder, 'data'), join(folder, 'archive')];
    const clock = new VirtualClock(START_MS);
    await makeWorld(dataDir, clock);
    const archived = await archiveJournal(dataDir, archive);
    const last = (archived?.keptFrom ?? 0) - 1;
    renameSync(archive, join(folder, 'away'));
    const after = await run(dataDir, clock, 5, 1_000_000);
    expect(after.from).toBeGreaterThan(last);
    const missing = new RegExp(
      `The records 1 to ${last} of the journal were archived to .*records-1-${last} and cannot`,
    );
    await expect(verifyJournal(dataDir)).rejects.toThrow(missing);
    await expect(copyJournal(dataDir, join(folder, 'copy'))).rejects.toThrow(missing);
    // The historian identifies the journal, and reads on from where its index ends.
    const source = new JournalSource(dataDir);
    expect(source.hashAt(1)).toMatch(/^[0-9a-f]{64}$/);
    expect(source.hashAt(last + 1)).toMatch(/^[0-9a-f]{64}$/);
    expect(source.next(last + 1)).toBeDefined();
    expect(() => source.next(0)).toThrow(missing);
    await source.close();
    // Without snapshots a start needs all records.
    rmSync(join(dataDir, 'snapshots'), { recursive: true });
    await expect(run(dataDir, clock, 6)).rejects.toThrow(missing);
    const end = await runToEnd(['start', '--port', '0', '--data-dir', dataDir]);
    expect([end.status, end.output]).toEqual([5, expect.stringMatching(missing)]);
    renameSync(join(folder, 'away'), archive);
    const { hashes } = await run(dataDir, clock, 6, 1_000_000);
    expect((await verifyJournal(dataDir)).hashes).toEqual(hashes);
  });
});

test(
  'the list of archived parts may be edited to name their new place, and is refused if it makes no sense',
  LONG,
  async () => {
    await inTempDir(async (folder) => {
      const [dataDir, archive, moved] = ['data', 'archive', 'moved'].map((name) => join(folder, name));
      const { bytes } = await makeWorld(dataDir, new VirtualClock(START_MS));
      const archived = await archiveJournal(dataDir, archive);
      const file = join(dataDir, 'archive.json');
      const list = JSON.parse(readFileSync(file, 'utf8'));
      const [part] = list.parts;
      renameSync(archive, moved);
      const withPart = (change: object): string => JSON.stringify({ ...list, parts: [{ ...part, ...change }] });
      writeFileSync(file, withPart({ folder: part.folder.replace(archive, moved) }));
      expect(await bytesOf(dataDir)).toEqual(bytes);
      const refusals = [
        [withPart({ folder: dataDir }), `its records begin at ${archived?.keptFrom}`],
        [withPart({ folder: undefined }), `The archive list ${file} cannot be read: a part has no folder or no hash`],
        [withPart({ firstSequence: 2 }), 'does not begin at record 1'],
        [withPart({ lastSequence: 0 }), 'does not begin at record 1'],
        ['{"journal":"","parts":1}', 'it is not an archive list'],
        ['{', `The archive list ${file} cannot be read: `],
      ] as const;
      for (const [text, reason] of refusals) {
        writeFileSync(file, text);
        await expect(verifyJournal(dataDir), text).rejects.toThrow(reason);
      }
    });
  },
);

test('a file that the system does not let us open now is not reported as unusable or archived', LONG, async () => {
  await inTempDir(async (folder) => {
    const [dataDir, archive] = [join(folder, 'data'), join(folder, 'archive')];
    const { bytes } = await makeWorld(dataDir, new VirtualClock(START_MS));
    const isSnapshot = (path: string): boolean => path.endsWith('.snapshot');
    await whileRefused('EMFILE', isSnapshot, () =>
      expect(archiveJournal(dataDir, archive)).rejects.toThrow(/^EMFILE: /),
    );
    await archiveJournal(dataDir, archive);
    for (const refused of [archive, join(dataDir, 'archive.json')]) {
      const isRefused = (path: string): boolean => path.startsWith(refused);
      await whileRefused('EMFILE', isRefused, () => expect(bytesOf(dataDir), refused).rejects.toThrow(/^EMFILE: /));
      await whileRefused('EIO', isRefused, () => expect(bytesOf(dataDir), refused).rejects.toThrow(JournalArchived));
    }
    expect(await bytesOf(dataDir)).toEqual(bytes);
  });
});

test('a crash at any step of archiving loses no record, and the next call completes the work', LONG, async () => {
  await inTempDir(async (folder) => {
    const sound = join(folder, 'sound');
    const clock = new VirtualClock(START_MS);
    const { verified, bytes } = await makeWorld(sound, clock);
    for (const step of STEPS) {
      const [dataDir, archive] = [join(folder, step), join(folder, `archive-${step}`)];
      cpSync(sound, dataDir, { recursive: true });
      const onStep = (done: ArchiveStep): void => {
        if (done === step) throw new Error('crash');
      };
      await expect(archiveJournal(dataDir, archive, { onStep })).rejects.toThrow('crash');
      expect(await bytesOf(dataDir), step).toEqual(bytes);
      expect(existsSync(join(dataDir, 'journal-kept')), step).toBe(false);
      mkdirSync(join(dataDir, 'journal-kept')); // a killed process leaves it
      const again = await archiveJournal(dataDir, archive);
      if (step === 'cut') expect(again).toBeUndefined();
      else expect(again?.part.firstSequence, step).toBe(1);
      expect(await verifyJournal(dataDir)).toEqual(verified);
      expect(readdirSync(archive).length).toBe(1);
      expect(existsSync(join(dataDir, 'journal-kept')), step).toBe(step === 'cut');
    }
  });
});

test('records that are still in the journal are archived again if their listed copy is gone', LONG, async () => {
  await inTempDir(async (folder) => {
    const sound = join(folder, 'sound');
    const { verified, bytes } = await makeWorld(sound, new VirtualClock(START_MS));
    const archiveOf = (dataDir: string): string => `${dataDir}-archive`;
    const leaveListed: Readonly<Record<string, (dataDir: string) => Promise<void>>> = {
      'cut-off': async (dataDir) => {
        const onStep = (step: ArchiveStep): void => {
          if (step === 'listed') throw new Error('EACCES');
        };
        await expect(archiveJournal(dataDir, archiveOf(dataDir), { onStep })).rejects.toThrow('EACCES');
      },
      'put-back': async (dataDir) => {
        await archiveJournal(dataDir, archiveOf(dataDir));
        cpSync(join(sound, 'journal'), join(dataDir, 'journal'), { recursive: true });
      },
    };
    for (const [name, leave] of Object.entries(leaveListed)) {
      const [dataDir, elsewhere] = [join(folder, name), join(folder, `${name}-elsewhere`)];
      cpSync(sound, dataDir, { recursive: true });
      await leave(dataDir);
      expect(readFileSync(join(dataDir, 'archive.json'), 'utf8'), name).toContain(archiveOf(dataDir));
      rmSync(archiveOf(dataDir), { recursive: true });
      const archived = await archiveJournal(dataDir, elsewhere);
      expect(await bytesOf(dataDir), name).toEqual(bytes);
      expect(archived?.part.folder, name).toBe(join(elsewhere, ...readdirSync(elsewhere)));
      expect(await verifyJournal(dataDir), name).toEqual(verified);
    }
  });
});

/** Archives a journal up to the step after which the copy is in the archive and nothing has been removed. */
async function crashAfterFirstStep(dataDir: string, archive: string): Promise<void> {
  const onStep = (): void => {
    throw new Error('crash');
  };
  await expect(archiveJournal(dataDir, archive, { onStep })).rejects.toThrow('crash');
}

test('if the archived copy differs from the original, no record is removed', LONG, async () => {
  await inTempDir(async (folder) => {
    const [dataDir, archive] = [join(folder, 'data'), join(folder, 'archive')];
    const { bytes } = await makeWorld(dataDir, new VirtualClock(START_MS));
    await crashAfterFirstStep(dataDir, archive);
    const [part] = readdirSync(archive);
    const file = join(archive, part, 'journal', 'data.mdb');
    const damaged = readFileSync(file);
    damaged[20_000] ^= 4;
    writeFileSync(file, damaged);
    await expect(archiveJournal(dataDir, archive)).rejects.toThrow(/differs from the original|is damaged/);
    expect(await bytesOf(dataDir)).toEqual(bytes);
  });
});

test('on a full disk archive names the copy that cannot be written and leaves nothing of it', LONG, async () => {
  if (!canRehearse('the full disk')) return;
  await inTempDir(async (folder) => {
    const [dataDir, archive] = [join(folder, 'data'), join(folder, 'archive')];
    const { verified } = await makeWorld(dataDir, new VirtualClock(START_MS));
    const names = readdirSync(dataDir);
    const command = [process.execPath, ...nodeOptions, main, 'archive', archive, '--data-dir', dataDir];
    const copyOf = (place: string) =>
      new RegExp(`^The copy in ${place} cannot be written: EFBIG: .*\\.\nNo record was removed from ${dataDir}\\.\n$`);
    const end = spawnSync('prlimit', ['--fsize=16384:', ...command], { encoding: 'utf8' });
    expect(end.stderr).toMatch(copyOf(`${archive}/records-1-\\d+\\.draft/journal`));
    expect([end.status, readdirSync(archive), readdirSync(dataDir)]).toEqual([1, [], names]);
    // The same for the copy of what is kept, once the part is in the archive.
    await crashAfterFirstStep(dataDir, archive);
    const again = spawnSync('prlimit', ['--fsize=16384:', ...command], { encoding: 'utf8' });
    expect(again.stderr).toMatch(copyOf(`${dataDir}/journal-kept`));
    expect([again.status, readdirSync(dataDir)]).toEqual([1, names]);
    expect(await verifyJournal(dataDir)).toEqual(verified);
    expect((await runToEnd(command.slice(command.indexOf('archive')))).status).toBe(0);
  });
});

test(
  'archive reports what it did; without a snapshot or while an exchange runs it archives nothing',
  LONG,
  async () => {
    await inTempDir(async (folder) => {
      const [dataDir, archive] = [join(folder, 'data'), join(folder, 'archive')];
      const clock = new VirtualClock(START_MS);
      await run(dataDir, clock, 1, 1_000_000);
      const command = ['archive', archive, '--data-dir', dataDir];
      expect((await runToEnd(command)).output).toContain('Nothing to archive');
      await makeWorld(dataDir, clock);
      const exchange = await openExchange({ dataDir, clock, settings, followers: [counter().follower] });
      const refused = await runToEnd(command);
      expect([refused.status, refused.output]).toEqual([4, expect.stringContaining('is in use by process')]);
      await exchange.close();
      // Given relative to the operator's working directory, and found from anywhere afterwards.
      const end = await runToEnd(['archive', 'archive', '--data-dir', 'data'], { cwd: folder });
      const report =
        /^Archived the records 1 to (\d+) in (.*), read back\.\n.* keeps the records from (\d+) on: ([\d.]+) MB instead of ([\d.]+) MB\. /m;
      const [, last, part, from, after, before] = report.exec(end.output) ?? expect.unreachable(end.output);
      expect([Number(from), part]).toEqual([Number(last) + 1, join(archive, `records-1-${last}`)]);
      expect(Number(after)).toBeCloseTo(statSync(join(dataDir, 'journal', 'data.mdb')).size / 1e6, 1);
      expect(Number(before)).toBeGreaterThan(Number(after));
      expect(end.status).toBe(0);
      expect((await runToEnd(['verify', '--data-dir', dataDir])).status).toBe(0);
    });
  },
);

test('after a crash archive first reads the journal in another process', LONG, async () => {
  await inTempDir(async (folder) => {
    const [dataDir, archive] = [join(folder, 'data'), join(folder, 'archive')];
    await run(dataDir, new VirtualClock(START_MS), 1, 1_000_000);
    writeFileSync(join(dataDir, 'lock'), JSON.stringify({ pid: 2 ** 22 + 1 }));
    const script = `if (process.argv[1].endsWith('firstLookChild.ts')) process.kill(process.pid, 'SIGSEGV');`;
    const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(script)}` };
    const refused = await runToEnd(['archive', archive, '--data-dir', dataDir], { env });
    expect([refused.status, refused.output]).toEqual([
      5,
      expect.stringContaining('is damaged: reading it killed a process with SIGSEGV'),
    ]);
    expect(wasLeftBehind(dataDir)).toBe(true);
    const end = await runToEnd(['archive', archive, '--data-dir', dataDir]);
    expect([end.status, end.output]).toEqual([0, expect.stringContaining('Nothing to archive')]);
    expect(wasLeftBehind(dataDir)).toBe(false);
  });
});

test('archiving syncs format.json, then its folder, and the archive folder against a power loss', LONG, async () => {
  await inTempDir(async (folder) => {
    const [dataDir, archive] = [join(folder, 'data'), join(folder, 'archive')];
    await makeWorld(dataDir, new VirtualClock(START_MS));
    const synced = await watchSyncs(() => archiveJournal(dataDir, archive));
    const [name] = readdirSync(archive);
    const [part, list, journal] = [join(archive, name), join(dataDir, 'archive.json'), join(dataDir, 'journal')];
    // The part, then the list that names it, and only then the journal without its records.
    expect(synced.filter((entry) => !/journal-kept|\.mdb$|^made /.test(entry) || entry.startsWith('named '))).toEqual([
      `synced ${folder}`,
      ...[`synced ${join(`${part}.draft`, 'format.json')}`, `synced ${join(`${part}.draft`, 'journal')}`],
      ...[`synced ${part}.draft`, `named ${part}`, `synced ${archive}`],
      ...[`synced ${dataDir}`, `synced ${list}.new`, `named ${list}`, `synced ${dataDir}`],
      ...[`named ${join(journal, 'data.mdb')}`, `synced ${journal}`],
    ]);
  });
});

test('archiving syncs a part that an earlier call left in place before the journal is cut', LONG, async () => {
  await inTempDir(async (folder) => {
    const [dataDir, archive] = [join(folder, 'data'), join(folder, 'archive')];
    await makeWorld(dataDir, new VirtualClock(START_MS));
    await crashAfterFirstStep(dataDir, archive);
    const [name] = readdirSync(archive);
    const part = join(archive, name);
    const synced = await watchSyncs(() => archiveJournal(dataDir, archive));
    const listed = synced.indexOf(`named ${join(dataDir, 'archive.json')}`);
    expect(synced.slice(0, listed)).toEqual(
      expect.arrayContaining([part, join(part, 'journal'), archive].map((path) => `synced ${path}`)),
    );
  });
});

test('verify finds all records even if some are archived while it opens the journal', LONG, async () => {
  await inTempDir(async (folder) => {
    const [dataDir, archive] = [join(folder, 'data'), join(folder, 'archive')];
    const { verified } = await makeWorld(dataDir, new VirtualClock(START_MS));
    const command = [...nodeOptions, main, 'archive', archive, '--data-dir', dataDir];
    // The first check for a list of archived records returns the truth, and the archiving happens before the next step.
    const script = `import fs from 'node:fs';
      import { spawnSync } from 'node:child_process';
      import { syncBuiltinESMExports } from 'node:module';
      const { existsSync } = fs;
      fs.existsSync = (path) => {
        const exists = existsSync(path);
        const isFirst = String(path).endsWith('archive.json') && !existsSync(${JSON.stringify(archive)});
        if (isFirst) spawnSync(process.execPath, ${JSON.stringify(command)}, { env: {} });
        return exists;
      };
      syncBuiltinESMExports();`;
    const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(script)}` };
    const { status, output } = await runToEnd(['verify', '--data-dir', dataDir, '--json'], { env });
    expect(readdirSync(archive)).toHaveLength(1);
    expect([status, output]).toEqual([0, expect.stringContaining(`"recordCount":${verified.recordCount}`)]);
  });
});
