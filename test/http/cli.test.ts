// The program as a user runs it: its messages when it cannot start, its ends, and the texts about itself. Each test starts
// processes of its own, in folders of its own.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SERVER_SECRET_FILE } from '../../server/auth/serverSecret.ts';
import { bindFaultText } from '../../server/http/app.ts';
import { portHolder } from '../../server/http/portHolder.ts';
import { send } from '../support/client.ts';
import { freePort } from '../support/ports.ts';
import { runToEnd, startServerProcess } from '../support/process.ts';
import { startTestServer } from '../support/server.ts';

let folder: string;
let folderCount = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'outcry-cli-'));
});
afterAll(() => rmSync(folder, { recursive: true }));
/** What serve needs at least. */
const CHAIN = ['--chain', '80002'];
const SERVE_ENV = {
  OUTCRY_ADMIN_TOKEN: 'a-token-of-sixteen',
  OUTCRY_SECRET: 'a secret of at least thirty-two characters',
};
const freshDir = (): string => join(folder, `data-${folderCount++}`);

async function startAndStop(dataDir: string): Promise<void> {
  const server = await startServerProcess({ dataDir });
  await server.stop();
}

/** A data directory in which an exchange has run. */
async function usedDir(): Promise<string> {
  const dataDir = freshDir();
  await startAndStop(dataDir);
  return dataDir;
}

