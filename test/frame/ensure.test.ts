// The behaviour of .ci/ensure.mjs, as far as it shows without a network: what it passes on, what it refuses, and that an
// installation happens once. Copies of it run in temporary folders, beside an npm command that links packages which are
// already installed.
import { type ChildProcess, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { nodeOptions } from '../../.ci/nodeOptions.mjs';

const root = join(import.meta.dirname, '..', '..');
const folder = fs.mkdtempSync(join(tmpdir(), 'outcry-ensure-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

interface Outcome {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** Runs ensure.mjs of a repository to its end; `during` is called with the process and its output so far. */
function ensure(
  repository: string,
  args: readonly string[],
  path: string,
  during: (child: ChildProcess, out: string, err: string) => void = () => {},
  more: Readonly<Record<string, string | undefined>> = {},
): Promise<Outcome> {
  const script = join(repository, '.ci', 'ensure.mjs');
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...process.env, PATH: path, ...more },
    stdio: 'pipe',
  });
  return new Promise((done, failed) => {
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      during(child, out, err);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
      during(child, out, err);
    });
    child.on('error', failed);
    child.on('close', (status, signal) => done({ status, signal, out, err }));
  });
}

/** Writes a script into the temporary folder and returns its path. */
function script(name: string, text: string): string {
  const file = join(folder, name);
  fs.writeFileSync(file, text, { mode: 0o755 });
  return file;
}

/** A repository without node_modules, and a folder with an npm command that runs the script `npm`. */
function bareRepository(name: string, npm: string): { readonly repository: string; readonly path: string } {
  const repository = join(folder, name);
  const bin = join(repository, 'bin');
  fs.mkdirSync(join(repository, '.ci'), { recursive: true });
  fs.mkdirSync(bin);
  for (const name of ['ensure.mjs', 'nodeOptions.mjs', 'stripTypes.mjs']) {
    fs.copyFileSync(join(root, '.ci', name), join(repository, '.ci', name));
  }
  fs.writeFileSync(join(repository, 'package-lock.json'), '{}');
  fs.writeFileSync(join(repository, 'hello.ts'), 'const text: string = "hello"; console.log(text);');
  fs.writeFileSync(join(bin, 'npm'), `#!/bin/sh\necho "$@" >> npm-calls\n${npm}`, { mode: 0o755 });
  return { repository, path: `${bin}:/usr/bin:/bin` };
}

const linkPackages = `sleep 0.3; mkdir node_modules; ln -s "${root}"/node_modules/* node_modules/`;
const npmCalls = (repository: string): string[] =>
  fs.readFileSync(join(repository, 'npm-calls'), 'utf8').trim().split('\n');

test('an installed repository runs scripts without npm, on the pinned Node, which is first in PATH', async () => {
  const which = script('which.ts', 'console.log(process.version, process.env.PATH);');
  const { status, out, err } = await ensure(root, [which], '/nowhere');
  expect({ status, err }).toEqual({ status: 0, err: '' });
  expect(out).toMatch(/^v22\./);
  expect(out.trim().split(' ')[1]).toBe(`${join(root, 'node_modules', '.bin')}:/nowhere`);
});

test('a script runs with the same Node options as the processes that benches and tests start', async () => {
  const options = script('options.ts', 'console.log(JSON.stringify(process.execArgv));');
  const { out } = await ensure(root, [options], '/nowhere');
  expect(JSON.parse(out)).toEqual(nodeOptions);
});

test('arguments and the exit status are passed on', async () => {
  const echo = script('echo.ts', 'console.log(JSON.stringify(process.argv.slice(2))); process.exitCode = 7;');
  const { status, out } = await ensure(root, [echo, '--one', 'two words', '*', ''], '/nowhere');
  expect({ status, args: JSON.parse(out) }).toEqual({ status: 7, args: ['--one', 'two words', '*', ''] });
});

test('vitest, biome and tsc run by name', async () => {
  for (const tool of ['vitest', 'biome', 'tsc']) {
    const { status, out } = await ensure(root, [tool, '--version'], '/nowhere');
    expect({ tool, status }).toEqual({ tool, status: 0 });
    expect(out).toMatch(/\d+\.\d+\.\d+/);
  }
});

test('an unknown command, no command and a missing file exit with status 2 and a one-line error', async () => {
  const refusals = await Promise.all(
    [['launch'], [], ['server/nothing.ts']].map((args) => ensure(root, args, '/nowhere')),
  );
  expect(refusals.map(({ status, err }) => [status, err])).toEqual([
    [2, 'There is no command "launch": use vitest, biome, tsc or the path of a .ts file.\n'],
    [2, 'No command was given: use vitest, biome, tsc or the path of a .ts file.\n'],
    [2, 'There is no file server/nothing.ts in this repository.\n'],
  ]);
});

