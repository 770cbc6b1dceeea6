// Archiving that is cut off, by a crash, a full disk or a power loss, or whose copy is damaged or gone: no record is lost, and the
// next call completes the work.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nodeOptions } from '../../.ci/nodeOptions.mjs';
import { type ArchiveStep, archiveJournal, VirtualClock, verifyJournal, wasLeftBehind } from '../../engine/index.ts';
import { inTempDir } from '../journal/support.ts';
import { START_MS } from '../pipeline/workload.ts';
import { runToEnd } from '../support/process.ts';
import { canRehearse } from '../support/rehearsal.ts';
import { watchSyncs } from '../support/syncs.ts';
import { bytesOf, LONG, main, makeWorld, run } from './archiveWorld.ts';

const STEPS: readonly ArchiveStep[] = ['copied', 'kept', 'listed', 'cut'];

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
      leaveDraft(dataDir);
      const again = await archiveJournal(dataDir, archive);
      if (step === 'cut') expect(again).toBeUndefined();
      else expect(again?.part.firstSequence, step).toBe(1);
      expect(await verifyJournal(dataDir)).toEqual(verified);
      expect(readdirSync(archive).length).toBe(1);
      expect(existsSync(join(dataDir, 'journal-kept')), step).toBe(false);
    }
  });
});

/** Leaves what a killed call does: records that it copied, which may be as many as the journal has. */
function leaveDraft(dataDir: string): void {
  cpSync(join(dataDir, 'journal'), join(dataDir, 'journal-kept'), { recursive: true });
}

test('what a killed call copied into the data directory is removed by the next start', LONG, async () => {
  await inTempDir(async (folder) => {
    const dataDir = join(folder, 'data');
    const clock = new VirtualClock(START_MS);
    await run(dataDir, clock, 1, 1_000_000);
    const names = readdirSync(dataDir);
    leaveDraft(dataDir);
    await run(dataDir, clock, 1, 1_000_000);
    expect(readdirSync(dataDir)).toEqual(names);
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
