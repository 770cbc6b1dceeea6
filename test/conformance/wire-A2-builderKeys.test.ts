// Interface A.2: the official unified client revokes a builder key with the builder key itself, in headers of its own and
// without its owner's signature. Every request of a client that has such a key carries these headers; nothing else reads them.
import { createPublicClient, forkEnvironmentConfig } from '@polymarket/client';
import { revokeBuilderApiKey } from '@polymarket/client/actions';
import { builderApiKey } from '@polymarket/client/node';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { alice, bob, call, openTradingWorld, server } from '../http/tradingWorld.ts';
import { l2Headers, send } from '../support/client.ts';

const PATH = '/auth/builder-api-key';

interface BuilderKey {
  readonly key: string;
  readonly secret: string;
  readonly passphrase: string;
}

beforeEach(openTradingWorld);
afterEach(() => server.close());

const makeKey = async (): Promise<BuilderKey> => (await call(alice, 'POST', PATH)).json;

/** Whether each of Alice's keys has been revoked, oldest first. */
const revokedOnes = async (): Promise<readonly boolean[]> =>
  (await call(alice, 'GET', PATH)).json.map(({ revokedAt }: { revokedAt?: string }) => revokedAt !== undefined);

function clientOf(key: BuilderKey) {
  const environment = forkEnvironmentConfig({ name: 'outcry', clob: { rest: server.url } });
  return createPublicClient({ environment, apiKey: builderApiKey(key) });
}

/** The headers of a request that a builder key signs. */
function builderHeaders({ key: apiKey, secret, passphrase }: BuilderKey, method = 'DELETE', path = PATH) {
  const { POLY_ADDRESS: _, ...signed } = l2Headers('', { apiKey, secret, passphrase }, method, path);
  return Object.fromEntries(
    Object.entries(signed).map(([name, value]) => [name.replace('POLY', 'POLY_BUILDER'), value]),
  );
}
const revoke = (headers: Readonly<Record<string, string>>) => send(server.url, 'DELETE', PATH, undefined, headers);

test('the unified client revokes its own builder key and no other', async () => {
  const [first] = [await makeKey(), await makeKey()];
  const client = clientOf(first);
  await revokeBuilderApiKey(client);
  expect(await revokedOnes()).toEqual([true, false]);
  await expect(revokeBuilderApiKey(client)).rejects.toMatchObject({ status: 401 });
  expect(await revokedOnes()).toEqual([true, false]);
});

test('a revocation with invalid builder key headers gets 401 and revokes nothing', async () => {
  const made = await makeKey();
  const right = builderHeaders(made);
  const otherSignature = builderHeaders(made, 'GET').POLY_BUILDER_SIGNATURE;
  const { apiKey: key, secret, passphrase } = bob.key;
  for (const headers of [
    { ...right, POLY_BUILDER_SIGNATURE: otherSignature },
    { ...right, POLY_BUILDER_PASSPHRASE: '0'.repeat(64) },
    { ...right, POLY_BUILDER_TIMESTAMP: '1' },
    { ...right, POLY_BUILDER_API_KEY: bob.key.apiKey },
    builderHeaders({ key, secret, passphrase }),
  ]) {
    const { status, json } = await revoke(headers);
    expect([status, json]).toEqual([401, { error: 'Unauthorized/Invalid api key' }]);
  }
  expect(await revokedOnes()).toEqual([false]);
});

test('an API key takes precedence over a builder key, which /data/orders rejects', async () => {
  const made = await makeKey();
  const ofBob = l2Headers(bob.wallet.address, bob.key, 'DELETE', PATH);
  expect((await revoke({ ...builderHeaders(made), ...ofBob })).status).toBe(404);
  const elsewhere = builderHeaders(made, 'GET', '/data/orders');
  expect((await send(server.url, 'GET', '/data/orders', undefined, elsewhere)).status).toBe(401);
  expect((await call(alice, 'DELETE', PATH)).json).toBe('OK');
  expect(await revokedOnes()).toEqual([true]);
});
