// The data directory: one process at a time, the holder named by its pid, stale locks taken over, newer formats refused.
// The other process is a real one.
import childProcess, { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import {
  DataDirectory,
  DataDirectoryLocked,
  FormatUnsupported,
  JournalReader,
  LmdbStore,
  makeFolders,
  wasLeftBehind,
} from '../../engine/journal/index.ts';
import { PATIENCE } from '../support/patience.ts';
import { canRehearse } from '../support/rehearsal.ts';
import { watchSyncs } from '../support/syncs.ts';
import { inTempDir, whileRefused, withReplaced } from './support.ts';

/**
 * Runs `run` beside a process that holds the directory until it is killed, at the end at the latest. `before` is the
 * command that starts it, with its arguments.
 */
async function besideHolder(
  dir: string,
  run: (pid: number | undefined, kill: () => Promise<void>) => Promise<void>,
  before: readonly string[] = [],
): Promise<void> {
  const module = new URL('../../engine/journal/dataDirectory.ts', import.meta.url).href;
  const script = `
    const { DataDirectory } = await import(${JSON.stringify(module)});
    new DataDirectory(${JSON.stringify(dir)});
    console.log('held');
    setInterval(() => {}, 1000);`;
  const [program, ...args] = [...before, process.execPath, '--input-type=module', '-e', script];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  try {
    await once(child.stdout, 'data');
    await run(child.pid, kill);
  } finally {
    await kill();
  }
}

/** The error with which a directory cannot be opened. */
function refusalOf(dir: string): DataDirectoryLocked {
  try {
    new DataDirectory(dir).release();
  } catch (error) {
    if (error instanceof DataDirectoryLocked) return error;
    throw error;
  }
  throw new Error('The directory was opened.');
}

const lockIn = (dir: string): { readonly id: string } => JSON.parse(readFileSync(join(dir, 'lock'), 'utf8'));
const socketsIn = (dir: string): string[] => readdirSync(dir).filter((name) => name.startsWith('lock.'));

/** Rewrites a lock as a process of another pid namespace would: neither side knows the other's pids. */
function moveElsewhere(dir: string): void {
  const away = { ...lockIn(dir), pid: 2 ** 22 + 1, pidNamespace: 'pid:[1]' };
  writeFileSync(join(dir, 'lock'), JSON.stringify(away));
}

test('a second process is rejected with the pid of the first and gets the directory after its exit', async () => {
  await inTempDir((dir) =>
    besideHolder(dir, async (pid, kill) => {
      const refusal = refusalOf(dir);
      expect(refusal).toMatchObject({ pid, directory: dir });
      expect(String(refusal)).toContain('--data-dir');
      await kill();
      const directory = new DataDirectory(dir);
      expect(JSON.parse(readFileSync(join(dir, 'lock'), 'utf8')).pid).toBe(process.pid);
      directory.release();
      expect(existsSync(join(dir, 'lock'))).toBe(false);
    }),
  );
});

test('a process cannot open its own directory twice', async () => {
  await inTempDir((dir) => {
    const directory = new DataDirectory(dir);
    expect(() => new DataDirectory(dir)).toThrow(DataDirectoryLocked);
    directory.release();
    new DataDirectory(dir).release();
  });
});

// A socket's path has room for some hundred bytes; a longer one must be listened on too.
for (const folder of ['data', 'd'.repeat(200)]) {
  test(`a holder in another pid namespace keeps its directory while it lives: ${folder.length} letters`, async () => {
    await inTempDir(async (parent) => {
      const dir = join(parent, folder);
      mkdirSync(dir);
      await besideHolder(dir, async (_, kill) => {
        moveElsewhere(dir);
        expect(refusalOf(dir).message).toContain('another container');
        expect(refusalOf(dir).message).not.toContain('remove');
        expect(wasLeftBehind(dir)).toBe(false);
        expect(socketsIn(dir)).toHaveLength(1);
        await kill();
        expect(wasLeftBehind(dir)).toBe(true);
        const directory = new DataDirectory(dir);
        expect(socketsIn(dir)).toEqual([`lock.${lockIn(dir).id}`]);
        directory.release();
        expect(readdirSync(dir)).toEqual(['format.json']);
      });
    });
  });
}

test('a holder in another pid namespace that cannot be checked counts as alive', async () => {
  await inTempDir((dir) => {
    const text = JSON.stringify({ pid: process.pid, pidNamespace: 'pid:[1]', id: '0123456789abcdef' });
    writeFileSync(join(dir, 'lock'), text);
    expect(refusalOf(dir).message).toContain(`remove the file ${join(dir, 'lock')}`);
    expect(wasLeftBehind(dir)).toBe(false);
    expect(readFileSync(join(dir, 'lock'), 'utf8')).toBe(text);
    rmSync(join(dir, 'lock'));
    new DataDirectory(dir).release();
  });
});

test('two processes with pid 1 in their own namespaces never hold a directory at once', async () => {
  const inNamespace = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const [unshare, ...args] = inNamespace;
  if (spawnSync(unshare, [...args, 'true']).status !== 0) {
    console.info('This system lets nobody make namespaces here: nothing to test.');
    return;
  }
  const module = new URL('../../engine/journal/dataDirectory.ts', import.meta.url).href;
  await inTempDir(async (dir) => {
    const script = `
      const { DataDirectory } = await import(${JSON.stringify(module)});
      try { new DataDirectory(${JSON.stringify(dir)}); console.log('opened'); } catch (error) { console.log(error.name); }
      process.exit();`;
    const nodeArgs = ['--input-type=module', '-e', script];
    const second = (): string =>
      spawnSync(unshare, [...args, process.execPath, ...nodeArgs], { encoding: 'utf8' }).stdout;
    const run = async (_: unknown, kill: () => Promise<void>): Promise<void> => {
      expect(JSON.parse(readFileSync(join(dir, 'lock'), 'utf8')).pid).toBe(1);
      expect(refusalOf(dir).pid).toBe(1);
      expect(second()).toBe('DataDirectoryLocked\n');
      await kill();
      expect(second()).toBe('opened\n');
    };
    await besideHolder(dir, run, inNamespace);
  });
});

test('a lock moved aside as stale by mistake keeps others out as long as its holder lives', async () => {
  await inTempDir((dir) =>
    besideHolder(dir, async (pid, kill) => {
      // The state after a process that saw the stale lock before this one was killed before it put this one back.
      const [lock, aside] = [join(dir, 'lock'), join(dir, 'lock.stale.0123456789abcdef')];
      const { id } = lockIn(dir);
      renameSync(lock, aside);
      expect(refusalOf(dir).pid).toBe(pid);
      expect([lockIn(dir).id, existsSync(aside)]).toEqual([id, false]);
      // The same for a holder that has ended by then.
      renameSync(lock, aside);
      await kill();
      const directory = new DataDirectory(dir);
      expect(lockIn(dir).id).not.toBe(id);
      directory.release();
      expect(readdirSync(dir)).toEqual(['format.json']);
    }),
  );
});

test('releasing a directory leaves the lock of another holder in place', async () => {
  await inTempDir((dir) => {
    const directory = new DataDirectory(dir);
    const text = JSON.stringify({ ...lockIn(dir), id: '0123456789abcdef' });
    writeFileSync(join(dir, 'lock'), text);
    directory.release();
    expect(readFileSync(join(dir, 'lock'), 'utf8')).toBe(text);
  });
});

test('a lock that cannot be checked against those moved aside is not kept', async () => {
  await inTempDir((dir) => {
    const folder = join(dir, 'lock.stale.folder');
    mkdirSync(folder); // it cannot be removed as a file can
    expect(() => new DataDirectory(dir)).toThrow(/EISDIR/);
    expect(existsSync(join(dir, 'lock'))).toBe(false);
    rmSync(folder, { recursive: true });
    new DataDirectory(dir).release();
  });
});

test('a lock with this pid from an earlier run and an unreadable lock are taken over', async () => {
  await inTempDir((dir) => {
    for (const text of [JSON.stringify({ pid: process.pid }), '', '{"pid":']) {
      writeFileSync(join(dir, 'lock'), text);
      new DataDirectory(dir).release();
    }
  });
});

test('a lock that the system does not let us read is not taken over', async () => {
  await inTempDir(async (dir) => {
    const lock = join(dir, 'lock');
    const text = JSON.stringify({ pid: 2 ** 22 + 1 });
    const refusals = {
      'at the first look': (path: string) => path === lock,
      'once it was moved aside': (path: string) => path.startsWith(join(dir, 'lock.stale.')),
    };
    for (const [when, isRefused] of Object.entries(refusals)) {
      writeFileSync(lock, text);
      await whileRefused('EMFILE', isRefused, () => expect(() => new DataDirectory(dir), when).toThrow('EMFILE'));
      expect([readFileSync(lock, 'utf8'), readdirSync(dir)], when).toEqual([text, ['lock']]);
    }
    new DataDirectory(dir).release();
  });
});

test('a directory is released, with its lock left, if the lock cannot be read by then', async () => {
  await inTempDir(async (dir) => {
    const lock = join(dir, 'lock');
    const directory = new DataDirectory(dir);
    const isLock = (path: string): boolean => path === lock;
    await whileRefused('EMFILE', isLock, () => {
      directory.release();
      expect(wasLeftBehind(dir)).toBe(true);
    });
    expect(existsSync(lock)).toBe(true);
  });
});

test('a lock whose pid belongs to a process that started later is taken over', async () => {
  if (!existsSync('/proc/self/stat')) {
    console.info('This system does not tell when a process started: nothing to test here.');
    return;
  }
  await inTempDir((dir) => {
    writeFileSync(join(dir, 'lock'), JSON.stringify({ pid: process.ppid, startedAt: 'an earlier boot/17' }));
    new DataDirectory(dir).release();
    writeFileSync(join(dir, 'lock'), JSON.stringify({ pid: process.ppid }));
    expect(() => new DataDirectory(dir)).toThrow(DataDirectoryLocked);
  });
});

test('where the system does not say when a process started, a lock whose pid is used again is taken over', async () => {
  await inTempDir((dir) =>
    besideHolder(dir, async (pid, kill) => {
      const untold = { ...lockIn(dir), startedAt: undefined };
      writeFileSync(join(dir, 'lock'), JSON.stringify(untold));
      expect(refusalOf(dir).pid).toBe(pid);
      await kill();
      writeFileSync(join(dir, 'lock'), JSON.stringify({ ...untold, pid: process.ppid }));
      const directory = new DataDirectory(dir);
      expect(socketsIn(dir)).toEqual([`lock.${lockIn(dir).id}`]);
      directory.release();
      // Without a socket nothing tells whether the holder lives.
      writeFileSync(join(dir, 'lock'), JSON.stringify({ pid: process.ppid, id: '0123456789abcdef' }));
      expect(refusalOf(dir).pid).toBe(process.ppid);
    }),
  );
});

test('a lock that cannot be written for lack of space is not left behind, with or without hard links', async () => {
  if (!canRehearse('the full disk')) return;
  const module = new URL('../../engine/journal/dataDirectory.ts', import.meta.url).href;
  await inTempDir((dir) => {
    const withLinks = `fill();`;
    const withoutLinks = `
      fs.linkSync = () => { fill(); throw Object.assign(new Error('no links'), { code: 'EPERM' }); };
      syncBuiltinESMExports();`;
    for (const prepare of [withLinks, withoutLinks]) {
      const script = `
        import fs from 'node:fs';
        import { spawnSync } from 'node:child_process';
        import { syncBuiltinESMExports } from 'node:module';
        const fill = () => spawnSync('prlimit', ['--fsize=10:', '--pid', String(process.pid)]);
        const { DataDirectory } = await import(${JSON.stringify(module)});
        ${prepare}
        let code;
        try { new DataDirectory(${JSON.stringify(dir)}); } catch (error) { code = error.code; }
        process.exit(code === 'EFBIG' ? 0 : 1);`;
      const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
      expect([status, readdirSync(dir)]).toEqual([0, []]);
    }
  });
});

test('a directory that a thread of this process holds is refused, and taken over once the thread has ended', async () => {
  const module = new URL('../../engine/journal/dataDirectory.ts', import.meta.url).href;
  await inTempDir(async (dir) => {
    const script = `
      import(${JSON.stringify(module)}).then(({ DataDirectory }) => {
        new DataDirectory(${JSON.stringify(dir)});
        require('node:worker_threads').parentPort.postMessage('held');
        setInterval(() => {}, 1000);
      });`;
    const thread = new Worker(script, { eval: true, execArgv: [] });
    try {
      await once(thread, 'message');
      // No process can be started that would connect to the thread's socket: it may live.
      const spawnSync = (() => ({ status: null })) as unknown as typeof childProcess.spawnSync; // nothing else is read
      await withReplaced(childProcess, { spawnSync }, () => expect(refusalOf(dir).pid).toBe(process.pid));
      expect(refusalOf(dir).pid).toBe(process.pid);
      expect(wasLeftBehind(dir)).toBe(false);
    } finally {
      await thread.terminate();
    }
    expect(wasLeftBehind(dir)).toBe(true);
    new DataDirectory(dir).release();
    expect(readdirSync(dir)).toEqual(['format.json']);
  });
});

test('an older, newer, unreadable or lost format throws FormatUnsupported and leaves no lock', async () => {
  await inTempDir((dir) => {
    new DataDirectory(dir).release();
    mkdirSync(join(dir, 'journal'));
    writeFileSync(join(dir, 'journal/data.mdb'), '');
    expect(JSON.parse(readFileSync(join(dir, 'format.json'), 'utf8'))).toEqual({ format: 2 });
    for (const [text, found] of [
      ['{"format": 1}', '1'],
      ['{"format": 3}', '3'],
      ['{"format": "old"}', 'old'],
      ['{}', 'unknown'],
      ['not JSON', 'unknown'],
      [undefined, 'unknown'],
    ]) {
      if (text === undefined) rmSync(join(dir, 'format.json'));
      else writeFileSync(join(dir, 'format.json'), text);
      expect(() => new DataDirectory(dir)).toThrow(FormatUnsupported);
      expect(() => new DataDirectory(dir)).toThrow(`has format ${found}; this program reads format 2`);
      expect(existsSync(join(dir, 'lock'))).toBe(false);
    }
  });
});

test('a reader throws if there is no journal, and creates none', async () => {
  await inTempDir((dir) => {
    expect(() => new JournalReader(dir)).toThrow('There is no journal');
    expect(existsSync(join(dir, 'journal'))).toBe(false);
  });
});

test('makeFolders syncs the parent of each folder it creates, so that a power loss keeps them', async () => {
  await inTempDir(async (dir) => {
    const above = join(dir, 'above');
    const path = join(above, 'data');
    expect(await watchSyncs(() => makeFolders(path))).toEqual([
      `made ${above}`,
      `synced ${dir}`,
      `made ${path}`,
      `synced ${above}`,
    ]);
    expect(await watchSyncs(() => makeFolders(path))).toEqual([]);
  });
});

test('a new data directory syncs its format.json, its journal and their folders against a power loss', async () => {
  await inTempDir(async (parent) => {
    const dir = join(parent, 'data');
    const journal = join(dir, 'journal');
    const synced = await watchSyncs(async () => {
      const directory = new DataDirectory(dir);
      await new LmdbStore(directory.journalPath).close();
      directory.release();
    });
    // Each file before it gets its name, then its folder; each new folder's parent.
    expect(synced).toEqual([
      ...[`made ${dir}`, `synced ${parent}`],
      ...[`synced ${join(dir, 'format.json.new')}`, `named ${join(dir, 'format.json')}`],
      ...[`synced ${dir}`, `synced ${parent}`],
      ...[`made ${journal}`, `synced ${join(journal, 'lock.mdb')}`, `synced ${join(journal, 'data.mdb')}`],
      ...[`synced ${journal}`, `synced ${dir}`],
    ]);
  });
});

test('every start syncs the names of the journal again, which an earlier process may have left unsynced', async () => {
  await inTempDir(async (parent) => {
    const dir = join(parent, 'data');
    const journal = join(dir, 'journal');
    const open = async (): Promise<void> => {
      const directory = new DataDirectory(dir);
      await new LmdbStore(directory.journalPath).close();
      directory.release();
    };
    await open();
    expect(await watchSyncs(open)).toEqual([`synced ${journal}`, `synced ${dir}`]);
    // An empty file is removed and created anew.
    truncateSync(join(journal, 'data.mdb'), 0);
    const file = `synced ${join(journal, 'data.mdb')}`;
    expect(await watchSyncs(open)).toEqual([file, `synced ${journal}`, `synced ${dir}`]);
  });
});

test('a data directory below a folder that cannot be listed opens at the first start too', async () => {
  await inTempDir(async (parent) => {
    const dir = join(parent, 'data');
    mkdirSync(dir);
    // As one with mode 0711 that belongs to somebody else. The superuser could open that.
    const isParent = (path: string): boolean => path === parent;
    await whileRefused('EACCES', isParent, () => {
      for (let start = 0; start < 2; start += 1) new DataDirectory(dir).release();
      expect(existsSync(join(dir, 'format.json'))).toBe(true);
      // A folder that this process makes must have a durable name.
      for (let start = 0; start < 2; start += 1) {
        expect(() => new DataDirectory(join(parent, 'other'))).toThrow(/EACCES/);
      }
    });
  });
});

test('a data directory that cannot be created fails with an error instead of hanging', async () => {
  const module = new URL('../../engine/journal/dataDirectory.ts', import.meta.url).href;
  const script = `
    const { DataDirectory } = await import(${JSON.stringify(module)});
    try { new DataDirectory('/proc/outcry/data'); } catch (error) { console.log(error.code); }`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { timeout: PATIENCE.timeout });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  await once(child, 'close');
  // Without /proc the root folder refuses a new one.
  expect(text.trim()).toMatch(/^E(NOENT|ACCES|ROFS|PERM)$/);
});
