// Snapshots of the whole state after a record: core, registry and followers. The inline deployment starts from the newest
// usable one and writes one when it closes. makeSnapshot makes one beside a running exchange, in a process of its own: it
// starts like the exchange would, from the previous snapshot and the journal after it. So nobody ever waits for a snapshot, and
// every one proves that the one before it can be used.
import {
  type BatchStore,
  hashAfter,
  hashAt,
  isOfSystem,
  JournalReader,
  type JournalRecord,
  type KeptSnapshot,
  packedAfter,
  readFacts,
  requireSameVersion,
  type SnapshotFacts,
  SnapshotFile,
  SnapshotFolder,
  SnapshotOfAnotherVersion,
  type SnapshotStep,
} from '../journal/index.ts';
import { requireSound, type Sections, SnapshotUnusable } from '../protocol/index.ts';
import { type ReplayEnd, replayAfter } from './recovery.ts';
import { Reducers } from './reducers.ts';
import type { Follower, Log } from './types.ts';

/**
 * Raised whenever the sections that core or registry list change, or their meaning, and with the rules version: an earlier
 * program then reads the log, whose Started names the rules that it does not know.
 */
const REDUCERS_VERSION = 10;

/** Reducers, and the last record that they have applied. */
export interface RestoredState {
  readonly reducers: Reducers;
  readonly sequence: number;
}

/** The parts that a snapshot of these followers has, with their versions. */
function versionsOf(followers: readonly Follower[]): Readonly<Record<string, number>> {
  const parts = followers.map(({ name, snapshot }) => [partOf(name), snapshot?.version ?? 0]);
  return { reducers: REDUCERS_VERSION, ...Object.fromEntries(parts) };
}

const partOf = (follower: string): string => `follower ${follower}`;

function visitReducers({ core, registry }: Reducers, sections: Sections): void {
  core.visit(sections.part('core'));
  registry.visit(sections.part('registry'));
}

function visitFollowers(followers: readonly Follower[], sections: Sections): void {
  for (const { name, snapshot } of followers) snapshot?.visit(sections.part(partOf(name)));
}

/** Saves or loads everything that a snapshot of these reducers and followers holds. */
export function visitState(reducers: Reducers, followers: readonly Follower[], sections: Sections): void {
  visitReducers(reducers, sections);
  visitFollowers(followers, sections);
}

/** Whether all of these followers can be in a snapshot. */
export function canSnapshot(followers: readonly Follower[]): boolean {
  return followers.every(({ snapshot }) => snapshot !== undefined);
}

/**
 * Loads the newest usable snapshot of this journal, its followers' parts into `followers`; undefined when there is none. An
 * unusable one is logged, and set aside unless another version of the program wrote it; then the next older one is tried.
 * @throws SnapshotUnusable only for one whose followers' parts cannot be loaded though its checksums are right: by then
 * followers have loaded some of it. It is set aside too, so the next start does without it. The system's error for one that it
 * does not let us read now: all stay as they are
 */
export function restoreNewest(
  folder: SnapshotFolder,
  store: BatchStore,
  followers: readonly Follower[],
  log: Log,
): RestoredState | undefined {
  const onUnusable = (kept: KeptSnapshot, error: SnapshotUnusable): void => {
    const isDamaged = !(error instanceof SnapshotOfAnotherVersion);
    const text = isDamaged
      ? 'A snapshot cannot be used and was renamed'
      : 'A snapshot is of another version of the program and was left in its place, for that version';
    log('warn', `${text}; an older one or the whole journal is read instead.`, { ...kept, reason: error.reason });
    if (isDamaged) folder.setAside(kept);
  };
  try {
    return restoreFirst(folder.list(), (sequence) => hashAt(store, sequence), followers, onUnusable);
  } catch (error) {
    if (!(error instanceof SnapshotUnusable)) throw error;
    throw new SnapshotUnusable(`${error.reason} (it was set aside: start again)`, error);
  }
}

