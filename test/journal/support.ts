// Helpers for the tests that need a journal: temporary folders, files that the system refuses to open, records of known content,
// files of batches, processes that write one, and an in-memory store whose writes can be held back or made to fail. Used by the
// tests of journal, pipeline and tools.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type BatchStore,
  Journal,
  type JournalListener,
  JournalReader,
  type JournalRecord,
  LmdbStore,
  MemoryStore,
  type RetryPolicy,
} from '../../engine/journal/index.ts';

/** Runs with a temporary folder that is removed afterwards. */
export async function inTempDir(run: (dir: string) => Promise<void> | void): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'outcry-'));
  try {
    await run(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Runs with some functions of a built-in module replaced, for everybody who imports them. */
export async function withReplaced<Module extends object>(
  module: Module,
  functions: Partial<Module>,
  run: () => unknown,
): Promise<void> {
  const own: Partial<Module> = {};
  for (const name in functions) own[name] = module[name];
  Object.assign(module, functions);
  syncBuiltinESMExports();
  try {
    await run();
  } finally {
    Object.assign(module, own);
    syncBuiltinESMExports();
  }
}

/** Runs while the system does not let this process open the files that `isRefused` names: its error has this code. */
export function whileRefused(code: string, isRefused: (path: string) => boolean, run: () => unknown): Promise<void> {
  const { openSync, readFileSync } = fs;
  const refuse = (path: unknown): void => {
    if (isRefused(String(path))) throw Object.assign(new Error(`${code}: refused, open '${path}'`), { code });
  };
  const functions: Partial<typeof fs> = {
    openSync: (path, ...how) => {
      refuse(path);
      return openSync(path, ...how);
    },
    readFileSync: ((path: string, ...how: []) => {
      refuse(path);
      return readFileSync(path, ...how);
    }) as typeof readFileSync, // whatever it is called with is passed on
  };
  return withReplaced(fs, functions, run);
}

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
export const commandOf = (sequence: number): Uint8Array => text(`command ${sequence}`);
export const eventsOf = (sequence: number): Uint8Array => text(`events ${'x'.repeat(sequence % 97)} of ${sequence}`);

/** The calls of a journal's listener, in order, as text. */
interface RecordingListener extends JournalListener {
  readonly calls: string[];
}

export function recordingListener(): RecordingListener {
  const calls: string[] = [];
  return {
    calls,
    onDurable: (_, recordCount) => calls.push(`durable ${recordCount}`),
    onUnavailable: (reason) => calls.push(`unavailable: ${reason}`),
    onAvailable: () => calls.push('available'),
    onFatal: (error) => calls.push(`fatal: ${error.message}`),
  };
}

export const quickRetry: RetryPolicy = { firstDelayMs: 1, largestDelayMs: 4, triesMax: 5 };

export function openJournal(store: BatchStore, listener: JournalListener = recordingListener()): Journal {
  return new Journal(store, listener, quickRetry);
}

/** Appends the records of these sequences, at time 1000 + sequence, in one turn: they make one batch if none is in flight. */
export function appendRange(journal: Journal, first: number, last: number): void {
  for (let sequence = first; sequence <= last; sequence += 1) {
    const events = eventsOf(sequence);
    journal.append(sequence, 1_000 + sequence, commandOf(sequence), events, events.length);
  }
}

/** The sequences of records that were read back; checks their content. */
export function sequencesIn(portions: Iterable<readonly JournalRecord[]>): number[] {
  const found: number[] = [];
  for (const records of portions) {
    for (const { sequence, tMs, command, events } of records) {
      const isIntact =
        tMs === 1_000 + sequence &&
        Buffer.compare(command, commandOf(sequence)) === 0 &&
        Buffer.compare(events, eventsOf(sequence)) === 0;
      if (!isIntact) throw new Error(`record ${sequence} came back changed`);
      found.push(sequence);
    }
  }
  return found;
}

/** Writes a new file of batches that begin at 1, 8, 15, …; returns these sequences. */
export async function storeBatches(folder: string, batches: readonly Buffer[]): Promise<number[]> {
  mkdirSync(folder, { recursive: true });
  const store = new LmdbStore(folder);
  const firsts = batches.map((_, index) => 1 + 7 * index);
  for (const [index, batch] of batches.entries()) await store.write(firsts[index], batch);
  await store.close();
  return firsts;
}

/** Starts a process that has a `store` in this folder and runs a script; resolves once it has printed something. */
export async function startWriter(folder: string, script: string): Promise<ChildProcess> {
  const module = new URL('../../engine/journal/lmdbStore.ts', import.meta.url).href;
  const code = `
    const { LmdbStore } = await import(${JSON.stringify(module)});
    const store = new LmdbStore(${JSON.stringify(folder)});
    ${script}`;
  const writer = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(writer.stdout, 'data');
  return writer;
}

export const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** The last sequence that a data directory's journal holds. */
export async function lastSequenceIn(dataDir: string): Promise<number> {
  const reader = new JournalReader(dataDir);
  let last = 0;
  for (const records of reader.read()) last = records.at(-1)?.sequence ?? last;
  await reader.close();
  return last;
}

/** An in-memory store whose writes end only when told to, and as told. */
export class HeldStore extends MemoryStore {
  readonly log: string[] = [];
  private readonly held: { readonly batch: string; readonly settle: (error?: Error) => void }[] = [];
  private waiter: (() => void) | undefined;

  constructor() {
    super(true);
  }

  override async write(firstSequence: number, bytes: Uint8Array): Promise<void> {
    this.log.push(`write ${firstSequence}`);
    await new Promise<void>((resolve, reject) => {
      const settle = (error?: Error) => (error === undefined ? resolve() : reject(error));
      this.held.push({ batch: Buffer.from(bytes).toString('hex'), settle });
      this.waiter?.();
    });
    await super.write(firstSequence, bytes);
    this.log.push(`written ${firstSequence}`);
  }

  override async reopen(): Promise<void> {
    this.log.push('reopen');
  }

  /** Waits for a write, ends it, and returns its bytes as hexadecimal text. */
  async endNext(error?: Error): Promise<string> {
    if (this.held.length === 0) {
      await new Promise<void>((resolve) => {
        this.waiter = resolve;
      });
    }
    const next = this.held.shift();
    next?.settle(error);
    return next?.batch ?? '';
  }

  get heldCount(): number {
    return this.held.length;
  }
}

/** Lets everything run that is ready to run. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
