// The README's subscriber, run as a reader would run it: its ten lines, with nothing changed but the host, against a server
// that is stopped and started again under it. It must print every number of its stream, and none twice.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../support/ports.ts';
import { startTestServer } from '../support/server.ts';
import { tempDir } from '../support/tempDir.ts';
import { foundingCommands, StreamWorkload, tokenOf } from './workload.ts';

const HOST = 'ws://127.0.0.1:8080';

test('the ten-line subscriber in the README misses and repeats nothing across a restart', async () => {
  const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
  const section = readme.slice(readme.indexOf('## Streams'));
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
