// All API keys, past and present: their owner, nonce and generation, and whether they are still active. Part of the registry,
// which checks every order and cancel here: that check reads the message's bytes and allocates nothing.
import {
  ApiKeyKind,
  KeyTable,
  type Message,
  readHex,
  requireRoom,
  requireSound,
  type Sections,
} from '../protocol/index.ts';
import type { StateHasher } from '../protocol/stateHasher.ts';

interface ApiKey {
  readonly keyId: string;
  readonly owner: string;
  readonly nonce: number;
  readonly generation: number;
  readonly kind: number;
  readonly createdMs: number;
}

/** 32-bit words of an owner's address. */
const OWNER_WORDS = 5;
const ADDRESS_BYTES = 20;
const KEY_ID_BYTES = 16;

export class ApiKeys {
  /** Keys in the order of their creation; the index of a key never changes. */
  private keys: ApiKey[] = [];
  private readonly indexById = new KeyTable(KEY_ID_BYTES);
  /** The index of the active trading key of each owner and nonce, see tradingSlot. */
  private readonly activeTrading = new Map<string, number>();
  private readonly keyOwners = new Set<string>();
  /** For the hot checks, by key index: the owner's address, 1 for an active trading key, 1 for an active key of any kind. */
  private owners = new Int32Array(OWNER_WORDS * 1024);
  private isTrading = new Uint8Array(1024);
  private isActive = new Uint8Array(1024);

  /** Whether the message's key id is an active trading key of the message's owner. */
  mayTrade(message: Message, keyIdAt: number, ownerAt: number): boolean {
    const index = this.indexById.get(message.words, keyIdAt >> 2);
    return index >= 0 && this.isTrading[index] === 1 && this.isOwner(index, message, ownerAt);
  }

  /** Whether the message's key id is an active key, of any kind, of the message's owner. */
  isActiveKeyOf(message: Message, keyIdAt: number, ownerAt: number): boolean {
    const index = this.indexById.get(message.words, keyIdAt >> 2);
    return index >= 0 && this.isActive[index] === 1 && this.isOwner(index, message, ownerAt);
  }

  /** Whether a key with this id was ever created, or the owner already has an active trading key at this nonce. */
  isTaken(message: Message, keyIdAt: number, owner: string, nonce: number, kind: number): boolean {
    if (this.indexById.get(message.words, keyIdAt >> 2) >= 0) return true;
    return kind === ApiKeyKind.TRADING && this.activeTrading.has(tradingSlot(owner, nonce));
  }

  /** Whether the address is that of an owner who has or once had a key. */
  hasOwner(address: string): boolean {
    return this.keyOwners.has(address);
  }

  create(message: Message, keyIdAt: number, ownerAt: number, key: ApiKey): void {
    const index = this.keys.length;
    if (index === this.isActive.length) this.grow();
    this.keys.push(key);
    this.keyOwners.add(key.owner);
    this.indexById.set(message.words, keyIdAt >> 2, index);
    for (let word = 0; word < OWNER_WORDS; word += 1) {
      this.owners[index * OWNER_WORDS + word] = message.words[(ownerAt >> 2) + word];
    }
    this.isActive[index] = 1;
    if (key.kind !== ApiKeyKind.TRADING) return;
    this.isTrading[index] = 1;
    this.activeTrading.set(tradingSlot(key.owner, key.nonce), index);
  }

  /** Deactivates the key. It stays known, so its id cannot be used again. */
  delete(message: Message, keyIdAt: number): void {
    const index = this.indexById.get(message.words, keyIdAt >> 2);
    const { owner, nonce, kind } = this.keys[index];
    this.isActive[index] = 0;
    this.isTrading[index] = 0;
    if (kind === ApiKeyKind.TRADING) this.activeTrading.delete(tradingSlot(owner, nonce));
  }

  /** Saves or loads its part of a snapshot. */
  visit(sections: Sections): void {
    this.keys = sections.plain('keys', this.keys);
    this.owners = sections.int32('owners', this.owners);
    this.isTrading = sections.uint8('isTrading', this.isTrading);
    this.isActive = sections.uint8('isActive', this.isActive);
    this.indexById.visit(sections.part('indexById'));
    if (!sections.isLoading) return;
    requireSound(
      this.keys.length <= this.isActive.length,
      `${this.keys.length} API keys are more than there is room for`,
    );
    requireRoom(this.isActive.length, { isTrading: this.isTrading });
    requireRoom(this.isActive.length * OWNER_WORDS, { owners: this.owners });
    for (const [index, { owner, nonce }] of this.keys.entries()) {
      this.keyOwners.add(owner);
      if (this.isTrading[index] === 1) this.activeTrading.set(tradingSlot(owner, nonce), index);
    }
  }

  hashInto(hasher: StateHasher): void {
    hasher.number(this.keys.length);
    for (const [index, key] of this.keys.entries()) {
      hasher.text(key.keyId);
      hasher.text(key.owner);
      hasher.number(key.nonce);
      hasher.number(key.generation);
      hasher.u32(key.kind);
      hasher.number(key.createdMs);
      hasher.u32(this.isActive[index]);
    }
  }

  /** Throws naming the first violation: the tables of the hot checks must match the list of keys. */
  checkInvariants(): void {
    if (this.indexById.size !== this.keys.length) {
      throw new Error(`API keys 1: ${this.indexById.size} ids for ${this.keys.length} keys`);
    }
    for (const [keyId, index] of this.indexById.entries()) {
      if (this.keys[index]?.keyId !== keyId) throw new Error(`API keys 2: id ${keyId} leads to key ${index}`);
    }
    let tradingCount = 0;
    for (const [index, { owner, nonce, kind }] of this.keys.entries()) {
      const { buffer, byteOffset } = this.owners;
      const bytes = new Uint8Array(buffer, byteOffset + index * ADDRESS_BYTES, ADDRESS_BYTES);
      if (readHex(bytes, 0, ADDRESS_BYTES) !== owner) throw new Error(`API keys 3: key ${index} has another owner`);
      const isTrading = kind === ApiKeyKind.TRADING && this.isActive[index] === 1;
      if (isTrading !== (this.isTrading[index] === 1)) throw new Error(`API keys 4: key ${index} may or may not trade`);
      if (!isTrading) continue;
      tradingCount += 1;
      if (this.activeTrading.get(tradingSlot(owner, nonce)) !== index) {
        throw new Error(`API keys 5: ${owner} has two active trading keys at nonce ${nonce}`);
      }
    }
    if (tradingCount !== this.activeTrading.size) {
      throw new Error(`API keys 6: ${tradingCount} active trading keys, ${this.activeTrading.size} slots`);
    }
  }

  private isOwner(index: number, message: Message, ownerAt: number): boolean {
    const { owners } = this;
    const { words } = message;
    const base = index * OWNER_WORDS;
    const at = ownerAt >> 2;
    return (
      owners[base] === words[at] &&
      owners[base + 1] === words[at + 1] &&
      owners[base + 2] === words[at + 2] &&
      owners[base + 3] === words[at + 3] &&
      owners[base + 4] === words[at + 4]
    );
  }

  private grow(): void {
    const owners = new Int32Array(this.owners.length * 2);
    owners.set(this.owners);
    this.owners = owners;
    const isTrading = new Uint8Array(this.isTrading.length * 2);
    isTrading.set(this.isTrading);
    this.isTrading = isTrading;
    const isActive = new Uint8Array(this.isActive.length * 2);
    isActive.set(this.isActive);
    this.isActive = isActive;
  }
}

const tradingSlot = (owner: string, nonce: number): string => `${owner}/${nonce}`;
