// The lists in a snapshot of the core belong together: one that is cut while the others keep their lengths is refused, or at
// least shows in a hash, which whoever loads a snapshot compares. A missing entry would be undefined, and no balance, list or
// search ends at undefined.
import { expect, test } from 'vitest';
import { Exchange } from '../../engine/core/index.ts';
import { SnapshotUnusable } from '../../engine/protocol/index.ts';
import { Generator } from '../model/generator.ts';
import { Pair } from '../model/pair.ts';
import { KeptSections } from '../support/keptSections.ts';

const COMMANDS = 600;
const SEED = 4;

/** A snapshot of a core that has seen much of everything. */
function kept(): { readonly values: ReadonlyMap<string, unknown>; readonly hashes: string } {
  const pair = new Pair();
  const generator = new Generator(SEED);
  for (let i = 0; i < COMMANDS; i += 1) pair.replay(generator.next(pair.reference.state));
  const values = new Map<string, unknown>();
  pair.core.visit(new KeptSections(values, false));
  return { values, hashes: hashesOf(pair.core) };
}

const hashesOf = (core: Exchange): string => `${core.stateHash()} ${core.idSetHash()}`;

/** What becomes of a core that loads these values: `refused`, `changed` in a hash, or `the same`. */
function outcomeOf(values: Map<string, unknown>, hashes: string): string {
  const core = new Exchange();
  try {
    core.visit(new KeptSections(values, true));
  } catch (error) {
    if (error instanceof SnapshotUnusable) return 'refused';
    throw error;
  }
  return hashesOf(core) === hashes ? 'the same' : 'changed';
}

test('a list of a snapshot that was emptied is refused or changes a hash', () => {
  const { values, hashes } = kept();
  expect(outcomeOf(new Map(values), hashes)).toBe('the same');
  let refused = 0;
  for (const [name, list] of values) {
    const isList = list instanceof Int32Array || list instanceof Float64Array || /owner(?:Flags|Credited)$/.test(name);
    if (!isList || (list as Uint8Array).length === 0) continue; // isList leaves typed arrays alone
    const outcome = outcomeOf(new Map([...values, [name, (list as Uint8Array).slice(0, 0)]]), hashes);
    expect(outcome, name).not.toBe('the same');
    if (outcome === 'refused') refused += 1;
  }
  expect(refused).toBeGreaterThan(20);
});

test('a table of a snapshot that lost half of its entries is refused', () => {
  const { values, hashes } = kept();
  for (const name of [
    'accounts/walletTable/entries',
    'accounts/ownerTable/entries',
    'accounts/keyTable/entries',
    'ledger/table',
    'orders/index',
  ]) {
    const table = values.get(name);
    if (!(table instanceof Int32Array)) throw new Error(`The snapshot has no ${name}.`);
    expect(outcomeOf(new Map([...values, [name, table.slice(0, table.length / 2)]]), hashes), name).toBe('refused');
    expect(outcomeOf(new Map([...values, [name, table.map(() => -1)]]), hashes), `${name}, empty`).toBe('refused');
  }
});
