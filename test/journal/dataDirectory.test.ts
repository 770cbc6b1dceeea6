// The data directory: one process at a time, the holder named by its pid, stale locks taken over, newer formats refused.
// The other process is a real one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DataDirectory, DataDirectoryLocked, FormatUnsupported, JournalReader } from '../../engine/journal/index.ts';
import { inTempDir } from './support.ts';

/** A process that holds the directory until it is killed; resolves when it does. */
async function holder(dir: string) {
  const module = new URL('../../engine/journal/dataDirectory.ts', import.meta.url).href;
  const script = `
    const { DataDirectory } = await import(${JSON.stringify(module)});
    new DataDirectory(${JSON.stringify(dir)});
    console.log('held');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

test('a second process gets the pid of the first, and the directory once that is gone', async () => {
  await inTempDir(async (dir) => {
    const child = await holder(dir);
    try {
      new DataDirectory(dir);
      expect.unreachable('the directory is held');
    } catch (error) {
      expect(error).toBeInstanceOf(DataDirectoryLocked);
      expect(error).toMatchObject({ pid: child.pid, directory: dir });
      expect(String(error)).toContain('--data-dir');
    }
    child.kill('SIGKILL');
    await once(child, 'exit');
    const directory = new DataDirectory(dir);
    expect(JSON.parse(readFileSync(join(dir, 'lock'), 'utf8')).pid).toBe(process.pid);
    directory.release();
    expect(existsSync(join(dir, 'lock'))).toBe(false);
  });
});

test('a process cannot open its own directory twice', async () => {
  await inTempDir((dir) => {
    const directory = new DataDirectory(dir);
    expect(() => new DataDirectory(dir)).toThrow(DataDirectoryLocked);
    directory.release();
    new DataDirectory(dir).release();
  });
});

test('a lock of this pid from an earlier life, and one that cannot be read, are taken over', async () => {
  await inTempDir((dir) => {
    for (const text of [JSON.stringify({ pid: process.pid }), '', '{"pid":']) {
      writeFileSync(join(dir, 'lock'), text);
      new DataDirectory(dir).release();
    }
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

test('a newer or unreadable format is refused by name, and the lock is not kept', async () => {
  await inTempDir((dir) => {
    new DataDirectory(dir).release();
    expect(JSON.parse(readFileSync(join(dir, 'format.json'), 'utf8'))).toEqual({ format: 2 });
    for (const [text, found] of [
      ['{"format": 1}', '1'],
      ['{"format": 3}', '3'],
      ['{"format": "old"}', 'old'],
      ['{}', 'unknown'],
      ['not JSON', 'unknown'],
    ]) {
      writeFileSync(join(dir, 'format.json'), text);
      expect(() => new DataDirectory(dir)).toThrow(FormatUnsupported);
      expect(() => new DataDirectory(dir)).toThrow(`has format ${found}; this program reads format 2`);
      expect(existsSync(join(dir, 'lock'))).toBe(false);
    }
  });
});

test('a reader says when there is no journal', async () => {
  await inTempDir((dir) => {
    expect(() => new JournalReader(dir)).toThrow('There is no journal');
    expect(existsSync(join(dir, 'journal'))).toBe(false);
  });
});

test('a folder that can hold no new ones is an error at once, not a hang', async () => {
  const module = new URL('../../engine/journal/dataDirectory.ts', import.meta.url).href;
  const script = `
    const { DataDirectory } = await import(${JSON.stringify(module)});
    try { new DataDirectory('/proc/outcry/data'); } catch (error) { console.log(error.code); }`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { timeout: 20_000 });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  await once(child, 'close');
  // Without /proc it is the root folder that does not take a new one.
  expect(text.trim()).toMatch(/^E(NOENT|ACCES|ROFS|PERM)$/);
});
