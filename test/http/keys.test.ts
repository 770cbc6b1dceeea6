// API keys over HTTP: created, derived, listed, deleted, and the refusal of each wrong credential (wire.md A.1 to A.3).
// Each test has a wallet that no other one uses.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ApiKeyKind, encodeCommand } from '../../engine/index.ts';
import { deriveCredentials } from '../../server/auth/apiKeys.ts';
import { signClobAuth } from '../../server/auth/clobAuth.ts';
import { requireKeyId } from '../../server/auth/keyIds.ts';
import { signL2 } from '../../server/auth/l2.ts';
import { developmentWallet } from '../../server/auth/mnemonic.ts';
import { SERVER_SECRET_FILE } from '../../server/auth/serverSecret.ts';
import { createKey, l1Headers, l2Headers, send, sendSigned, serviceHeaders } from '../support/client.ts';
import { PATIENCE } from '../support/patience.ts';
import { startServerProcess } from '../support/process.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { tempDir } from '../support/tempDir.ts';
import { UUID } from '../support/uuid.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

let walletIndex = 20;
/** A wallet that no test has used yet. */
const freshWallet = () => developmentWallet(walletIndex++);

test('a key is created once per wallet and nonce, and can be derived afterwards', async () => {
  const wallet = freshWallet();
  const unknown = await send(server.url, 'GET', '/auth/derive-api-key', undefined, l1Headers(wallet));
  expect([unknown.status, unknown.json]).toEqual([400, { error: 'Could not derive api key!' }]);
  const made = await createKey(server.url, wallet);
  expect(made.apiKey).toMatch(UUID);
  expect(made.secret).toMatch(/^[A-Za-z0-9_-]{43}=$/);
  expect(made.passphrase).toMatch(/^[0-9a-f]{64}$/);
  const again = await send(server.url, 'POST', '/auth/api-key', undefined, l1Headers(wallet));
  expect([again.status, again.json]).toEqual([400, { error: 'Could not create api key' }]);
  const derived = await send(server.url, 'GET', '/auth/derive-api-key', undefined, l1Headers(wallet));
  expect(derived.json).toEqual(made);
  const other = await createKey(server.url, wallet, '7');
  expect(other.apiKey).not.toBe(made.apiKey);
  const listed = await sendSigned(server.url, wallet.address, made, 'GET', '/auth/api-keys');
  expect(listed.json).toEqual({ apiKeys: [made.apiKey, other.apiKey] });
});

test('of three concurrent requests for one wallet and nonce, one creates the key', async () => {
  const wallet = freshWallet();
  const replies = await Promise.all(
    [1, 2, 3].map(() => send(server.url, 'POST', '/auth/api-key', undefined, l1Headers(wallet))),
  );
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
});

test('a deleted key is rejected at once, and the next key of its wallet and nonce is a different one', async () => {
  const wallet = freshWallet();
  const first = await createKey(server.url, wallet);
  const deleted = await sendSigned(server.url, wallet.address, first, 'DELETE', '/auth/api-key');
  expect([deleted.status, deleted.json]).toEqual([200, 'OK']);
  const after = await sendSigned(server.url, wallet.address, first, 'GET', '/auth/api-keys');
  expect([after.status, after.json]).toEqual([401, { error: 'Unauthorized/Invalid api key' }]);
  expect((await send(server.url, 'GET', '/auth/derive-api-key', undefined, l1Headers(wallet))).status).toBe(400);
  const second = await createKey(server.url, wallet);
  expect(second.apiKey).not.toBe(first.apiKey);
  expect((await sendSigned(server.url, wallet.address, second, 'GET', '/auth/api-keys')).status).toBe(200);
});

test('a first key credits its owner and the four derived wallets', async () => {
  const wallet = freshWallet();
  await createKey(server.url, wallet);
  const { accounts } = server.services.views;
  const balances = [wallet.address, ...Object.values(server.services.wallets.derivedWallets(wallet.address))].map(
    (address) => accounts.byWallet(address)?.collateralMicro,
  );
  expect(balances).toEqual(Array(5).fill(10_000_000_000));
});

test('invalid L1 headers give 401', async () => {
  const wallet = freshWallet();
  const good = l1Headers(wallet);
  const bad = [
    {},
    { ...good, POLY_ADDRESS: developmentWallet(0).address },
    { ...good, POLY_NONCE: '1' },
    { ...good, POLY_TIMESTAMP: String(Number(good.POLY_TIMESTAMP) - 1) },
    { ...good, POLY_SIGNATURE: `${good.POLY_SIGNATURE.slice(0, -2)}00` },
    { ...good, POLY_NONCE: 'x' },
    { ...good, POLY_ADDRESS: 'me' },
    l1Headers(wallet, '0', 80_002),
  ];
  for (const headers of bad) {
    const reply = await send(server.url, 'POST', '/auth/api-key', undefined, headers);
    expect([reply.status, reply.json]).toEqual([401, { error: 'Invalid L1 Request headers' }]);
  }
});

