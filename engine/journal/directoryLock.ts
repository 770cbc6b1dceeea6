// The lock that keeps a second process out of a data directory: a file that names its holder, and beside it a socket on which
// the holder listens. A pid and a start time say whether a process still lives, but only within one pid namespace: to a
// container, the processes of another one and of its host do not exist, and some systems tell no start time. Then a process
// connects to the socket, which the system closes when its holder ends, however it ends. Taken and released by dataDirectory.ts.
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
import { codeOf, isOfSystem, lockPathIn, PRIVATE_FILE } from './files.ts';

/** Ids of the locks that this thread holds. Another thread, or another instance of this module, may hold more. */
const heldIds = new Set<string>();
/** Ids of locks whose holders have ended, which is final: each is probed only once, though a start asks several times. */
const endedIds = new Set<string>();

interface LockHolder {
  readonly pid: number;
  /** When the process started, as the system counts it; undefined where that cannot be read. */
  readonly startedAt: string | undefined;
  /** The namespace of the pid; undefined where the system has none, and in locks of older programs. */
  readonly pidNamespace: string | undefined;
  /** The unique id of this lock; undefined in locks of older programs. */
  readonly id: string | undefined;
}

const ID_BYTES = 8;
const ID = /^[0-9a-f]{16}$/;
/** Some systems refuse longer socket paths. */
const SOCKET_PATH_BYTES_MAX = 100;
const PROBE_MS_MAX = 10_000;
/** Exit statuses of the process that probes a socket: it was connected, or nobody listens any more. Any other says nothing. */
const CONNECTED = 0;
const NOBODY_LISTENS = 3;
const PROBE = `
  const socket = require('node:net').connect({ path: process.argv[1] });
  socket.on('connect', () => process.exit(${CONNECTED}));
  socket.on('error', ({ code }) => process.exit(code === 'ECONNREFUSED' ? ${NOBODY_LISTENS} : 1));`;

const socketNameOf = (id: string): string => `lock.${id}`;
/** Prefix of the name of a lock that was moved aside; the lock id of the process that moved it follows. */
const ASIDE = 'lock.stale.';

export class DirectoryLock {
  private readonly directory: string;
  private readonly id = randomBytes(ID_BYTES).toString('hex');
  private readonly stopListening: () => void;

  /**
   * Takes the lock of a directory, also from a holder that has ended. Throws DataDirectoryLocked, or the system's error for a
   * lock that cannot be read.
   */
  constructor(directory: string) {
    this.directory = directory;
    // Before the lock appears: a process that reads it may connect at once.
    this.stopListening = listenIn(directory, socketNameOf(this.id));
    try {
      this.take();
    } catch (error) {
      this.remove();
      throw error;
    }
    heldIds.add(this.id);
  }

  /** Lets the next process in. */
  release(): void {
    if (heldIds.delete(this.id)) this.remove();
  }

  /** Removes the lock if it is ours, and its socket. */
  private remove(): void {
    try {
      if (this.isOurs()) rmSync(lockPathIn(this.directory), { force: true });
    } finally {
      this.stopListening();
    }
  }

  /** One that cannot be read may be another's: it stays, and counts as left behind once this process has ended. */
  private isOurs(): boolean {
    try {
      return readHolder(lockPathIn(this.directory))?.id === this.id;
    } catch {
      return false;
    }
  }

  private take(): void {
    const { directory, id } = this;
    const { pid } = process;
    const text = JSON.stringify({ pid, startedAt: startOf(pid), pidNamespace: ownNamespace(), id });
    // Three rounds: one to take over a stale lock, one more if another process was faster and is already gone.
    for (let round = 0; round < 3; round += 1) {
      if (createLock(directory, text, id)) {
        this.requireSoleLock();
        return;
      }
      removeStaleLock(directory, id);
    }
    throw new DataDirectoryLocked(directory, readHolder(lockPathIn(directory))?.pid ?? 0);
  }

  /**
   * A process that saw a stale lock may have moved the next, valid one aside, and may have ended before it put that back: a
   * third process then finds no lock and takes one, while the holder of the other lives. Puts such a lock back in its place and
   * throws DataDirectoryLocked.
   */
  private requireSoleLock(): void {
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
      renameSync(aside, lockPathIn(directory));
      throw new DataDirectoryLocked(directory, holder.pid, place);
    }
  }
}

/**
 * Whether the last holder of a directory ended without releasing it: its files may be in any state. True also for a lock that
 * cannot be read: whoever takes the lock next is told why.
 */
export function wasLeftBehind(directory: string): boolean {
  const lockPath = lockPathIn(directory);
  if (!existsSync(lockPath)) return false;
  let holder: LockHolder | undefined;
  try {
    holder = readHolder(lockPath);
  } catch {
    return true;
  }
  return holder === undefined || placeOf(holder, directory) === undefined;
}

