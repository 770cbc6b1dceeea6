// A replay whose exchange takes an order and then cannot say so: what is asked again must count as it was taken, once. The
// exchange is a whole one; between it and the replay stands a relay that loses answers as a failing disk would.
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ExchangeClient } from '../../server/dev/replay/client.ts';
import { FLOW_HEADER, parseFlow } from '../../server/dev/replay/flowFile.ts';
import { createMarkets } from '../../server/dev/replay/markets.ts';
import { replayFlow } from '../../server/dev/replay/replayFlow.ts';
import { fundTraders, openTraders } from '../../server/dev/replay/wallets.ts';
import { PATIENCE } from '../support/patience.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let relay: Server | undefined;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  relay?.closeAllConnections();
  relay?.close();
  await server.close();
});

const wholeOf = async (message: IncomingMessage): Promise<Buffer> => Buffer.concat(await message.toArray());

/** Hands on every request; of each path that is named, the first answer is lost. */
async function startRelay(lossy: readonly string[]): Promise<string> {
  const toLose = new Set(lossy);
  const handOn = async (asked: IncomingMessage): Promise<{ status: number; body: Buffer }> => {
    const { method, url, headers } = asked;
    const body = await wholeOf(asked);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      httpRequest(new URL(url ?? '/', server.url), { method, headers }, resolve)
        .on('error', reject)
        .end(body);
    });
    return { status: answer.statusCode ?? 0, body: await wholeOf(answer) };
  };
  const started = createServer((asked, reply) => {
    handOn(asked).then(({ status, body }) => {
      if (status === 200 && toLose.delete(asked.url ?? '')) reply.writeHead(503, { 'retry-after': '0' }).end('{}');
      else reply.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
  });
  relay = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}`; // it listens on a port
}

test('an order whose answer was lost counts as it was taken', async () => {
  const rows = parseFlow(
    [
      FLOW_HEADER,
      '1,0,+,B,300,5000000,5000000',
      '2,0,+,B,310,5000000,5000000',
      '3,0,+,A,600,5000000,5000000',
      '4,0,T,B,600,1000000,1',
      '5,0,-,A,600,1000000,4000000',
      '6,0,+,B,320,5000000,5000000',
    ].join('\n'),
  );
  const url = await startRelay(['/order', '/orders']);
  const options = { url, adminToken: 'dev-admin', accounts: 100, chainId: 137, seed: 1, checkEvery: 3 };
  const { tally, figures } = await replayFlow({ rows, tokens: [['111', '222']] }, options);
  expect(figures.waits).toBeGreaterThan(0);
  expect([...tally.rejections]).toEqual([]);
  expect(tally.levelsUnexplained).toBe(0);
});

test('two replays at once do not spend what the other was given', async () => {
  const client = new ExchangeClient(new URL(server.url));
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const slow = new ExchangeClient(new URL(server.url));
  const sendAtOnce = slow.send.bind(slow);
  slow.send = async (method, path, details) => {
    if (path === '/split') await held;
    return sendAtOnce(method, path, details);
  };
  try {
    const { markets } = await createMarkets(client, 'dev-admin', [['333', '444']]);
    const traders = await openTraders(client, 137, 77, 1);
    const conditions = markets.map(({ conditionId }) => conditionId);
    const funding = { sharesMicro: 100_000_000_000, collateralMicro: 1_000_000 };
    const first = fundTraders(slow, 'dev-admin', conditions, funding, traders);
    const balance = (): number => server.services.views.accounts.byWallet(traders[0].address)?.collateralMicro ?? 0;
    await vi.waitUntil(() => balance() > funding.sharesMicro, PATIENCE); // more than a first key brings
    await fundTraders(client, 'dev-admin', conditions, funding, traders);
    letGo();
    await first;
    expect(balance()).toBeGreaterThanOrEqual(funding.collateralMicro);
  } finally {
    letGo();
    client.close();
    slow.close();
  }
});