test('a nonce above 9007199254740991 is rejected, and leading zeros of a nonce are ignored', async () => {
  const wallet = freshWallet();
  const large = await send(server.url, 'POST', '/auth/api-key', undefined, l1Headers(wallet, '9007199254740992'));
  expect([large.status, large.json.error]).toEqual([
    400,
    'Could not create api key: the nonce must be at most 9007199254740991',
  ]);
  const derived = await send(server.url, 'GET', '/auth/derive-api-key', undefined, l1Headers(wallet, '9'.repeat(77)));
  expect(derived.json).toEqual({ error: 'Could not derive api key!' });
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = signClobAuth({ address: wallet.address, timestamp, nonce: '5' }, 137, wallet.privateKey);
  const headers = {
    POLY_ADDRESS: wallet.address,
    POLY_TIMESTAMP: timestamp,
    POLY_NONCE: '005',
    POLY_SIGNATURE: signature,
  };
  expect((await send(server.url, 'POST', '/auth/api-key', undefined, headers)).status).toBe(200);
  expect((await send(server.url, 'POST', '/auth/api-key', undefined, l1Headers(wallet, '5'))).status).toBe(400);
});

test('L2 headers are accepted in every valid form, and give 401 if any of them is wrong', async () => {
  const wallet = freshWallet();
  const credentials = await createKey(server.url, wallet);
  const path = '/auth/api-keys';
  const good = l2Headers(wallet.address, credentials, 'GET', path);
  const status = async (headers: object): Promise<number> =>
    (await send(server.url, 'GET', `${path}?any=1`, undefined, { ...headers })).status;
  const { timestamp, ...request } = { timestamp: good.POLY_TIMESTAMP, method: 'GET', path };
  const hex = Buffer.from(good.POLY_SIGNATURE, 'base64').toString('hex');
  expect(await status(good)).toBe(200);
  expect(await status({ ...good, POLY_SIGNATURE: hex })).toBe(200);
  expect(await status(serviceHeaders(good))).toBe(200);
  expect(await status({ ...good, POLY_API_KEY: credentials.apiKey.toUpperCase() })).toBe(200);
  const old = String(Number(timestamp) - 301);
  const stale = {
    ...good,
    POLY_TIMESTAMP: old,
    POLY_SIGNATURE: signL2({ ...request, timestamp: old }, credentials.secret),
  };
  const otherSecret = credentials.secret.replace(/^./, (first) => (first === '_' ? 'A' : '_'));
  const wrong = [
    {},
    stale,
    { ...good, POLY_PASSPHRASE: 'x' },
    { ...good, POLY_PASSPHRASE: '' },
    { ...good, POLY_ADDRESS: developmentWallet(1).address },
    { ...good, POLY_API_KEY: '00000000-0000-4000-8000-000000000000' },
    { ...good, POLY_SIGNATURE: '' },
    l2Headers(wallet.address, credentials, 'POST', path),
    l2Headers(wallet.address, credentials, 'GET', `${path}?any=1`),
    l2Headers(wallet.address, { ...credentials, secret: otherSecret }, 'GET', path),
  ];
  for (const headers of wrong) {
    const reply = await send(server.url, 'GET', path, undefined, headers);
    expect([reply.status, reply.json]).toEqual([401, { error: 'Unauthorized/Invalid api key' }]);
  }
});

test('a HEAD request must be signed as HEAD', async () => {
  const wallet = freshWallet();
  const credentials = await createKey(server.url, wallet);
  const path = '/auth/api-keys';
  const statuses = ['HEAD', 'GET'].map(async (method) => {
    const headers = l2Headers(wallet.address, credentials, method, path);
    return (await fetch(`${server.url}${path}`, { method: 'HEAD', headers: { ...headers } })).status;
  });
  expect(await Promise.all(statuses)).toEqual([200, 401]);
});

test('a read-only key reads with address and key alone, and cannot cancel orders', async () => {
  const wallet = freshWallet();
  const identity = { kind: ApiKeyKind.READONLY, owner: wallet.address, nonce: 0, generation: 0 };
  const { apiKey } = deriveCredentials(server.services.secret, identity);
  const keyId = requireKeyId(apiKey);
  const head = { owner: wallet.address, keyId, nonce: 0, generation: 0 };
  await server.exchange.submit(encodeCommand({ type: 'CreateApiKey', ...head, kind: ApiKeyKind.READONLY, items: [] }));
  const headers = { POLY_ADDRESS: wallet.address, POLY_API_KEY: apiKey };
  const read = await send(
    server.url,
    'GET',
    '/balance-allowance?asset_type=COLLATERAL&signature_type=0',
    undefined,
    headers,
  );
  expect(read.status).toBe(200);
  expect((await send(server.url, 'DELETE', '/cancel-all', undefined, headers)).status).toBe(401);
  const stranger = { ...headers, POLY_ADDRESS: developmentWallet(0).address };
  expect((await send(server.url, 'GET', '/data/orders', undefined, stranger)).status).toBe(401);
});

