// A data directory that cannot be used: the message of a start names what is in the way, or what the system refuses, and what to
// do, and nothing is created there. One that disappears while an exchange runs.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { refusalOf } from '../../server/dataDirectory/obstacles.ts';
import { send } from '../support/client.ts';
import { startServerProcess } from '../support/process.ts';
import { startTestServer } from '../support/server.ts';
import { tempDir } from '../support/tempDir.ts';

/** The sentence of a start that the data directory prevents. */
async function refusalAt(dataDir: string): Promise<string> {
  try {
    await startTestServer({ config: { dataDir } });
  } catch (error) {
    expect(error).toMatchObject({ reason: 'data' });
    return String(error).replace('FatalError: The data directory cannot be used: ', '');
  }
  throw new Error('The exchange started.');
}

const moveAway = 'Move it away, or choose another --data-dir.';

test('a file in the place of a folder is named, wherever it stands', async () => {
  const folder = tempDir();
  const file = join(folder, 'file');
  writeFileSync(file, '');
  for (const dataDir of [file, join(file, 'data'), join(file, 'more', 'data')]) {
    expect(await refusalAt(dataDir)).toBe(`${file} is a file, not a folder. ${moveAway}`);
  }
  for (const name of ['journal', 'snapshots', 'history']) {
    const dataDir = join(folder, `with-${name}`);
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, name), '');
    expect(await refusalAt(dataDir)).toBe(`${join(dataDir, name)} is a file, not a folder. ${moveAway}`);
    expect(readdirSync(dataDir)).toEqual([name]);
  }
});

test('a folder in the place of a file is named', async () => {
  for (const name of ['lock', 'format.json', 'mode']) {
    const dataDir = tempDir();
    mkdirSync(join(dataDir, name));
    expect(await refusalAt(dataDir)).toBe(`${join(dataDir, name)} is a folder, not a file. ${moveAway}`);
  }
});

test('a link to a folder that is missing is named with its target, and nothing is created', async () => {
  const folder = tempDir();
  const link = join(folder, 'link');
  symlinkSync('volume', link);
  for (const dataDir of [link, join(link, 'data')]) {
    expect(await refusalAt(dataDir)).toBe(
      `${link} is a link to volume, which is missing. Make that folder or mount it, or choose another --data-dir.`,
    );
  }
  expect(existsSync(join(folder, 'volume'))).toBe(false);
  mkdirSync(join(folder, 'volume'));
  const server = await startTestServer({ config: { dataDir: link } });
  await server.close();
});

test('what the system refuses comes with what to do about it', () => {
  const refusal = (code: string): string => refusalOf(Object.assign(new Error(`${code}: no`), { code }));
  expect(refusal('EROFS')).toMatch(
    /: EROFS: no\. Its disk is read-only: mount it for writing, or choose another --data-dir\.$/,
  );
  expect(refusal('EACCES')).toMatch(
    / lacks access: change the owner or the mode of that path, or choose another --data-dir\.$/,
  );
  expect(refusal('ENOSPC')).toMatch(/ There is no space left: free some, or choose another --data-dir\.$/);
  expect(refusal('ELOOP')).toBe('The data directory cannot be used: ELOOP: no.');
});

test('an exchange whose data directory is moved or removed accepts nothing until it is back', {
  timeout: 60_000,
}, async () => {
  const folder = tempDir();
  const [dataDir, elsewhere] = [join(folder, 'data'), join(folder, 'elsewhere')];
  const server = await startServerProcess({ dataDir });
  const credit = { address: `0x${'1'.repeat(40)}`, collateral: '5' };
  const post = () => send(server.url, 'POST', '/dev/faucet', credit);
  const readiness = async () => (await send(server.url, 'GET', '/readyz')).status;
  renameSync(dataDir, elsewhere);
  const first = post();
  await expect.poll(readiness, { timeout: 20_000 }).toBe(503);
  expect(await post()).toMatchObject({ status: 503, json: { error: expect.stringContaining('data.mdb was moved') } });
  renameSync(elsewhere, dataDir);
  await expect.poll(readiness, { timeout: 20_000 }).toBe(200);
  expect([200, 503]).toContain((await first).status);
  expect((await post()).status).toBe(200);
  rmSync(dataDir, { recursive: true });
  await server.stop();
  expect(server.output).toContain(`Stopped. The exchange no longer finds its journal in ${dataDir}.\n`);
});