/** Creates the lock; returns whether it was free and now is ours. It appears whole: nobody ever reads half a lock. */
function createLock(directory: string, text: string, id: string): boolean {
  const lockPath = lockPathIn(directory);
  const draft = `${lockPath}.new.${id}`;
  try {
    writeFileSync(draft, text, { mode: PRIVATE_FILE });
    return linkLock(draft, lockPath) ?? fillLock(lockPath, text);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Gives a draft the lock's name unless another has it; undefined on a file system without hard links. */
function linkLock(draft: string, lockPath: string): boolean | undefined {
  try {
    linkSync(draft, lockPath);
    return true;
  } catch (error) {
    return codeOf(error) === 'EEXIST' ? false : undefined;
  }
}

/** Creates the lock first and fills it right after, without hard links. Leaves none behind that could not be written. */
function fillLock(lockPath: string, text: string): boolean {
  let lock: number;
  try {
    lock = openSync(lockPath, 'wx', PRIVATE_FILE);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    writeFileSync(lock, text);
    return true;
  } catch (error) {
    rmSync(lockPath, { force: true });
    throw error;
  } finally {
    closeSync(lock);
  }
}

/** Removes the lock of a process that has ended; throws DataDirectoryLocked if the process lives. */
function removeStaleLock(directory: string, id: string): void {
  const lockPath = lockPathIn(directory);
  const holder = readHolder(lockPath);
  if (holder === undefined) {
    if (!existsSync(lockPath)) return;
  } else refuseIfAlive(holder, directory);
  // Moved before it is removed: of two processes that both saw a stale lock, neither removes the other's new one.
  const aside = join(directory, `${ASIDE}${id}`);
  try {
    renameSync(lockPath, aside);
  } catch {
    return;
  }
  let moved: LockHolder | undefined;
  try {
    moved = readHolder(aside);
    if (moved !== undefined) refuseIfAlive(moved, directory);
  } catch (error) {
    putBack(aside, lockPath);
    throw error;
  }
  removeEnded(aside, moved, directory);
}

/** Removes a lock that was moved aside and whose holder has ended, with its socket. */
function removeEnded(aside: string, holder: LockHolder | undefined, directory: string): void {
  rmSync(aside, { force: true });
  if (holder?.id !== undefined) rmSync(join(directory, socketNameOf(holder.id)), { force: true });
}

/** Puts back a lock that was moved aside. A new lock that is there by now is not overwritten: its taker finds this one. */
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

/**
 * The holder that a lock names; undefined if there is no lock or it names none. Throws the system's error for one that cannot
 * be read, as another user's or when too many files are open: its holder may live.
 */
function readHolder(lockPath: string): LockHolder | undefined {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(lockPath, 'utf8'));
  } catch (error) {
    if (isOfSystem(error) && codeOf(error) !== 'ENOENT') throw error;
    return undefined;
  }
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
}

/** Where the holder of a lock lives; undefined if it has ended. */
function placeOf(holder: LockHolder, directory: string): HolderPlace | undefined {
  const { id, pidNamespace } = holder;
  if (id !== undefined && heldIds.has(id)) return 'here';
  if (pidNamespace === undefined || pidNamespace === ownNamespace()) {
    return isAlive(holder, directory) || isOfThisProcess(holder, directory) ? 'here' : undefined;
  }
  return id === undefined ? 'unreachable' : placeBySocket(directory, id);
}

/** The same for a holder of which nothing but its socket can tell. */
function placeBySocket(directory: string, id: string): 'elsewhere' | 'unreachable' | undefined {
  if (endedIds.has(id)) return undefined;
  switch (probe(directory, id)) {
    case CONNECTED:
      return 'elsewhere';
    case NOBODY_LISTENS:
      endedIds.add(id);
      return undefined;
    default:
      return 'unreachable';
  }
}

/** Whether a lock's holder is a live process of our own namespace other than this one. */
function isAlive({ pid, startedAt, id }: LockHolder, directory: string): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Not permitted to signal it means that it exists.
    if (codeOf(error) !== 'EPERM') return false;
  }
  const current = startOf(pid);
  if (current === 'ended') return false;
  if (startedAt !== undefined && current !== undefined) return current === startedAt;
  // The system does not say when that process started: its pid may have been the holder's before.
  return id === undefined || placeBySocket(directory, id) !== undefined;
}

/**
 * Whether another thread of this process holds a lock. One that listens on no socket counts as ended; one for which no process
 * could be started to find out, as alive.
 */
function isOfThisProcess({ pid, startedAt, id }: LockHolder, directory: string): boolean {
  if (pid !== process.pid || startedAt !== startOf(pid) || id === undefined || endedIds.has(id)) return false;
  const status = probe(directory, id);
  if (status === CONNECTED || status === null) return true;
  endedIds.add(id);
  return false;
}

/**
 * Connects to a holder's socket, in a child process: opening a directory blocks until it exits. Returns its exit status, null
 * if it could not be started or did not end by itself.
 */
function probe(directory: string, id: string): number | null {
  const env = { ...process.env, NODE_OPTIONS: '' };
  const options = { cwd: directory, env, stdio: 'ignore', timeout: PROBE_MS_MAX } as const;
  return spawnSync(process.execPath, ['-e', PROBE, socketNameOf(id)], options).status;
}

/**
 * Listens on a socket in a directory; returns the function that closes and removes it. Where there can be no socket (on some
 * network file systems) there is none: a process of another namespace is then refused, and told what to do.
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
 * Boot and start time of a process where the system tells (Linux), so that a reused pid is not mistaken for its earlier
 * owner; `ended` for one that has ended and only waits for its parent to notice.
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
