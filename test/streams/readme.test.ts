// The README's section on streams. Its limits are those of the code. Its subscriber is run as a reader would run it: its ten
// lines, with nothing changed but the host, against a server that is stopped and started again under it. It must print every
// number of its stream, and none twice.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type StreamSettings, streamSettings } from '../../server/config/streamSettings.ts';
import { NEW_MARKETS_MAX } from '../../server/streams/catalogChannel.ts';
import { streamLimits } from '../../server/streams/limits.ts';
import { NO_NEW_ASSETS } from '../../server/wire/streamRequests.ts';
import { freePort } from '../support/ports.ts';
import { startTestServer } from '../support/server.ts';
import { tempDir } from '../support/tempDir.ts';
import { foundingCommands, StreamWorkload, tokenOf } from './workload.ts';

const HOST = 'ws://127.0.0.1:8080';

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
const section = readme.slice(readme.indexOf('## Streams'), readme.indexOf('## Running it'));

const count = (figure: number): string => figure.toLocaleString('en-US');
const seconds = (ms: number): string => `${ms / 1_000} s`;
const kibibytes = (bytes: number): string => `${bytes / 1_024} KiB`;

type Limits = StreamSettings & typeof streamLimits;

/** What the section says about each limit, given its figure; undefined where it says nothing. */
const sentences: Readonly<Record<keyof Limits, ((figure: number) => string) | undefined>> = {
  connectionsPerIpMax: (sockets) => `${count(sockets)} sockets per address`,
  heartbeatMs: (ms) => `(\`--ws-heartbeat\`, ${seconds(ms)})`,
  changesPerMarketMax: (changes) => `keeps ${count(changes)} changes per market`,
  changesMax: (changes) => `and about ${count(changes)} in total`,
  userEntriesMax: undefined,
  idleSecondsMax: (s) => `${s} s without a message or an answer to a ping`,
  authMsMax: (ms) => `${seconds(ms)} on \`/ws/user\` without credentials`,
  lostMsMax: (ms) => `closed with 1013 as soon as it reads again, or after ${seconds(ms)}: resume`,
  answerMsMin: (ms) => `leaves one unanswered for ${seconds(ms)}`,
  answerMsMax: (ms) => `whichever is longest, ${seconds(ms)} at most`,
  messageBytesMax: (bytes) => `${kibibytes(bytes)} per message`,
  payloadBytesMax: (bytes) => `a message of more than ${bytes / 1_048_576} MiB drops the connection`,
  subscriptionsMax: (figure) => `${count(figure)} tokens per socket, or ${count(figure)} markets on an owner's socket`,
  messagesBurst: (messages) => `a burst of ${count(messages)} messages`,
  messagesPerSecond: (messages) => `then ${count(messages)} per second`,
  backpressureBytesMax: (bytes) => `a reader lets ${kibibytes(bytes)} queue up`,
  burstBytesMax: (bytes) => `more than ${kibibytes(bytes)} for one socket in one flush of the log`,
  newMarketsMax: (markets) => `or more than ${count(markets)} new markets |`,
  pingEveryMs: undefined,
  pingsPerBeatMax: undefined,
  pingLapMs: undefined,
  pacedBytesMax: undefined,
  dumpFrameBytes: undefined,
  replayStep: undefined,
  replayBytes: undefined,
  payTurnMsMax: undefined,
  liveCharactersMax: undefined,
};

test('the README states the limits of streams that hold by default', () => {
  const text = section.replace(/\s+/g, ' ');
  const limits: Limits = { ...streamSettings, ...streamLimits };
  expect(Object.keys(sentences).sort()).toEqual(Object.keys(limits).sort());
  const stated = Object.entries(limits).map(([name, figure]) => sentences[name as keyof Limits]?.(figure));
  const wanted = [...stated, `more than ${count(NEW_MARKETS_MAX)} new markets, become a gap`];
  expect(wanted.filter((sentence) => sentence !== undefined && !text.includes(sentence))).toEqual([]);
});

test('the README names the messages that carry no number, and says which ones a command gives', () => {
  for (const text of ['PING', 'PONG', NO_NEW_ASSETS]) expect(section).toContain(`\`${text}\``);
  expect(section).toContain('One `price_change` holds all levels that one command changed');
});

test('the ten-line subscriber in the README misses and repeats nothing across a restart', async () => {
  const program = /```js\n([\s\S]*?)```/.exec(section)?.[1] ?? '';
  expect(program.trimEnd().split('\n')).toHaveLength(10);
  const folder = tempDir();
  const dataDir = join(folder, 'data');
  const port = await freePort();
  let server = await startTestServer({ config: { dataDir, port } });
  for (const command of foundingCommands(1)) await server.exchange.submit(command);
  const file = join(folder, 'subscriber.mjs');
  writeFileSync(file, program.replace(HOST, `ws://127.0.0.1:${port}`));
  const child = spawn(process.execPath, [file], { env: { ...process.env, TOKEN: tokenOf(0, 0) } });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    child.emit('printed');
  });
  const lines = (): readonly (readonly [string, number])[] =>
    text
      .trim()
      .split('\n')
      .map((line) => line.split(' '))
      .map(([type, number]) => [type, Number(number)]);
  const untilPrinted = async (number: number): Promise<void> => {
    while (!lines().some((line) => line[1] >= number)) await new Promise((resolve) => child.once('printed', resolve));
  };
  const workload = new StreamWorkload(5, 1);
  const drive = async (count: number): Promise<void> => {
    for (let done = 0; done < count; done += 1) await server.exchange.submit(workload.next(Date.now()));
  };
  await untilPrinted(0);
  await drive(30);
  await untilPrinted(20);
  await server.close();
  server = await startTestServer({ config: { dataDir, port } });
  await drive(30);
  await untilPrinted(45);
  const numbers = lines()
    .filter(([type, number]) => type !== 'heartbeat' && number > 0)
    .map(([, number]) => number);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  expect(lines().some(([type]) => type === 'gap')).toBe(false);
  child.kill();
  await server.close();
});
