// The lock that keeps a second process out of a data directory: a file that names its holder, and beside it a socket on which
// the holder listens. A pid and a start time say whether a process still lives, but only within one namespace of pids: to
// a container, the processes of another one and of the machine around it do not exist. So whoever comes from elsewhere knocks at
// the socket, which the system closes when its holder ends, however it ends. Taken and released by dataDirectory.ts.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DataDirectoryLocked, type HolderPlace } from './errors.ts';
import { codeOf, lockPathIn } from './files.ts';

/** Ids of the locks that this process holds: one that names our own pid is another's, of a pid used again, if not in here. */
const held = new Set<string>();
/** Ids of locks whose holders were found to be no more, which is for ever: each is knocked for once, though a start asks several times. */
const ended = new Set<string>();

interface LockHolder {
  readonly pid: number;
  /** When the process started, as the system counts it; undefined where that cannot be read. */
  readonly startedAt: string | undefined;
  /** In which namespace of the system the pid is one; undefined where there are none, and in locks of older programs. */
  readonly pidNamespace: string | undefined;
  /** Of this lock, unlike any other's; undefined in locks of older programs. */
  readonly id: string | undefined;
}

const ID_BYTES = 8;
const ID = /^[0-9a-f]{16}$/;
/** Longer paths of sockets are refused by some systems. */
const SOCKET_PATH_BYTES_MAX = 100;
const KNOCK_MS_MAX = 10_000;
/** What the process that knocks ends with: it came in, or nobody listens any more. Anything else says nothing. */
const CAME_IN = 0;
const NOBODY_LISTENS = 3;
const KNOCK = `
  const socket = require('node:net').connect({ path: process.argv[1] });
  socket.on('connect', () => process.exit(${CAME_IN}));
  socket.on('error', ({ code }) => process.exit(code === 'ECONNREFUSED' ? ${NOBODY_LISTENS} : 1));`;

const socketNameOf = (id: string): string => `lock.${id}`;
/** What the name of a lock that was moved aside begins with; then comes the id of whoever moved it. */
const ASIDE = 'lock.stale.';

export class DirectoryLock {
  private readonly directory: string;
  private readonly id = randomBytes(ID_BYTES).toString('hex');
  private readonly stopListening: () => void;

  /** Takes the lock of a directory, also over from a process that is no more. Throws DataDirectoryLocked. */
  constructor(directory: string) {
    this.directory = directory;
    // Before the lock appears: whoever reads it may knock at once.
    this.stopListening = listenIn(directory, socketNameOf(this.id));
    try {
      this.take();
    } catch (error) {
      this.stopListening();
      throw error;
    }
  }

  /** Lets the next process in. */
  release(): void {
    if (!held.delete(this.id)) return;
    const lockPath = lockPathIn(this.directory);
    if (readHolder(lockPath)?.id === this.id) rmSync(lockPath, { force: true });
    this.stopListening();
  }

  private take(): void {
    const { directory, id } = this;
    const { pid } = process;
    const text = JSON.stringify({ pid, startedAt: startOf(pid), pidNamespace: ownNamespace(), id });
    // Three rounds: one to take over a stale lock, one more if somebody else was faster and is already gone.
    for (let round = 0; round < 3; round += 1) {
      if (createLock(directory, text, id)) {
        held.add(id);
        this.requireAlone();
        return;
      }
      removeStaleLock(directory, id);
    }
    throw new DataDirectoryLocked(directory, readHolder(lockPathIn(directory))?.pid ?? 0);
  }

  /**
   * Somebody who saw a stale lock may have moved the next one aside, and may have ended before it put that back: whoever finds
   * no lock then has one all the same, while the other's holder lives. Throws DataDirectoryLocked, with that lock in its place.
   */
  private requireAlone(): void {
    const { directory, id } = this;
    for (const name of readdirSync(directory)) {
      if (!name.startsWith(ASIDE)) continue;
      const aside = join(directory, name);
      const holder = readHolder(aside);
      if (holder?.id === id) continue; // ours, which is about to be put back
      const place = holder && placeOf(holder, directory);
      if (holder === undefined || place === undefined) {
        removeEnded(aside, holder, directory);
        continue;
      }
      held.delete(id);
      renameSync(aside, lockPathIn(directory));
      throw new DataDirectoryLocked(directory, holder.pid, place);
    }
  }
}

/** Whether the last process that had a directory did not release it, so that its files may be anything. */
export function wasLeftBehind(directory: string): boolean {
  const lockPath = lockPathIn(directory);
  if (!existsSync(lockPath)) return false;
  const holder = readHolder(lockPath);
  return holder === undefined || placeOf(holder, directory) === undefined;
}