function listenAnywhere(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

describe('unsuccessful starts', () => {
  test('a port in use: exit status 3, and the message names the process and --port', async () => {
    const holder = createServer();
    const port = await listenAnywhere(holder);
    const end = await runToEnd(['start', '--port', String(port), '--data-dir', freshDir()]);
    expect(end.status).toBe(3);
    const who = process.platform === 'linux' ? `process ${process.pid} \\(.*\\)` : '(another process|process \\d+.*)';
    expect(end.output).toMatch(
      new RegExp(
        `^Port ${port} on 127\\.0\\.0\\.1 is in use by ${who}\\. Stop it, or choose another port with --port\\.\n$`,
      ),
    );
    holder.close();
  });

  test('an address that cannot be bound: the message explains the error code and the fix', () => {
    const text = (code: string): string => bindFaultText('127.0.0.1', 81, code);
    expect(text('EACCES')).toContain('Choose a port above 1023');
    expect(text('EMFILE')).toContain('the open-file limit of this process (ulimit -n) is exhausted. Raise it.');
    expect(text('ENFILE')).toContain('the open-file limit of the whole system');
    expect(text('EADDRNOTAVAIL')).toContain('(EADDRNOTAVAIL). Choose another address with --host.');
  });

  test.runIf(process.platform === 'linux')(
    'the process on a port is shown without its arguments, which may contain a token',
    async () => {
      const script = join(folder, 'holder.mjs');
      const code = `import { createServer } from 'node:net';
      const server = createServer().listen(0, '127.0.0.1', () => process.send(server.address().port));`;
      writeFileSync(script, code);
      const holder = fork(script, ['--admin-token', 'hidden-token'], {
        execArgv: ['--import', 'data:text/javascript,0//.mjs'],
      });
      const ended = once(holder, 'exit');
      try {
        const [port] = await once(holder, 'message');
        expect(portHolder(port)).toEqual({ pid: holder.pid, command: `${process.execPath} ${script}` });
      } finally {
        holder.kill();
        await ended;
      }
    },
  );

  test.each(['8080', '0'])('an address of another machine, port %s: exit status 3, suggests --host', async (port) => {
    const dataDir = freshDir();
    const args = ['--host', '203.0.113.7', '--port', port, '--chain', '80002', '--admin-token', 'x'.repeat(16)];
    const end = await runToEnd(['start', ...args, '--data-dir', dataDir]);
    expect([end.status, end.output]).toEqual([3, expect.stringContaining('Choose another address with --host.')]);
    expect(existsSync(dataDir)).toBe(false);
  });

  test('a data directory in use by another process: exit status 4, and the message names the process', async () => {
    const dataDir = freshDir();
    const server = await startServerProcess({ dataDir });
    const end = await runToEnd(['start', '--port', '0', '--data-dir', dataDir]);
    expect([end.status, end.output]).toEqual([4, expect.stringContaining(`in use by process ${server.pid}`)]);
    await server.stop();
  });

  test('a data directory with an emptied journal: exit status 5, and the message asks for a restore', async () => {
    const dataDir = await usedDir();
    truncateSync(join(dataDir, 'journal', 'data.mdb'));
    const end = await runToEnd(['start', '--port', '0', '--data-dir', dataDir]);
    expect([end.status, end.output]).toEqual([5, expect.stringContaining('is missing or empty. Restore that file')]);
  });

  test('a data directory of development used by serve: exit status 5, and the message names both modes', async () => {
    const dataDir = await usedDir();
    const end = await runToEnd(['serve', '--port', '0', ...CHAIN, '--data-dir', dataDir], { env: SERVE_ENV });
    const sentence = `The data directory ${dataDir} was created for development, but this is production.`;
    expect([end.status, end.output]).toEqual([5, expect.stringContaining(sentence)]);
  });

  test('a data directory with an empty mode file, which is written only once: exit status 5', async () => {
    const dataDir = await usedDir();
    const file = join(dataDir, 'mode');
    const { mtimeMs } = statSync(file);
    await startAndStop(dataDir);
    expect([statSync(file).mtimeMs, readFileSync(file, 'utf8')]).toEqual([mtimeMs, 'development\n']); // written once
    truncateSync(file);
    const end = await runToEnd(['start', '--port', '0', '--data-dir', dataDir]);
    expect([end.status, end.output]).toEqual([5, expect.stringContaining(`The file ${file} is empty`)]);
  });

  test('a full disk at the first start: exit status 5, and the message names the file that cannot be written', async () => {
    const dataDir = freshDir();
    mkdirSync(dataDir, { recursive: true });
    symlinkSync('/dev/full', join(dataDir, 'mode.new'));
    const end = await runToEnd(['start', '--port', '0', '--data-dir', dataDir]);
    const sentence = `The file ${join(dataDir, 'mode')} cannot be written: ENOSPC`;
    expect([end.status, end.output]).toEqual([5, expect.stringContaining(sentence)]);
    await startAndStop(dataDir);
  });

  test('a data directory without its mode file: exit status 5, and the journal stays unchanged', async () => {
    const dataDir = await usedDir();
    const file = join(dataDir, 'mode');
    rmSync(file);
    const journal = join(dataDir, 'journal', 'data.mdb');
    const before = readFileSync(journal);
    const end = await runToEnd(['serve', '--port', '0', ...CHAIN, '--data-dir', dataDir], { env: SERVE_ENV });
    const sentence = `The file ${file} is missing, so the mode of the data directory is unknown.`;
    expect([end.status, end.output, existsSync(file)]).toEqual([5, expect.stringContaining(sentence), false]);
    expect(readFileSync(journal).equals(before)).toBe(true); // a start with the other mode's settings adds a record
    writeFileSync(file, 'development\n');
    await startAndStop(dataDir);
  });

  test('SIGTERM while the journal is read: exit status 0, and the lock is released', async () => {
    const dataDir = await usedDir();
    // The signal arrives as soon as the process has locked the directory, which it must then release.
    const script = `import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      const { linkSync } = fs;
      fs.linkSync = (from, to) => {
        linkSync(from, to);
        process.emit('SIGTERM');
      };
      syncBuiltinESMExports();`;
    const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(script)}` };
    const end = await runToEnd(['start', '--port', '0', '--data-dir', dataDir], { env });
    expect([end.status, end.output, existsSync(join(dataDir, 'lock'))]).toEqual([
      0,
      'SIGTERM: stopped while reading the journal.\n',
      false,
    ]);
    await startAndStop(dataDir);
  });

  test('SIGTERM to all processes during the first look after a crash: exit status 0', async () => {
    const dataDir = freshDir();
    await (await startServerProcess({ dataDir })).kill('SIGKILL');
    const script = `if (process.argv[1]?.endsWith('firstLookChild.ts')) {
        process.kill(process.ppid, 'SIGTERM');
        process.kill(process.pid, 'SIGTERM');
      }`;
    const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(script)}` };
    const end = await runToEnd(['start', '--port', '0', '--data-dir', dataDir], { env });
    expect([end.status, end.output]).toEqual([0, 'SIGTERM: stopped while reading the journal.\n']);
    await startAndStop(dataDir);
  });

  test('an unreadable file in the data directory: exit status 5, and the message names the cause', async () => {
    const dataDir = await usedDir();
    const start = ['start', '--port', '0', '--data-dir', dataDir];
    const secret = join(dataDir, SERVER_SECRET_FILE);
    rmSync(secret);
    mkdirSync(secret, { mode: 0o700 });
    const end = await runToEnd(start);
    expect([end.status, end.output]).toEqual([5, expect.stringContaining(`${secret} is a folder, not a file, `)]);
    const mode = join(dataDir, 'mode');
    rmSync(mode);
    mkdirSync(mode);
    const modeEnd = await runToEnd(start);
    const cannot = 'The data directory cannot be used: ';
    const isFolder = `${cannot}${mode} is a folder, not a file. Move it away, or choose another --data-dir.\n`;
    expect([modeEnd.status, modeEnd.output]).toEqual([5, isFolder]);
    rmSync(mode, { recursive: true });
    writeFileSync(mode, 'development\n');
    const journal = join(dataDir, 'journal', 'data.mdb');
    rmSync(journal);
    symlinkSync(journal, journal);
    // The journal exists, so it must not be reported as missing.
    const journalEnd = await runToEnd(start);
    expect([journalEnd.status, journalEnd.output]).toEqual([5, expect.stringContaining(`${cannot}ELOOP: `)]);
    const verifyEnd = await runToEnd(['verify', '--data-dir', dataDir]);
    const sentence = new RegExp(`^The journal of ${dataDir} cannot be read: ELOOP: .*\n$`);
    expect([verifyEnd.status, verifyEnd.output]).toEqual([5, expect.stringMatching(sentence)]);
  });

  test('a file as the data directory: exit status 5, and the message explains it', async () => {
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    const end = await runToEnd(['start', '--port', '0', '--data-dir', file]);
    const sentence = `The data directory cannot be used: ${file} is a file, not a folder.`;
    expect([end.status, end.output]).toEqual([5, expect.stringContaining(sentence)]);
  });

  test.each([
    [['start', '--prot', '1'], "error: unknown option '--prot'\n(Did you mean --port?)\n"],
    [['stat'], "error: unknown command 'stat'\n(Did you mean start?)\n"],
    [['start', '--port', 'x'], '--port must be a whole number from 0 to 65535; it is "x".\n'],
  ])('%j is rejected with exit status 2', async (args, output) => {
    expect(await runToEnd(args, { cwd: folder })).toEqual({ status: 2, signal: null, output, stdout: '' });
  });
});

