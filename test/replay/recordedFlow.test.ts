// A recorded morning of a real venue, played on the server as a process of its own through HTTP alone: its books must
// agree with the recording. Needs OUTCRY_RECORDED_DATA. REPLAY_ROWS=n plays only the first n rows.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Flow, readFlow } from '../../server/dev/replay/flowFile.ts';
import { checkEveryFor, type ReplayOptions, replayFlow } from '../../server/dev/replay/replayFlow.ts';
import { AGREEMENT_MIN, summaryLines } from '../../server/dev/replay/summary.ts';
import { runToEnd, type ServerProcess, startServerProcess } from '../support/process.ts';
import { environmentNumber } from '../support/wholeNumber.ts';

const recordedData = process.env.OUTCRY_RECORDED_DATA || undefined;
/** How long the whole file may take; far more than it needs, since timing decides nothing. */
const WHOLE_FILE_MS = 1_200_000;
const FILE_MISSING = 'The recorded flow is not played: OUTCRY_RECORDED_DATA names no folder.';

let folder = '';
let server: ServerProcess | undefined;
let flow: Flow = { rows: [], tokens: [] };

beforeAll(async () => {
  if (recordedData === undefined) return;
  const rowsMax = environmentNumber('REPLAY_ROWS', Number.POSITIVE_INFINITY);
  flow = readFlow(join(recordedData, 'polymarket-tickscope/flow_20260607.csv.gz'), rowsMax);
  folder = mkdtempSync(join(tmpdir(), 'outcry-replay-'));
  server = await startServerProcess({ dataDir: join(folder, 'data'), args: ['--no-house'] });
});

afterAll(async () => {
  await server?.stop();
  if (folder !== '') rmSync(folder, { recursive: true, force: true });
});

const optionsFor = (url: string, rowCount: number): ReplayOptions => ({
  url,
  adminToken: 'dev-admin',
  accounts: 120,
  chainId: 137,
  seed: 1,
  checkEvery: checkEveryFor(rowCount),
});

test(
  'the books agree with the recording',
  async () => {
    if (server === undefined) return console.info(FILE_MISSING);
    const { tally, figures } = await replayFlow(flow, optionsFor(server.url, flow.rows.length));
    console.info(summaryLines(tally, figures).join('\n'));
    expect(tally.rows).toBe(flow.rows.length);
    expect(tally.checkpoints).toBeGreaterThanOrEqual(Math.min(1_000, flow.rows.length));
    expect(tally.agreement).toBeGreaterThanOrEqual(AGREEMENT_MIN);
    expect(tally.wallets.size).toBeGreaterThanOrEqual(Math.min(100, Math.floor(flow.rows.length / 100)));
    // The two tokens of a market show one book, and every order in it is accounted for by a reply.
    expect(tally.mirrorsBroken).toBe(0);
    expect(tally.levelsUnexplained).toBe(0);
    expect(tally.strangersFilled).toBe(0);
    // Only prints that the book cannot fill completely may be refused; every cancel finds its order.
    const refused = [...tally.rejections].map(([sentence]) => sentence);
    expect(refused.filter((sentence) => !sentence.includes('FOK orders are fully filled or killed'))).toEqual([]);
    expect(tally.ordersSent - tally.ordersAccepted).toBe(tally.printsUnfillable);
    expect([...tally.cancelRefusals]).toEqual([]);
    // Where the recording itself is crossed, an order may be filled as often as it is sent.
    expect(tally.levelsUnreached).toBeLessThanOrEqual(tally.crossingAdds);
    expect(tally.prints).toBe(tally.printsFilled + tally.printsUnfillable + tally.printsBelowLot);
  },
  WHOLE_FILE_MS,
);

test(
  'a second replay on the same exchange agrees with the recording too',
  async () => {
    if (server === undefined) return console.info(FILE_MISSING);
    const short: Flow = { ...flow, rows: flow.rows.slice(0, 400) };
    const { tally } = await replayFlow(short, optionsFor(server.url, short.rows.length));
    expect(tally.agreement).toBeGreaterThanOrEqual(AGREEMENT_MIN);
    expect(tally.levelsUnexplained).toBe(0);
  },
  WHOLE_FILE_MS,
);

test('the replay command explains missing or invalid arguments and prints its help', async () => {
  const bare = await runToEnd(['replay']);
  expect(bare.output).toContain('replay needs the file of a recorded flow');
  expect(bare.status).toBe(2);
  const few = await runToEnd(['replay', 'flow.csv', '--accounts', '99']);
  expect(few.output).toContain('--accounts must be a whole number from 100 to 100000; it is 99.');
  const many = await runToEnd(['replay', 'flow.csv', '--accounts', '999999999999999']);
  expect(many.output).toContain('--accounts must be a whole number from 100 to 100000; it is 999999999999999.');
  expect(many.status).toBe(2);
  const help = await runToEnd(['replay', '--help']);
  expect(help.output).toContain('--check-every');
  expect(help.status).toBe(0);
});
