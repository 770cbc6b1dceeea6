// A replay whose exchange accepts an order and then cannot confirm it: the repeated request must count as accepted, once.
// The exchange is a whole one; between it and the replay a relay loses replies as a failing disk would.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ExchangeClient } from '../../server/dev/replay/client.ts';
import { FLOW_HEADER, parseFlow } from '../../server/dev/replay/flowFile.ts';
import { createMarkets } from '../../server/dev/replay/markets.ts';
import { replayFlow } from '../../server/dev/replay/replayFlow.ts';
import { fundTraders, openTraders } from '../../server/dev/replay/wallets.ts';
import { PATIENCE } from '../support/patience.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type Relay, startRelay } from './relay.ts';

let server: TestServer;
let relay: Relay | undefined;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  relay?.close();
  await server.close();
});

/** A relay that loses the first reply of each given path. */
async function startLossyRelay(lossy: readonly string[]): Promise<string> {
  const toLose = new Set(lossy);
  relay = await startRelay(server.url, (path, answer) =>
    answer.status === 200 && toLose.delete(path)
      ? { status: 503, headers: { 'retry-after': '0' }, body: Buffer.from('{}') }
      : answer,
  );
  return relay.url;
}

test('an order whose response was lost is counted as the exchange processed it', async () => {
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
  const url = await startLossyRelay(['/order', '/orders']);
  const options = { url, adminToken: 'dev-admin', accounts: 100, chainId: 137, seed: 1, checkEvery: 3 };
  const { tally, figures } = await replayFlow({ rows, tokens: [['111', '222']] }, options);
  expect(figures.waits).toBeGreaterThan(0);
  expect([...tally.rejections]).toEqual([]);
  expect(tally.levelsUnexplained).toBe(0);
});

test('concurrent replays do not spend the funds of each other', async () => {
  const client = new ExchangeClient(new URL(server.url));
  let allowSplit = (): void => undefined;
  const splitAllowed = new Promise<void>((resolve) => {
    allowSplit = resolve;
  });
  const slow = new ExchangeClient(new URL(server.url));
  const sendAtOnce = slow.send.bind(slow);
  slow.send = async (method, path, details) => {
    if (path === '/split') await splitAllowed;
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
    allowSplit();
    await first;
    expect(balance()).toBeGreaterThanOrEqual(funding.collateralMicro);
  } finally {
    allowSplit();
    client.close();
    slow.close();
  }
});
