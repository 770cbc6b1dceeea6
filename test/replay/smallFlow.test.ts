// A few hand-made rows of a flow, played on a whole exchange: the replay's figures are known to the order, and an exchange
// with wrong books is detected. recordedFlow.test.ts plays a recorded morning.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { FLOW_HEADER, type Flow, parseFlow, tokensPathOf } from '../../server/dev/replay/flowFile.ts';
import { replayFlow } from '../../server/dev/replay/replayFlow.ts';
import { runToEnd } from '../support/process.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type Relay, startRelay } from './relay.ts';

const TEXT = [
  FLOW_HEADER,
  '1000,0,+,B,300,5000000,5000000',
  '1001,0,+,B,310,5000000,5000000',
  '1002,0,+,A,600,5000000,5000000',
  '1003,1,+,A,900,7000000,7000000',
  // A buy, and the row that reports it; then a sale, in two parts.
  '1004,0,T,B,600,1010000,1',
  '1005,0,-,A,600,1010000,3990000',
  '1006,0,T,A,310,2000000,1',
  '1007,0,T,A,310,1000000,1',
  '1008,0,-,B,310,3000000,2000000',
  // More than rests there, and less than one lot.
  '1009,0,T,B,600,9000000,1',
  '1010,0,T,B,600,5000,1',
  // Levels that shrink and vanish by cancels alone.
  '1011,0,-,B,310,2000000,0',
  '1012,0,-,B,300,2000000,3000000',
  '1013,1,+,A,910,1000000,1000000',
  '1014,1,-,A,900,7000000,0',
].join('\n');
const TOKENS: Flow['tokens'] = [
  ['111', '222'],
  ['333', '444'],
];
const flow: Flow = { rows: parseFlow(TEXT), tokens: TOKENS };
const options = { adminToken: 'dev-admin', accounts: 100, chainId: 137, seed: 1, checkEvery: 3 };

let server: TestServer;
let relay: Relay | undefined;
const folder = mkdtempSync(join(tmpdir(), 'outcry-flow-'));
const file = join(folder, 'flow_small.csv');
beforeAll(async () => {
  server = await startTestServer();
  writeFileSync(file, TEXT);
  writeFileSync(tokensPathOf(file), JSON.stringify(TOKENS.map((tokens, market) => ({ market, tokens }))));
});
afterEach(() => relay?.close());
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A relay that shows the books of one token, the first or the second one requested, without their best bid. */
async function startWrongRelay(place: 0 | 1): Promise<string> {
  const seen: string[] = [];
  relay = await startRelay(server.url, (path, answer) => {
    if (!path.startsWith('/book?')) return answer;
    if (!seen.includes(path)) seen.push(path);
    if (seen.indexOf(path) % 2 !== place) return answer;
    const book = JSON.parse(answer.body.toString());
    return { ...answer, body: Buffer.from(JSON.stringify({ ...book, bids: book.bids.slice(0, -1) })) };
  });
  return relay.url;
}

test.each(['first', 'second'])('the %s replay on an exchange accounts for every row of the flow', async () => {
  const { tally, figures } = await replayFlow(flow, { ...options, url: server.url });
  expect(tally).toMatchObject({
    rows: 15,
    ordersSent: 10,
    ordersAccepted: 9,
    trades: 3,
    fills: 3,
    crossingAdds: 0,
    prints: 5,
    printsFilled: 3,
    printsUnfillable: 1,
    printsBelowLot: 1,
    levelsUnreached: 0,
    checkpoints: 5,
    mirrorsBroken: 0,
    levelsUnexplained: 0,
    strangersFilled: 0,
  });
  expect(tally.agreement).toBe(1);
  expect([...tally.rejections.values()]).toEqual([1]);
  expect([...tally.cancelRefusals]).toEqual([]);
  expect(figures).toMatchObject({ recordedMs: 14, waits: 0 });
});

test.each([0, 1] as const)('the replay detects a level missing from the book of token %i', async (place) => {
  const { tally } = await replayFlow(flow, { ...options, url: await startWrongRelay(place) });
  expect(tally.agreement).toBeLessThan(1);
  expect(tally.mirrorsBroken).toBeGreaterThan(0);
  // Replies are compared with the first token's book only.
  expect(tally.levelsUnexplained > 0).toBe(place === 0);
});

test('the replay command prints the agreement and exits with status 1 if too few levels agree', async () => {
  const replay = (url: string, ...more: string[]) =>
    runToEnd(['replay', file, '--url', url, '--admin-token', 'dev-admin', '--accounts', '100', ...more]);
  const sound = await replay(server.url, '--rows', '9', '--check-every', '3');
  expect(sound.output).toMatch(/^Rows +9 in /m);
  expect(sound.output).toMatch(/^Mirror .* at 3 of 3 checkpoints\.$/m);
  expect(sound.output).toMatch(/^Agreement +100\.00 % of /m);
  expect(sound.status).toBe(0);
  const wrong = await replay(await startWrongRelay(1), '--check-every', '3');
  expect(wrong.output).toMatch(/^Mirror .* at \d of 5 checkpoints\.$/m);
  expect(wrong.output).toContain('The agreement is below 99.00 %.');
  expect(wrong.status).toBe(1);
  const belowPath = await replay(`${server.url}/outcry`);
  expect(belowPath.output).toContain('an exchange is served from their root');
  expect(belowPath.status).toBe(2);
});
