// The streams of a copied data directory, as seen by those who followed the original: the copy continues differently after
// the point of copying, so a number of one means nothing in the other.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { walletDeriver } from '../../server/auth/wallets.ts';
import { readCopiedMs } from '../../server/dataDirectory/copiedAt.ts';
import { developmentWallets } from '../../server/dev/wallets.ts';
import { TestSocket } from '../streams/socket.ts';
import { ADMIN, createKey, send } from '../support/client.ts';
import { runToEnd, type ServerProcess, startServerProcess } from '../support/process.ts';

const folder = mkdtempSync(join(tmpdir(), 'outcry-copied-'));
let server: ServerProcess | undefined;

afterEach(async () => {
  await server?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

test('a client of the original gets a gap from a restored copy, and resumes there across restarts', async () => {
  const original = join(folder, 'original');
  const copy = join(folder, 'copy');
  server = await startServerProcess({ dataDir: original });
  const [wallet] = developmentWallets(walletDeriver());
  const auth = await createKey(server.url, wallet);
  const made = await send(server.url, 'POST', '/admin/markets', { question: 'Does a copy go on?' }, ADMIN);
  const path = `/admin/markets/${made.json.condition_id}`;
  const change = async (min: string): Promise<void> => {
    const { status } = await send(server?.url ?? '', 'PATCH', path, { min_order_size: min }, ADMIN);
    expect(status).toBe(200);
  };
  const asked = { type: 'market', assets_ids: [made.json.tokens[0].token_id] };
  const placeOf = async (): Promise<{ stream_id: string; sequence: number }> => {
    const socket = await TestSocket.open(server?.url ?? '', '/ws/market');
    socket.send(asked);
    await socket.until(() => socket.events('book').length > 0);
    await socket.close();
    const { stream_id, sequence } = socket.events('book')[0];
    return { stream_id, sequence };
  };
  const firstOf = async (path: string, message: object) => {
    const socket = await TestSocket.open(server?.url ?? '', path);
    socket.send(message);
    await socket.until(({ frames }) => frames.length > 0);
    await socket.close();
    return [JSON.parse(socket.frames[0])].flat()[0];
  };
  const user = { type: 'user', auth, heartbeat: true };
  await change('1');
  const { durable_sequence: copied } = (await send(server.url, 'GET', '/readyz')).json;
  await change('2');
  const place = await placeOf();
  const ownPlace = await firstOf('/ws/user', user);
  await server.stop();
  expect((await runToEnd(['restore', original, '--to', String(copied), '--data-dir', copy])).status).toBe(0);

  // The copy publishes as many messages as the original did, but different ones.
  server = await startServerProcess({ dataDir: copy });
  await change('3');
  await change('4');
  const { stream_id, sequence } = ownPlace;
  const own = await firstOf('/ws/user', { ...user, resume: { stream_id, sequence } });
  expect(await firstOf('/ws/market', { ...asked, resume: place })).toMatchObject({ event_type: 'gap', missed_from: 1 });
  expect(own).toMatchObject({ event_type: 'gap', reason: 'the stream belongs to another log' });
  const placeInCopy = await placeOf();
  await server.stop();
  server = await startServerProcess({ dataDir: copy });
  await change('5');
  const resumed = await firstOf('/ws/market', { ...asked, resume: placeInCopy });
  expect(resumed).toMatchObject({ event_type: 'book', min_order_size: '5', sequence: placeInCopy.sequence + 1 });
});

test('reading the file "copied" throws if it contains no time', () => {
  const dir = mkdtempSync(join(tmpdir(), 'outcry-copied-'));
  writeFileSync(join(dir, 'copied'), 'yesterday');
  expect(() => readCopiedMs(dir)).toThrow(`The file ${join(dir, 'copied')} must contain the time`);
  rmSync(dir, { recursive: true });
});
