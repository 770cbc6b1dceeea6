// Archiving a journal: records that no snapshot needs go into a folder and are read back before anything is removed. Starts
// work without the archive, and readers of the records find them there or name the missing archive. archiveFaults.test.ts has
// what is cut off.
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
  archiveJournal,
  copyJournal,
  JournalArchived,
  openExchange,
  SnapshotFolder,
  VirtualClock,
  verifyJournal,
} from '../../engine/index.ts';
import { JournalSource } from '../../server/history/source.ts';
import { makeUserLog } from '../../server/streams/userLog.ts';
import { inTempDir, whileRefused } from '../journal/support.ts';
import { counter, START_MS, settings } from '../pipeline/workload.ts';
import { runToEnd } from '../support/process.ts';
import { bytesOf, LONG, main, makeWorld, run } from './archiveWorld.ts';

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
        [withPart({ lastSequence: 0 }), `the part in ${part.folder} cannot end at record 0`],
        [withPart({ lastSequence: part.lastSequence - 0.5 }), `cannot end at record ${part.lastSequence - 0.5}`],
        [withPart({ lastSequence: `${part.lastSequence}` }), `cannot end at record "${part.lastSequence}"`],
        [withPart({ lastSequence: undefined }), 'cannot end at record undefined'],
        ['{"journal":"","parts":[null]}', 'a part has no folder or no hash'],
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
