// The owner of each wallet derived from the address of an API key's owner, funded or not. Part of the accounts view. Anyone may
// create keys for any number of addresses, so this is a table outside of the heap: a Map ends at 2^24 entries.
import { KeyTable, Message, requireSound, type Sections, writeHexOrThrow } from '../../engine/index.ts';

const ADDRESS_BYTES = 20;

/** Holds the wallet that is looked up; a view's own fields are only what the log says. */
const wanted = new Message();

function want(wallet: string): void {
  writeHexOrThrow(wallet, wanted.bytes, 0, ADDRESS_BYTES);
}

export class DerivedWallets {
  private owners: string[] = [];
  /** By wallet: the position of its owner in the list. */
  private readonly numbers = new KeyTable(ADDRESS_BYTES);

  /** The owner of a wallet (lower-case address); undefined for one that is not known to be derived. */
  ownerOf(wallet: string): string | undefined {
    want(wallet);
    return this.owners[this.numbers.get(wanted.words, 0)];
  }

  /** Sets the owner of these wallets, which are derived from its address. One that has them all already is not listed again. */
  add(owner: string, wallets: readonly string[]): void {
    const unknown = wallets.filter((wallet) => this.ownerOf(wallet) !== owner);
    if (unknown.length === 0) return;
    const number = this.owners.push(owner) - 1;
    for (const wallet of unknown) {
      want(wallet);
      this.numbers.set(wanted.words, 0, number);
    }
  }

  /** Its part of a snapshot. */
  visit(sections: Sections): void {
    this.owners = sections.plain('owners', this.owners);
    this.numbers.visit(sections.part('numbers'));
    if (!sections.isLoading) return;
    for (const [wallet, number] of this.numbers.entries())
      requireSound(number < this.owners.length, `the wallet ${wallet} is derived from owner ${number}`);
  }
}