test('SIGINT, SIGTERM and SIGHUP are forwarded to the command, which chooses its own exit status', async () => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    const polite = script(
      'polite.ts',
      `process.on('${signal}', () => { console.log('bye'); process.exit(5); }); setInterval(() => {}, 1000); console.log('up');`,
    );
    const outcome = await ensure(root, [polite], '/nowhere', (child, out) => out === 'up\n' && child.kill(signal));
    expect(outcome).toEqual({ status: 5, signal: null, out: 'up\nbye\n', err: '' });
  }
});

test('if a signal kills the command, ensure.mjs dies of the same signal', async () => {
  const mortal = script('mortal.ts', "setInterval(() => {}, 1000); console.log('up');");
  const outcome = await ensure(root, [mortal], '/nowhere', (child) => child.kill('SIGTERM'));
  expect(outcome).toMatchObject({ status: null, signal: 'SIGTERM' });
});

test('stripped sources are cached until they change, and scripts run even if the cache is unusable', async () => {
  const { repository, path } = bareRepository('stripped', linkPackages);
  const run = async (text: string) => {
    fs.writeFileSync(join(repository, 'hello.ts'), text);
    const { status, out, err } = await ensure(repository, ['hello.ts'], path);
    return { status, out, isWhole: !err.includes('rror') };
  };
  const kept = join(repository, 'node_modules', '.outcry-stripped');
  const one = 'const text: string = "one"; console.log(text);';
  expect(await run(one)).toEqual({ status: 0, out: 'one\n', isWhole: true });
  const [file] = fs.readdirSync(kept);
  const writtenMs = fs.statSync(join(kept, file)).mtimeMs;
  expect(await run(one)).toEqual({ status: 0, out: 'one\n', isWhole: true });
  expect(fs.statSync(join(kept, file)).mtimeMs).toBe(writtenMs);
  expect(await run(one.replace('one', 'two'))).toEqual({ status: 0, out: 'two\n', isWhole: true });
  expect(fs.readdirSync(kept)).toEqual([file]);
  fs.truncateSync(join(kept, file), 10);
  expect(await run(one)).toEqual({ status: 0, out: 'one\n', isWhole: true });
  fs.rmSync(kept, { recursive: true });
  fs.writeFileSync(kept, 'not a folder');
  expect(await run(one)).toEqual({ status: 0, out: 'one\n', isWhole: true });
  expect(await run('const text: string = ; console.log(text);')).toEqual({ status: 1, out: '', isWhole: false });
});

test('processes that start together install once, and again only when package-lock.json changes', async () => {
  const { repository, path } = bareRepository('together', linkPackages);
  const outcomes = await Promise.all([1, 2, 3].map(() => ensure(repository, ['hello.ts'], path)));
  expect(outcomes.map(({ status, out }) => [status, out])).toEqual(Array(3).fill([0, 'hello\n']));
  expect(outcomes.filter(({ err }) => err.startsWith('Installing dependencies (first run'))).toHaveLength(1);
  expect(npmCalls(repository)).toEqual([expect.stringMatching(/^ci --ignore-scripts /)]);
  expect(fs.readdirSync(repository).filter((name) => name.startsWith('.install-lock'))).toEqual([]);

  fs.writeFileSync(join(repository, 'package-lock.json'), '{ }');
  fs.writeFileSync(join(repository, 'bin', 'npm'), '#!/bin/sh\necho "$@" >> npm-calls\n', { mode: 0o755 });
  const { err } = await ensure(repository, ['hello.ts'], path);
  expect(err).toBe(
    'Installing dependencies (node_modules does not match package-lock.json, about half a minute) ...\n',
  );
  expect((await ensure(repository, ['hello.ts'], path)).err).toBe('');
  expect(npmCalls(repository)).toHaveLength(2);
});

test('a lock left by a dead process does not block an installation', async () => {
  const { repository, path } = bareRepository('stale', linkPackages);
  const dead = spawn('true');
  await new Promise((done) => dead.on('exit', done));
  fs.symlinkSync(`${dead.pid}@${hostname()}`, join(repository, '.install-lock'));
  expect(await ensure(repository, ['hello.ts'], path)).toMatchObject({ status: 0, out: 'hello\n' });
  expect(npmCalls(repository)).toHaveLength(1);
});

test('a lock of another machine blocks for fifteen minutes, and no longer', async () => {
  const { repository, path } = bareRepository('shared', linkPackages);
  const lock = join(repository, '.install-lock');
  const heldFor = (minutes: number): void => {
    // No process here has that number; whether one has it on the other machine cannot be seen.
    fs.rmSync(lock, { force: true });
    fs.symlinkSync(`${2 ** 31 - 1}@another-machine`, lock);
    const made = Date.now() / 1000 - minutes * 60;
    fs.lutimesSync(lock, made, made);
  };
  heldFor(14);
  const waiting = await ensure(repository, ['hello.ts'], path, (child, _out, err) => {
    if (err.includes('Waiting for another process')) child.kill('SIGKILL');
  });
  expect(waiting).toMatchObject({ signal: 'SIGKILL', out: '' });
  expect(fs.readlinkSync(lock)).toMatch('@another-machine');
  heldFor(16);
  expect(await ensure(repository, ['hello.ts'], path)).toMatchObject({ status: 0, out: 'hello\n' });
  expect(fs.existsSync(lock)).toBe(false);
});