/** Whether the lock was free and now is ours. It appears with its text in it: nobody ever reads half a lock. */
function createLock(directory: string, text: string, id: string): boolean {
  const lockPath = lockPathIn(directory);
  const draft = `${lockPath}.new.${id}`;
  try {
    writeFileSync(draft, text);
    linkSync(draft, lockPath);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
  } finally {
    rmSync(draft, { force: true });
  }
  // A file system without hard links: created first, filled right after.
  try {
    writeFileSync(lockPath, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Removes the lock of a process that is no more; throws DataDirectoryLocked when it lives. */
function removeStaleLock(directory: string, id: string): void {
  const lockPath = lockPathIn(directory);
  const holder = readHolder(lockPath);
  if (holder === undefined) {
    if (!existsSync(lockPath)) return;
  } else refuseIfAlive(holder, directory);
  // Moved before it is removed, so that of two processes that both saw a stale lock none removes the other's new one.
  const aside = join(directory, `${ASIDE}${id}`);
  try {
    renameSync(lockPath, aside);
  } catch {
    return;
  }
  const moved = readHolder(aside);
  try {
    if (moved !== undefined) refuseIfAlive(moved, directory);
  } catch (error) {
    putBack(aside, lockPath);
    throw error;
  }
  removeEnded(aside, moved, directory);
}

/** Removes a lock that was moved aside, whose holder is no more. */
function removeEnded(aside: string, holder: LockHolder | undefined, directory: string): void {
  rmSync(aside, { force: true });
  if (holder?.id !== undefined) rmSync(join(directory, socketNameOf(holder.id)), { force: true });
}

/** Puts a lock back that was moved aside, unless there is another by now, which is not written over: its taker finds this one. */
function putBack(aside: string, lockPath: string): void {
  try {
    linkSync(aside, lockPath);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    // A file system without hard links.
    if (!existsSync(lockPath)) renameSync(aside, lockPath);
    return;
  }
  rmSync(aside, { force: true });
}

function refuseIfAlive(holder: LockHolder, directory: string): void {
  const place = placeOf(holder, directory);
  if (place !== undefined) throw new DataDirectoryLocked(directory, holder.pid, place);
}

function readHolder(lockPath: string): LockHolder | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(lockPath, 'utf8'));
    if (typeof value !== 'object' || value === null || !('pid' in value) || typeof value.pid !== 'number')
      return undefined;
    const texts: Readonly<Record<string, unknown>> = { ...value };
    const textOf = (name: string): string | undefined => {
      const text = texts[name];
      return typeof text === 'string' ? text : undefined;
    };
    const id = textOf('id');
    return {
      pid: value.pid,
      startedAt: textOf('startedAt'),
      pidNamespace: textOf('pidNamespace'),
      id: id !== undefined && ID.test(id) ? id : undefined,
    };
  } catch {
    return undefined;
  }
}

/** Where the holder of a lock lives, undefined when it is no more. */
function placeOf(holder: LockHolder, directory: string): HolderPlace | undefined {
  const { id, pidNamespace } = holder;
  if (id !== undefined && held.has(id)) return 'here';
  if (pidNamespace === undefined || pidNamespace === ownNamespace()) return isAlive(holder) ? 'here' : undefined;
  if (id === undefined) return 'unheard';
  if (ended.has(id)) return undefined;
  switch (knock(directory, id)) {
    case CAME_IN:
      return 'elsewhere';
    case NOBODY_LISTENS:
      ended.add(id);
      return undefined;
    default:
      return 'unheard';
  }
}

/** Whether a process of our own namespace lives that is not this one. */
function isAlive({ pid, startedAt }: LockHolder): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Not permitted to signal it means that it exists.
    if (codeOf(error) !== 'EPERM') return false;
  }
  const current = startOf(pid);
  if (current === 'ended') return false;
  return startedAt === undefined || current === undefined || current === startedAt;
}

/** Knocks at a holder's socket, by a process of its own: who opens a directory waits for the answer. */
function knock(directory: string, id: string): number | null {
  const env = { ...process.env, NODE_OPTIONS: '' };
  const options = { cwd: directory, env, stdio: 'ignore', timeout: KNOCK_MS_MAX } as const;
  return spawnSync(process.execPath, ['-e', KNOCK, socketNameOf(id)], options).status;
}

/**
 * Listens on a socket in a directory; returns what ends it, and removes it. Where there can be no socket (some file systems
 * of other machines) there is none: who comes from elsewhere is refused then, and told what to do.
 */
function listenIn(directory: string, name: string): () => void {
  const path = join(directory, name);
  const isLong = Buffer.byteLength(path) > SOCKET_PATH_BYTES_MAX;
  const folder = isLong && process.platform === 'linux' ? openSync(directory, 'r') : undefined;
  const server = createServer((socket) => socket.destroy());
  server.on('error', () => {}); // then nobody listens
  server.unref();
  server.listen({ path: folder === undefined ? path : `/proc/self/fd/${folder}/${name}`, exclusive: true });
  return () => {
    server.close();
    if (folder !== undefined) closeSync(folder);
  };
}

/** The namespace of our own pid, where the system tells (Linux). */
function ownNamespace(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return undefined;
  }
}

/**
 * Boot and start time of a process where the system tells (Linux), so that a pid that is used again is not mistaken for
 * its earlier owner; `ended` for one that has ended and only waits for its parent to notice.
 */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return 'ended';
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}/${fields[19]}`;
  } catch {
    return undefined;
  }
}