/** Loads the first usable one of these snapshots. Throws SnapshotUnusable for one that followers have loaded in part. */
function restoreFirst(
  snapshots: readonly KeptSnapshot[],
  hashOf: (sequence: number) => string | undefined,
  followers: readonly Follower[],
  onUnusable: (kept: KeptSnapshot, error: SnapshotUnusable) => void,
): RestoredState | undefined {
  if (!canSnapshot(followers)) return undefined;
  for (const kept of snapshots) {
    let hasFollowers = false;
    try {
      const file = openSound(kept, hashOf, followers);
      const reducers = reducersOf(file);
      hasFollowers = true;
      file.load((sections) => visitFollowers(followers, sections));
      for (const { name } of followers) file.requireTaken(partOf(name));
      return { reducers, sequence: kept.sequence };
    } catch (error) {
      if (!(error instanceof SnapshotUnusable)) throw error;
      onUnusable(kept, error);
      if (hasFollowers) throw error;
    }
  }
  return undefined;
}

/** Opens a snapshot, whose bytes must be sound, and which must be of this version of the program and of this journal. */
function openSound(
  { path, sequence }: KeptSnapshot,
  hashOf: (sequence: number) => string | undefined,
  followers: readonly Follower[],
): SnapshotFile {
  requireVersions(readFacts(path), followers); // first: one of another version stays, and reading it all would cost every start
  const file = new SnapshotFile(path);
  const { facts } = file;
  requireSound(
    facts.sequence === sequence,
    `it is named after record ${sequence}, but was made after record ${facts.sequence}`,
  );
  const found = hashOf(sequence);
  requireSound(found !== undefined, `the journal has no record ${sequence}`);
  requireSound(found === facts.journalHash, `it is not of this journal, whose record ${sequence} is another`);
  return file;
}

function requireVersions({ versions }: SnapshotFacts, followers: readonly Follower[]): void {
  const wanted = versionsOf(followers);
  for (const name of new Set([...Object.keys(versions), ...Object.keys(wanted)])) {
    requireVersion(name, versions[name], wanted[name]);
  }
}

function requireVersion(part: string, found: number | undefined, known: number | undefined): void {
  const [has, wants] = [found ?? 'none', known ?? 'none'];
  requireSameVersion(found === known, `its part ${part} has version ${has}, this program has ${wants}`);
}

function reducersOf(file: SnapshotFile): Reducers {
  const reducers = new Reducers();
  file.load((sections) => visitReducers(reducers, sections));
  for (const part of ['core', 'registry']) file.requireTaken(part);
  return reducers;
}

/**
 * Whether to write a snapshot after a record: at least `recordsMin` records follow the newest one of this version of the
 * program, and no snapshot has its name yet, as one of another version may.
 */
export function isSnapshotDue(
  snapshots: readonly KeptSnapshot[],
  sequence: number,
  recordsMin: number,
  followers: readonly Follower[],
): boolean {
  const newest = snapshots.find(({ path }) => isOfThisVersion(path, followers));
  return sequence - (newest?.sequence ?? 0) >= recordsMin && !snapshots.some((kept) => kept.sequence === sequence);
}

function isOfThisVersion(path: string, followers: readonly Follower[]): boolean {
  try {
    requireVersions(readFacts(path), followers);
    return true;
  } catch (error) {
    if (error instanceof SnapshotUnusable) return false;
    throw error;
  }
}

/**
 * Writes the snapshot of a state. Throws, and leaves none behind, if it cannot be written, or not before `untilMs` of
 * performance.now().
 */
export function writeSnapshot(
  folder: SnapshotFolder,
  { sequence, tMs, journalHash }: ReplayEnd,
  reducers: Reducers,
  followers: readonly Follower[],
  untilMs: number,
): void {
  const facts = { sequence, tMs, journalHash, versions: versionsOf(followers) };
  const onSection = (): void => {
    if (performance.now() > untilMs) throw new Error('writing it takes longer than a stop allows');
  };
  folder.write(facts, (sections) => visitState(reducers, followers, sections), { onSection });
}

