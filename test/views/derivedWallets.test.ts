// The owners of derived wallets: found for each of any number of owners, also after a snapshot, with little on the heap,
// which anybody who creates keys would otherwise fill.
import { serialize } from 'node:v8';
import { expect, test } from 'vitest';
import { collectGarbage } from '../../bench/lib/collectGarbage.ts';
import { AccountsView } from '../../server/views/accounts.ts';
import { DerivedWallets } from '../../server/views/derivedWallets.ts';
import { KeptSections } from '../support/keptSections.ts';

const address = (owner: number, wallet: number): string =>
  `0x${wallet.toString(16)}${owner.toString(16).padStart(39, '0')}`;
const walletsOf = (owner: number): string[] => [0, 1, 2, 3, 4].map((wallet) => address(owner, wallet));

function collect(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

test('each wallet has its owner, and an unknown one has none', () => {
  const derived = new DerivedWallets();
  for (const owner of [1, 2, 1]) derived.add(address(owner, 0), walletsOf(owner));
  for (const owner of [1, 2])
    for (const wallet of walletsOf(owner)) expect(derived.ownerOf(wallet)).toBe(address(owner, 0));
  expect(derived.ownerOf(address(3, 0))).toBeUndefined();
  // More of an owner's wallets may become known later.
  for (const count of [2, 5]) derived.add(address(4, 0), walletsOf(4).slice(0, count));
  expect(walletsOf(4).map((wallet) => derived.ownerOf(wallet))).toEqual(Array(5).fill(address(4, 0)));
  const kept = new Map<string, unknown>();
  derived.visit(new KeptSections(kept, false));
  const loaded = new DerivedWallets();
  loaded.visit(new KeptSections(kept, true));
  for (const wallet of walletsOf(2)) expect(loaded.ownerOf(wallet)).toBe(address(2, 0));
  expect(loaded.ownerOf(address(3, 0))).toBeUndefined();
  // An owner adds itself to the list once, however many keys it creates.
  expect(kept.get('owners')).toEqual(serialize([address(1, 0), address(2, 0), address(4, 0), address(4, 0)]));
  kept.set('owners', serialize([address(1, 0)]));
  expect(() => new DerivedWallets().visit(new KeptSections(kept, true))).toThrow(/is derived from owner 1/);
});

test('the wallets of an owner take less than 300 bytes of the heap', () => {
  const OWNERS = 20_000;
  const accounts = new AccountsView();
  const before = collect();
  for (let owner = 0; owner < OWNERS; owner += 1) accounts.ownerKnown(address(owner, 0), walletsOf(owner));
  expect((collect() - before) / OWNERS).toBeLessThan(300);
  expect(accounts.ownerOfDerived(address(OWNERS - 1, 4))).toBe(address(OWNERS - 1, 0));
});