test('after a change of the server secret, old keys are rejected and an owner creates new ones', async () => {
  const wallet = freshWallet();
  const dataDir = tempDir();
  const first = await startTestServer({ config: { dataDir } });
  const old = await createKey(first.url, wallet);
  const other = await createKey(first.url, wallet, '7');
  const ofOwner = ['/auth/readonly-api-key', '/auth/builder-api-key'];
  const [{ json: readonly }] = await Promise.all(
    ofOwner.map((path) => sendSigned(first.url, wallet.address, old, 'POST', path)),
  );
  await first.close();

  rmSync(join(dataDir, SERVER_SECRET_FILE));
  const second = await startTestServer({ config: { dataDir } });
  const derive = () => send(second.url, 'GET', '/auth/derive-api-key', undefined, l1Headers(wallet));
  const refused = await derive();
  expect([refused.status, refused.json]).toEqual([400, { error: 'Could not derive api key!' }]);
  const made = await createKey(second.url, wallet);
  expect((await derive()).json).toEqual(made);
  expect((await sendSigned(second.url, wallet.address, old, 'GET', '/auth/api-keys')).status).toBe(401);
  const listed = await sendSigned(second.url, wallet.address, made, 'GET', '/auth/api-keys');
  expect(listed.json).toEqual({ apiKeys: [made.apiKey] });
  const headers = { POLY_ADDRESS: wallet.address, POLY_API_KEY: readonly.apiKey };
  expect((await send(second.url, 'GET', '/data/orders', undefined, headers)).status).toBe(401);
  const asked = `/auth/validate-readonly-api-key?address=${wallet.address}&key=${readonly.apiKey}`;
  expect((await send(second.url, 'GET', asked)).status).toBe(401);
  for (const path of ['/auth/readonly-api-keys', '/auth/builder-api-key']) {
    expect([path, (await sendSigned(second.url, wallet.address, made, 'GET', path)).json]).toEqual([path, []]);
  }
  const { keys } = second.services.views;
  expect([keys.byApiKey(old.apiKey)?.isActive, keys.byApiKey(made.apiKey)?.generation]).toEqual([false, 1]);
  expect((await send(second.url, 'POST', '/auth/api-key', undefined, l1Headers(wallet))).status).toBe(400);
  expect((await createKey(second.url, wallet, '7')).apiKey).not.toBe(other.apiKey);
  await second.close();
});

test('a start warns if the latest key was derived from another secret', async () => {
  const dataDir = tempDir();
  const says = /WARN.*The latest API key was derived from a secret other/;
  const start = async (secret: string, change?: (url: string) => Promise<unknown>) => {
    const server = await startServerProcess({ dataDir, env: { OUTCRY_SECRET: secret } });
    await change?.(server.url);
    await server.stop();
    return server.output;
  };
  const wallet = freshWallet();
  const [first, second] = ['a', 'b'].map((letter) => letter.repeat(64)) as [string, string];
  expect(await start(first, (url) => createKey(url, wallet))).not.toMatch(says);
  expect(await start(second, (url) => createKey(url, wallet))).toMatch(says);
  expect(await start(second)).not.toMatch(says);
});

// signedFor.test.ts has which order is the latest.
test('a start warns if the latest order was signed for another chain, and names both chains', async () => {
  const dataDir = tempDir();
  const says = /WARN.*The latest order was signed for chain (\d+), but this exchange uses chain (\d+) /;
  const start = async (chain: string, house: string): Promise<readonly string[] | undefined> => {
    const server = await startServerProcess({ dataDir, args: ['--chain', chain, '--house', house] });
    const hasOrder = async () =>
      /_total\{command="PlaceOrder",outcome="accepted"\} [1-9]/.test(
        await (await fetch(`${server.url}/metrics`)).text(),
      );
    if (house !== 'none') await vi.waitUntil(hasOrder, PATIENCE);
    await server.stop();
    return says.exec(server.output)?.slice(1);
  };
  expect(await start('137', 'busy')).toBeUndefined();
  expect(await start('137', 'none')).toBeUndefined();
  expect(await start('80002', 'none')).toEqual(['137', '80002']);
});
