// The README's programs for the official clients, run as a reader would run them: with nothing changed but the host, by the
// pinned Node, against a server process. The first order must be answered with success, and rest; the settings of the
// unified client must direct all its calls to this server.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { developmentKey, newTrader } from '../conformance/world.ts';
import { type ServerProcess, startServerProcess } from '../support/process.ts';

const root = join(import.meta.dirname, '../..');
const HOST = 'http://127.0.0.1:8080';

let folder: string;
let server: ServerProcess;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'outcry-first-order-'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules')); // in place of the reader's npm install
  server = await startServerProcess({ dataDir: join(folder, 'data'), args: ['--no-house'] });
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The first code block of a language under a heading. */
function programUnder(heading: string, language: 'ts' | 'js'): string {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const section = readme.slice(readme.indexOf(`## ${heading}`));
  const program = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(section)?.[1];
  if (program === undefined) throw new Error(`README.md shows no ${language} under "${heading}".`);
  return program;
}

interface Output {
  readonly status: number | null;
  readonly text: string;
}

function run(file: string): Promise<Output> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
    }
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, text }));
  });
}

test('the ten-line program of the README places a resting order', async () => {
  const program = programUnder('Your first order', 'ts');
  expect(program.trimEnd().split('\n').length).toBe(10);
  expect(program.split(HOST).length, `the program names ${HOST} once`).toBe(2);
  const file = join(folder, 'firstOrder.mts');
  writeFileSync(file, program.replace(HOST, server.url));

  const { status, text } = await run(file);
  expect([status, text]).toEqual([0, expect.stringMatching(/success: true/)]);
  expect(text).toMatch(/status: 'live'/);
  const orderId = /orderID: '(0x[0-9a-f]{64})'/.exec(text)?.[1];

  const { client, wallet } = await newTrader(server.url, 0, developmentKey(0));
  const open = await client.getOpenOrders();
  expect(open.map(({ id }) => id)).toEqual([orderId]);
  expect(open[0]).toMatchObject({ side: 'BUY', price: '0.4', original_size: '10', size_matched: '0', status: 'LIVE' });
  expect(open[0].maker_address.toLowerCase()).toBe(wallet);
});

test('the README program for tests runs an exchange in its own process', async () => {
  const program = programUnder('In your own tests', 'js');
  const file = join(folder, 'inside.mjs');
  writeFileSync(file, program.replaceAll('../outcry/', `${root}/`));
  const { status, text } = await run(file);
  expect([status, text]).toEqual([0, expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+ 0x[0-9a-f]{64}\n$/)]);
});

test('the README program for the unified client calls this server', async () => {
  const program = programUnder('Point your bot here', 'js');
  const file = join(folder, 'unified.mjs');
  writeFileSync(file, program.replaceAll(new URL(HOST).host, new URL(server.url).host));
  const { status, text } = await run(file);
  expect([status, text]).toEqual([0, 'false 5\n']);
});
