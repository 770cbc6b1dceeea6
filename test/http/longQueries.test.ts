// Lists of tokens in a query: the interface allows 500, and a token id has up to 78 digits. uWebSockets.js by default stops
// at 4 kB of request line and headers. Here with the house's prices, in a process that was started as users start it.
import { expect, test } from 'vitest';
import { send } from '../support/client.ts';
import { startServerProcess } from '../support/process.ts';

test('GET /midpoints accepts over 200 token ids in one query and returns a midpoint for each', async () => {
  const server = await startServerProcess({});
  try {
    const { json: page } = await send(server.url, 'GET', '/markets?next_cursor=MA%3D%3D');
    const open = page.data.filter((market: { accepting_orders: boolean }) => market.accepting_orders);
    const tokens = open.flatMap((market: { tokens: { token_id: string }[] }) => market.tokens);
    const ids: string[] = tokens.map(({ token_id: id }: { token_id: string }) => id);
    expect(ids.length).toBeGreaterThan(200);
    const { status, json } = await send(server.url, 'GET', `/midpoints?token_ids=${ids.join(',')}`);
    expect([status, Object.keys(json).length]).toEqual([200, ids.length]);
  } finally {
    await server.stop();
  }
});