interface MakeOptions {
  readonly log: Log;
  readonly onStep?: ((step: SnapshotStep) => void) | undefined;
}

/**
 * Makes a snapshot of everything that is durable in a data directory, whether or not an exchange uses it. Before it gets its
 * name, it is read back and its state is compared with the one that it was made of. One at a time: it removes all drafts first.
 * @param followers fresh ones, of the kinds that the exchange has
 * @returns the sequence of the snapshot, undefined when there was no need for one
 * @throws what recovery throws, and SnapshotUnusable when followers cannot load their parts of an earlier snapshot, or when
 *   the new one, read back, is damaged or differs
 */
export async function makeSnapshot(
  dataDir: string,
  followers: readonly Follower[],
  { log, onStep }: MakeOptions,
): Promise<number | undefined> {
  const folder = new SnapshotFolder(dataDir);
  const reader = new JournalReader(dataDir);
  try {
    const total = reader.lastSequence();
    const kept = folder.list();
    if (!isSnapshotDue(kept, total, 1, followers)) return undefined;
    // Earlier makers that were killed, as when memory ran out, left theirs: an exchange that runs for months would gather them.
    folder.removeDrafts();
    const onUnusable = ({ path }: KeptSnapshot, { reason }: SnapshotUnusable): void =>
      log('warn', 'A snapshot cannot be used; the next one is made without it.', { path, reason });
    const from = restoreFirst(kept, (sequence) => reader.hashAt(sequence), followers, onUnusable);
    const reducers = from?.reducers ?? new Reducers();
    const after = from?.sequence ?? 0;
    const source = packedAfter(after, total, (sequence) => reader.cursors(sequence));
    const end = await replayAfter(after, source, reducers, followers, { total });
    const hashes = { ...reducers.stateHash() };
    const facts = { ...end, versions: versionsOf(followers) };
    const visit = (sections: Sections): void => visitState(reducers, followers, sections);
    folder.write(facts, visit, { check: (path) => requireSame(path, hashes), onStep });
    return end.sequence;
  } finally {
    await reader.close();
  }
}

/** Reads a snapshot back: its state must have these hashes. */
function requireSame(path: string, hashes: Readonly<Record<string, string>>): void {
  const found = Object.entries(reducersOf(new SnapshotFile(path)).stateHash());
  for (const [name, hash] of found) {
    requireSound(hash === hashes[name], `its ${name} has the hash ${hash}, not ${hashes[name]}`);
  }
}

/** Why a snapshot could not be compared with a replay, or differs from it. */
interface SnapshotFault {
  readonly text: string;
  /** Whether another version of the program wrote it, which alone can check it. */
  readonly isOfAnotherVersion: boolean;
}

/**
 * The fault of the snapshot after a record, given the replayed state there; undefined when it has none.
 * @throws a plain error that names the snapshot if the system does not let us read it now: its fault, if any, is not known
 */
export function snapshotFault(
  { path }: KeptSnapshot,
  reducers: Reducers,
  record: JournalRecord,
): SnapshotFault | undefined {
  try {
    const { journalHash, versions } = readFacts(path);
    requireVersion('reducers', versions.reducers, REDUCERS_VERSION);
    requireSound(journalHash === hashAfter(record), 'it is of another journal');
    requireSame(path, { ...reducers.stateHash() });
    return undefined;
  } catch (error) {
    if (isOfSystem(error))
      throw new Error(`The snapshot ${path} cannot be read now: ${error.message}.`, { cause: error });
    if (!(error instanceof SnapshotUnusable)) throw error;
    return { text: `${path}: ${error.reason}.`, isOfAnotherVersion: error instanceof SnapshotOfAnotherVersion };
  }
}