describe('serve', () => {
  test('needs a chain other than 137, an admin token and a secret, with one error message for each', async () => {
    const outcome = async (args: readonly string[], variables: Record<string, string>) => {
      const { status, output } = await runToEnd(['serve', ...args, '--data-dir', freshDir()], {
        env: variables,
        cwd: folder,
      });
      return [status, output];
    };
    expect(await outcome([], SERVE_ENV)).toEqual([2, expect.stringMatching(/^serve needs --chain/)]);
    expect(await outcome(['--chain', '137'], SERVE_ENV)).toEqual([
      2,
      expect.stringMatching(/^serve refuses chain 137/),
    ]);
    const { OUTCRY_SECRET, OUTCRY_ADMIN_TOKEN } = SERVE_ENV;
    expect(await outcome(CHAIN, { OUTCRY_SECRET })).toEqual([2, expect.stringMatching(/^serve needs an admin token/)]);
    expect(await outcome(CHAIN, { OUTCRY_ADMIN_TOKEN })).toEqual([
      2,
      expect.stringMatching(/^serve needs the secret.*openssl rand -hex 32.*server-secret, with mode 600/),
    ]);
    const short = await outcome(CHAIN, { OUTCRY_ADMIN_TOKEN, OUTCRY_SECRET: 'short' });
    expect(short).toEqual([2, expect.stringMatching(/^OUTCRY_SECRET has 5 characters/)]);
  });

  test('rejects an invalid secret before it creates or writes anything', async () => {
    const dataDir = freshDir();
    const serve = ['serve', '--port', '0', ...CHAIN, '--data-dir', dataDir];
    const { OUTCRY_ADMIN_TOKEN } = SERVE_ENV;
    const short = await runToEnd(serve, { env: { OUTCRY_ADMIN_TOKEN, OUTCRY_SECRET: 'short' } });
    expect([short.status, existsSync(dataDir)]).toEqual([2, false]);
    await (await startServerProcess({ command: 'serve', dataDir, args: CHAIN, env: SERVE_ENV })).stop();
    const journal = join(dataDir, 'journal', 'data.mdb');
    const before = readFileSync(journal);
    writeFileSync(join(dataDir, SERVER_SECRET_FILE), 'no hex digits', { mode: 0o600 });
    const end = await runToEnd(serve, { env: { OUTCRY_ADMIN_TOKEN } });
    expect([end.status, end.output]).toEqual([5, expect.stringContaining('does not hold 64 hex digits')]);
    expect(readFileSync(journal).equals(before)).toBe(true);
  });

  test('logs its start and stop', async () => {
    const dataDir = freshDir();
    const server = await startServerProcess({ command: 'serve', dataDir, args: [...CHAIN, '--json'], env: SERVE_ENV });
    await server.stop();
    const lines = server.output.split('\n').filter((line) => line.includes('"level"'));
    const [first, ...others] = lines.map((line) => JSON.parse(line));
    expect(first).toMatchObject({
      level: 30,
      url: server.url,
      dataDir,
      mode: 'production',
      msg: 'The exchange has started.',
    });
    expect(others.map(({ msg }) => msg)).toEqual(['The exchange is stopping.', 'The exchange has stopped.']);
  });

  test('starts without markets, wallets, faucet or the development admin token', async () => {
    const server = await startServerProcess({
      command: 'serve',
      dataDir: freshDir(),
      args: [...CHAIN, '--json'],
      env: SERVE_ENV,
    });
    const banner = JSON.parse(server.output.split('\n').find((line) => line.includes('"chain_id"')) ?? '');
    expect(banner).toMatchObject({ mode: 'production', chain_id: 80_002, markets: {}, ready: true });
    expect(banner).not.toHaveProperty('wallets');
    expect(banner).not.toHaveProperty('admin_token');
    expect((await send(server.url, 'POST', '/dev/faucet', {})).status).toBe(404);
    const event = (token: string) =>
      send(server.url, 'POST', '/admin/events', { title: 'x' }, { authorization: `Bearer ${token}` });
    expect((await event('dev-admin')).status).toBe(401);
    expect((await event(SERVE_ENV.OUTCRY_ADMIN_TOKEN)).status).toBe(200);
    await server.stop();
  });
});