test('without npm, the reason is one line, the status is 127 and no lock is left', async () => {
  const { repository } = bareRepository('npmless', 'exit 9');
  const { status, err } = await ensure(repository, ['hello.ts'], '/nowhere');
  expect(status).toBe(127);
  expect(err).toMatch(/^Installing dependencies .*\nnpm was not found: install it beside Node\.\n$/);
  expect(() => fs.lstatSync(join(repository, '.install-lock'))).toThrow('ENOENT');
});

test("commands get large pages for the engine's tables, unless the user has set the allocator up", async () => {
  const print = script('print.ts', 'console.log(process.env.GLIBC_TUNABLES);');
  const printed = async (GLIBC_TUNABLES: string | undefined): Promise<string> =>
    (await ensure(root, [print], '/nowhere', undefined, { GLIBC_TUNABLES })).out;
  expect(await printed(undefined)).toBe('glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=2097152\n');
  expect(await printed('glibc.malloc.arena_max=1')).toBe('glibc.malloc.arena_max=1\n');
});

test('if npm fails, its output and exit status are passed on, and the next run installs again', async () => {
  const { repository, path } = bareRepository('failing', 'mkdir -p node_modules; echo "npm error no room" >&2; exit 9');
  for (const time of [1, 2]) {
    const { status, out, err } = await ensure(repository, ['hello.ts'], path);
    expect({ time, status, out }).toEqual({ time, status: 9, out: '' });
    expect(err).toMatch(/^Installing dependencies .*\nnpm error no room\n$/);
  }
});

test('Windows, an unsupported architecture, musl and an old glibc are refused before npm runs', async () => {
  const { repository, path } = bareRepository('unsupported', 'exit 9');
  const refusal = async (change: string): Promise<unknown> => {
    const options = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(change)}` };
    const { status, err } = await ensure(repository, ['hello.ts'], path, undefined, options);
    return [status, err];
  };
  const set = (name: string, value: string): string => `Object.defineProperty(process,"${name}",{value:"${value}"})`;
  const linux = set('platform', 'linux');
  const remedy = 'use Linux with glibc 2.28 or later, or macOS, on x64 or arm64.\n';
  const glibc = (header: string): string => `${linux};process.report.getReport=()=>({header:${header}})`;
  expect(await refusal(set('platform', 'win32'))).toEqual([
    1,
    'Outcry does not run on Windows itself: run it inside WSL 2.\n',
  ]);
  expect(await refusal(`${linux};${set('arch', 's390x')}`)).toEqual([
    1,
    `Outcry does not run on linux-s390x: ${remedy}`,
  ]);
  const musl = 'Outcry needs glibc and this system has another C library, such as musl: ';
  expect(await refusal(glibc('{}'))).toEqual([1, musl + remedy]);
  const old = 'Outcry needs glibc 2.28 or later and this system has 2.17: ';
  expect(await refusal(glibc('{glibcVersionRuntime:"2.17"}'))).toEqual([1, old + remedy]);
  expect(fs.existsSync(join(repository, 'npm-calls'))).toBe(false);
});

test('Node 14 exits with the message that Node 20 is needed, despite the APIs that it lacks', async () => {
  const { repository, path } = bareRepository('oldNode', 'exit 9');
  // Simulates Node 14: a named import that its modules lack would be a syntax error before anything runs.
  const os = 'import os from "os"; export const { constants, hostname } = os; export default os;';
  const change = `
    import { registerHooks } from 'node:module';
    const url = 'data:text/javascript,' + encodeURIComponent(${JSON.stringify(os)});
    const resolve = (name, context, next) => (name === 'node:os' ? { url, shortCircuit: true } : next(name, context));
    registerHooks({ resolve });
    delete Object.hasOwn;
    Object.defineProperty(process, 'versions', { value: { node: '14.21.3' } });
    Object.defineProperty(process, 'version', { value: 'v14.21.3' });`;
  const options = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(change)}` };
  const { status, err } = await ensure(repository, ['hello.ts'], path, undefined, options);
  expect([status, err]).toEqual([
    1,
    'Outcry needs Node 20 or later to install itself and this is v14.21.3: install a later one.\n',
  ]);
});

test('if uWebSockets.js does not load, a one-line error is printed and nothing counts as installed', async () => {
  const { repository, path } = bareRepository('binaryless', `${linkPackages}; rm node_modules/uWebSockets.js`);
  const { status, out, err } = await ensure(repository, ['hello.ts'], path);
  expect({ status, out }).toEqual({ status: 1, out: '' });
  expect(err).toMatch(
    /^Installing .*\nuWebSockets\.js has no binary that loads on this .* system: the README says .*\.\n$/,
  );
  expect(fs.existsSync(join(repository, 'node_modules', '.outcry-stamp'))).toBe(false);
});
