// The wallets that an operator has bound to owners. Part of the registry, which checks every order here: that check reads the
// message's bytes and allocates nothing. Wallets derived from their owner are not listed.
import { KeyTable, Message, readHex, requireSound, type Sections, writeHexOrThrow } from '../protocol/index.ts';
import type { StateHasher } from '../protocol/stateHasher.ts';

interface Binding {
  readonly wallet: string;
  readonly owner: string;
  readonly signatureType: number;
}

const ADDRESS_BYTES = 20;

export class Wallets {
  /** In the order of the first binding of each wallet. */
  private bindings: Binding[] = [];
  private readonly indexByWallet = new KeyTable(ADDRESS_BYTES);
  private readonly ownerNumbers = new KeyTable(ADDRESS_BYTES);
  /** The owner's number of each binding. */
  private ownerOf: number[] = [];

  /** Whether the owner may use the wallet: it is bound to this owner or, unless a binding is needed, to nobody. */
  mayUse(message: Message, walletAt: number, ownerAt: number, isBindingNeeded: boolean): boolean {
    const index = this.indexByWallet.get(message.words, walletAt >> 2);
    if (index < 0) return !isBindingNeeded;
    return this.ownerOf[index] === this.ownerNumbers.get(message.words, ownerAt >> 2);
  }

  bind(message: Message, walletAt: number, ownerAt: number, binding: Binding): void {
    let owner = this.ownerNumbers.get(message.words, ownerAt >> 2);
    if (owner < 0) {
      owner = this.ownerNumbers.size;
      this.ownerNumbers.set(message.words, ownerAt >> 2, owner);
    }
    let index = this.indexByWallet.get(message.words, walletAt >> 2);
    if (index < 0) {
      index = this.bindings.length;
      this.indexByWallet.set(message.words, walletAt >> 2, index);
    }
    this.bindings[index] = binding;
    this.ownerOf[index] = owner;
  }

  /** Saves or loads its part of a snapshot. */
  visit(sections: Sections): void {
    this.bindings = sections.plain('bindings', this.bindings);
    this.ownerOf = sections.plain('ownerOf', this.ownerOf);
    this.indexByWallet.visit(sections.part('indexByWallet'));
    this.ownerNumbers.visit(sections.part('ownerNumbers'));
    requireSound(this.ownerOf.length === this.bindings.length, `${this.bindings.length} wallets are bound`);
  }

  hashInto(hasher: StateHasher): void {
    hasher.number(this.bindings.length);
    for (const { wallet, owner, signatureType } of this.bindings) {
      hasher.text(wallet);
      hasher.text(owner);
      hasher.u32(signatureType);
    }
  }

  /** Throws naming the first violation: the tables of the hot check must match the list of bindings. */
  checkInvariants(): void {
    if (this.indexByWallet.size !== this.bindings.length) {
      throw new Error(`wallets 1: ${this.indexByWallet.size} wallets in ${this.bindings.length} bindings`);
    }
    const { bytes, words } = new Message();
    for (const [wallet, index] of this.indexByWallet.entries()) {
      if (this.bindings[index]?.wallet !== wallet) throw new Error(`wallets 2: ${wallet} leads to binding ${index}`);
      writeHexOrThrow(this.bindings[index].owner, bytes, 0, ADDRESS_BYTES);
      if (this.ownerNumbers.get(words, 0) !== this.ownerOf[index]) {
        throw new Error(`wallets 3: ${wallet} has another owner than ${readHex(bytes, 0, ADDRESS_BYTES)}`);
      }
    }
  }
}
