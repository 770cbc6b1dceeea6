// The folder of a copy that failed, where the user may write into the folder but not remove it. As root, the test acts as another
// user meanwhile.
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { discardTarget } from '../../server/tools/targetFolder.ts';

/** A user without rights over folders of root. */
const NOBODY = 65_534;

test('a partial copy is removed even from a folder that cannot be removed itself', () => {
  const parent = mkdtempSync(join(tmpdir(), 'outcry-target-'));
  const folder = join(parent, 'copy');
  mkdirSync(join(folder, 'journal-draft'), { recursive: true });
  writeFileSync(join(folder, 'journal-draft', 'data.mdb'), 'partial');
  writeFileSync(join(folder, 'mode'), 'development');
  const isRoot = process.getuid?.() === 0;
  if (isRoot)
    for (const path of ['', 'journal-draft', 'journal-draft/data.mdb']) chownSync(join(folder, path), NOBODY, 0);
  chmodSync(parent, 0o555);
  try {
    if (isRoot) process.seteuid?.(NOBODY);
    discardTarget(folder);
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(parent, 0o755);
  }
  expect(readdirSync(parent, { recursive: true })).toEqual(['copy']);
  discardTarget(folder);
  expect(readdirSync(parent)).toEqual([]);
  rmSync(parent, { recursive: true });
});
