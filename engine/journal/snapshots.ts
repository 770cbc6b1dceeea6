// The folder of snapshots beside a journal: `<sequence>.snapshot`, the newest few kept. Used by the pipeline, which makes
// them and starts from them. A snapshot appears under its name only when it is whole and on disk, so that a crash at any
// moment leaves the older ones as they were. A damaged one is set aside under another name, never loaded; one that another
// version of the program wrote stays under its name, so that this version finds it again.
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sections } from '../protocol/index.ts';
import { codeOf, makeFolders, PRIVATE_FILE, snapshotFolderIn, syncFolder } from './files.ts';
import { type SnapshotFacts, writeSections } from './snapshotFile.ts';

/** How many are kept: should the newest be damaged, an older one takes its place. */
const SNAPSHOTS_KEPT = 3;
const ENDING = '.snapshot';
const DRAFT = '.draft';
const UNUSABLE = '.unusable';

/** Points at which a crash may come while a snapshot is made, in order. */
export type SnapshotStep = 'begun' | 'written' | 'synced' | 'renamed' | 'pruned';

export interface KeptSnapshot {
  readonly sequence: number;
  readonly path: string;
}

interface WriteOptions {
  /** Checks the whole draft before it gets its name; if it throws, no snapshot is left behind. */
  readonly check?: ((path: string) => void) | undefined;
  /** Called repeatedly while the snapshot is written; if it throws, none is left behind. */
  readonly onSection?: (() => void) | undefined;
  /** Called after each step. */
  readonly onStep?: ((step: SnapshotStep) => void) | undefined;
}

export class SnapshotFolder {
  readonly path: string;
  /** Beside the folder, which may not exist yet. */
  private readonly trial: string;

  constructor(dataDir: string) {
    this.path = snapshotFolderIn(dataDir);
    this.trial = `${this.path}${DRAFT}`;
  }

  /** The snapshots in the folder, the newest first. */
  list(): readonly KeptSnapshot[] {
    return this.filesWith(ENDING);
  }

  /**
   * Resolves once the disk has taken a small file. Reading or writing a snapshot blocks the thread, on a disk that hangs for
   * good; waiting for this does not.
   */
  async tryDisk(): Promise<void> {
    await writeFile(this.trial, 'a trial', { flush: true, mode: PRIVATE_FILE });
    await rm(this.trial);
  }

  /** Writes a snapshot, makes it durable, gives it its name and removes surplus ones. Returns its path. */
  write(facts: SnapshotFacts, visit: (sections: Sections) => void, options: WriteOptions = {}): string {
    const { check = () => {}, onSection, onStep = () => {} } = options;
    makeFolders(this.path);
    const path = join(this.path, `${facts.sequence}${ENDING}`);
    const draft = `${path}${DRAFT}`;
    try {
      const descriptor = openSync(draft, 'w', PRIVATE_FILE);
      onStep('begun');
      try {
        writeSections(descriptor, facts, visit, onSection);
        onStep('written');
        fsyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
      check(draft);
      onStep('synced');
      renameSync(draft, path);
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    }
    syncFolder(this.path);
    onStep('renamed');
    this.prune(path);
    onStep('pruned');
    return path;
  }

  /** Takes a damaged snapshot out of the list; its file stays in the folder for inspection, unless it is gone by now. */
  setAside({ path }: KeptSnapshot): void {
    try {
      renameSync(path, `${path}${UNUSABLE}`);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }

  /** Removes the drafts that a crash or a killed maker left behind. Nobody may be writing. */
  removeDrafts(): void {
    for (const { path } of this.filesWith(`${ENDING}${DRAFT}`)) rmSync(path, { force: true });
    rmSync(this.trial, { force: true });
  }

  /** Removes surplus snapshots. The one just written stays even if others have higher numbers: perhaps no other is usable. */
  private prune(written: string): void {
    const others = this.list().filter(({ path }) => path !== written);
    const unusable = this.filesWith(`${ENDING}${UNUSABLE}`);
    const tooMany = [...others.slice(SNAPSHOTS_KEPT - 1), ...unusable.slice(SNAPSHOTS_KEPT)];
    for (const { path } of tooMany) rmSync(path, { force: true });
  }

  private filesWith(ending: string): KeptSnapshot[] {
    if (!existsSync(this.path)) return [];
    const found: KeptSnapshot[] = [];
    for (const name of readdirSync(this.path)) {
      const digits = name.endsWith(ending) ? name.slice(0, -ending.length) : '';
      if (/^[1-9][0-9]{0,15}$/.test(digits)) found.push({ sequence: Number(digits), path: join(this.path, name) });
    }
    return found.sort((left, right) => right.sequence - left.sequence);
  }
}
