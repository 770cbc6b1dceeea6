// The holders of a token, whom the resolution of its market notifies: whatever credits or takes shares keeps them, also after a
// snapshot; and a resolution reads their accounts alone, however many others there are.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AccountsView } from '../../server/views/index.ts';
import { KeptSections } from '../support/keptSections.ts';

const MARKETS = 3;
const tokens = Array.from({ length: 2 * MARKETS }, (_, token) => [token >> 1, token & 1] as const);
const addressOf = (number: number): string => `0x${number.toString(16).padStart(40, '0')}`;

/** A view with this many accounts, each of an owner with two, after those of the exchange itself. */
function accountsOf(count: number): AccountsView {
  const accounts = new AccountsView();
  const first = accounts.accountCount;
  for (let id = first; id < first + count; id += 1) accounts.open(id, addressOf(id), addressOf(id >> 1));
  return accounts;
}

function reloaded(accounts: AccountsView): AccountsView {
  const values = new Map<string, unknown>();
  accounts.visit(new KeptSections(values, false));
  const loaded = new AccountsView();
  loaded.visit(new KeptSections(values, true));
  return loaded;
}

/** The holders of a token, in the order of their accounts, by a look at every account. */
function scanned(accounts: AccountsView, market: number, outcome: number): Map<string, number> {
  const holders = new Map<string, number>();
  for (let id = 0; id < accounts.accountCount; id += 1) {
    const held = accounts.sharesMicro(id, market, outcome);
    const owner = accounts.byId(id)?.owner ?? '';
    if (held > 0) holders.set(owner, (holders.get(owner) ?? 0) + held);
  }
  return holders;
}

const change = fc.record({
  account: fc.nat(15),
  token: fc.nat(2 * MARKETS - 1),
  micro: fc.constantFrom(0, 0, 1, 5_000_000),
  owner: fc.option(fc.nat(9)),
});

test('holders of every token are those that a look at all accounts finds, in their order, also after a snapshot', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 80, size: 'max' }), fc.nat(79), (changes, reloadAt) => {
      let accounts = accountsOf(14);
      for (const [index, { account, token, micro, owner }] of changes.entries()) {
        accounts.setShares(account, token >> 1, token & 1, micro);
        const wallet = accounts.byId(account)?.wallet ?? '';
        const binding = { wallet, signatureType: 1 } as const;
        if (owner !== null) accounts.walletBound({ type: 'WalletBound', owner: addressOf(owner), ...binding });
        if (index === reloadAt) accounts = reloaded(accounts);
      }
      for (const [market, outcome] of tokens) {
        expect([...accounts.holdersOf(market, outcome)]).toEqual([...scanned(accounts, market, outcome)]);
      }
    }),
  );
});

test('finding the holders of a token reads no account of anybody else', () => {
  const accounts = accountsOf(2_000);
  let reads = 0;
  for (let id = 0; id < accounts.accountCount; id += 1) {
    accounts.setShares(id, 0, 0, 1_000_000);
    const shares = accounts.byId(id)?.sharesMicro;
    if (shares === undefined) continue;
    const read = shares.get.bind(shares);
    const counted = (token: number): number | undefined => {
      reads += 1;
      return read(token);
    };
    Object.assign(shares, { get: counted });
  }
  for (const id of [1_500, 7, 900]) accounts.setShares(id, 1, 1, id);
  reads = 0;
  expect(accounts.holdersOf(2, 0).size).toBe(0);
  expect(reads).toBe(0);
  expect([...accounts.holdersOf(1, 1)]).toEqual([7, 900, 1_500].map((id) => [addressOf(id >> 1), id]));
  expect(reads).toBe(3);
});