test.each([
  ['an error that nothing catches', 'setImmediate(() => { throw error; })'],
  // LMDB's binding rejects a second promise for a failed commit, which our code cannot reach and which means nothing.
  [
    'a promise whose rejection nothing handles',
    "Promise.reject(Object.assign(new Error('follows'), { commitError: error })); setImmediate(() => Promise.reject(error))",
  ],
])('%s stops an exchange in order: exit status 70, with the reason, and its data is whole', async (_name, fail) => {
  const dataDir = freshDir();
  const script = `process.on('SIGUSR2', () => { const error = new TypeError('nobody expects this'); ${fail}; });`;
  const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(script)}` };
  const server = await startServerProcess({ dataDir, env });
  const credit = { address: `0x${'1'.repeat(40)}`, collateral: '5' };
  expect((await send(server.url, 'POST', '/dev/faucet', credit)).status).toBe(200);
  const { durable_sequence: sequence } = (await send(server.url, 'GET', '/readyz')).json;
  expect(await server.kill('SIGUSR2')).toEqual({ status: 70, signal: null });
  expect(server.output).toMatch(/^The exchange stopped because of a defect: nobody expects this$/m);
  expect(server.output).toContain('The exchange cannot continue and is stopping.');
  expect(server.output).not.toMatch(/defect: follows|Stopped\. All/);
  expect(readdirSync(dataDir)).not.toContain('lock');
  const again = await startTestServer({ config: { dataDir } });
  expect(again.exchange.durableSequence).toBe(sequence + 1);
  await again.close();
});

test('a stop on a disk that takes nothing any more: exit status 0, and sockets are closed with 1012', async () => {
  const dataDir = freshDir();
  const script = `import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const { rmSync } = fs;
    fs.rmSync = (path, options) => {
      if (!path.endsWith('/lock')) return rmSync(path, options);
      throw Object.assign(new Error("EROFS: read-only file system, unlink '" + path + "'"), { code: 'EROFS' });
    };
    syncBuiltinESMExports();`;
  const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(script)}` };
  const server = await startServerProcess({ dataDir, env });
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws/market`);
  await once(socket, 'open');
  const closed = once(socket, 'close');
  expect(await server.kill('SIGTERM'), server.output).toEqual({ status: 0, signal: null });
  expect(server.output).toContain('The lock of the data directory could not be removed');
  expect(server.output).toContain('Stopped. All acknowledged data is in');
  const [{ code, reason }] = await closed;
  expect([code, reason]).toEqual([1012, 'the exchange is stopping']);
  expect(readdirSync(dataDir)).toContain('lock');
  await startAndStop(dataDir);
});

test('--version prints only the package version', async () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
  expect(await runToEnd(['--version'])).toEqual({
    status: 0,
    signal: null,
    output: `${version}\n`,
    stdout: `${version}\n`,
  });
});

const STATUSES = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '70'];

test('--help lists every flag and every exit status', async () => {
  const { status, output } = await runToEnd(['start', '--help']);
  expect(status).toBe(0);
  const flags =
    'port host allow-host data-dir chain seed house no-house no-throttle throttle log-level json quiet accept-clock';
  for (const flag of [...flags.split(' '), 'order-window', 'admin-token', 'config'])
    expect(output).toContain(`--${flag}`);
  for (const number of STATUSES) expect(output).toMatch(new RegExp(`^ +${number}  \\S`, 'm'));
});

test('--help of import, which alone has the status 9, lists every exit status', async () => {
  const { output } = await runToEnd(['import', '--help']);
  for (const number of STATUSES) expect(output).toMatch(new RegExp(`^ +${number}  \\S`, 'm'));
});

test('--help of replay says how it is called', async () => {
  expect((await runToEnd(['replay', '--help'])).output).toMatch(/^Usage: outcry replay /);
});

test('--quiet prints nothing when nothing is wrong', async () => {
  const server = await startServerProcess({ dataDir: freshDir(), quietPort: await freePort() });
  expect((await send(server.url, 'GET', '/version')).json.version).toBe(2);
  await server.stop();
  expect(server.output).toBe('');
});
