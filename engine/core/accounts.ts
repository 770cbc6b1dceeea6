// The identities that the core knows: accounts (wallets), their owners (the EOA behind each wallet) and the API keys that
// orders remember. Each gets a dense index on first use. Every part of the core reads these tables; they hold no money.
import { readHex, writeHexOrThrow } from '../protocol/bytes.ts';
import { KeyTable } from '../protocol/keyTable.ts';
import { limits } from '../protocol/limits.ts';
import { Message } from '../protocol/message.ts';
import { reservedAccounts } from '../protocol/reservedAccounts.ts';
import { requireRoom, requireSound, type Sections } from '../protocol/sections.ts';
import { growInt32, growUint8 } from './grow.ts';
import * as orderPool from './orderPool.ts';

const ADDRESS_BYTES = 20;
const KEY_BYTES = 16;
const ADDRESS_WORDS = 5;
const KEY_WORDS = 4;
/** Owner addresses are aligned to eight words: a shift and an OR give the index of each word. */
const OWNER_SHIFT = 3;
const { NONE } = orderPool;

export class Accounts {
  accountCount = 0;
  ownerCount = 0;
  keyCount = 0;
  /** Owner index of each account. */
  owners = new Int32Array(64);
  private nextOfOwner = new Int32Array(64).fill(NONE);
  /** The API key of each account's latest order; the next order usually carries the same one. */
  private lastKey = new Int32Array(64);
  private wallets = new Int32Array(64 * ADDRESS_WORDS);
  private ownerAddresses = new Int32Array(64 << OWNER_SHIFT);
  private ownerFlags = new Uint8Array(64);
  private ownerCredited = new Uint8Array(64);
  private firstOfOwner = new Int32Array(64).fill(NONE);
  private keyIds = new Int32Array(64 * KEY_WORDS);
  private readonly walletTable = new KeyTable(ADDRESS_BYTES);
  private readonly ownerTable = new KeyTable(ADDRESS_BYTES);
  private readonly keyTable = new KeyTable(KEY_BYTES);

  constructor() {
    const message = new Message();
    for (const { wallet } of reservedAccounts) {
      writeHexOrThrow(wallet, message.bytes, 0, ADDRESS_BYTES);
      this.open(message, 0, this.ownerFor(message, 0));
    }
  }

  /** The account of the wallet address at `offset`, or NONE. */
  accountAt(message: Message, offset: number): number {
    return this.walletTable.get(message.words, offset >> 2);
  }

  /** The owner of the address at `offset`, or NONE when the core has never needed it. */
  ownerAt(message: Message, offset: number): number {
    return this.ownerTable.get(message.words, offset >> 2);
  }

  /** The owner of the address at `offset`, created when new. */
  ownerFor(message: Message, offset: number): number {
    const known = this.ownerTable.get(message.words, offset >> 2);
    if (known !== NONE) return known;
    const owner = this.ownerCount;
    if (owner === this.ownerFlags.length) this.growOwners();
    this.ownerCount += 1;
    copyWords(message, offset, this.ownerAddresses, owner << OWNER_SHIFT, ADDRESS_WORDS);
    this.ownerTable.set(message.words, offset >> 2, owner);
    return owner;
  }

  /** Opens an account for the wallet address at `offset`. */
  open(message: Message, offset: number, owner: number): number {
    const account = this.accountCount;
    if (account >= limits.accountsMax) throw new Error(`accounts: more than ${limits.accountsMax}`);
    if (account === this.owners.length) this.growAccounts();
    this.accountCount += 1;
    copyWords(message, offset, this.wallets, account * ADDRESS_WORDS, ADDRESS_WORDS);
    this.walletTable.set(message.words, offset >> 2, account);
    this.owners[account] = owner;
    this.nextOfOwner[account] = this.firstOfOwner[owner];
    this.firstOfOwner[owner] = account;
    return account;
  }

  /** Gives an account to another owner. */
  move(account: number, owner: number): void {
    const from = this.owners[account];
    if (this.firstOfOwner[from] === account) {
      this.firstOfOwner[from] = this.nextOfOwner[account];
    } else {
      let before = this.firstOfOwner[from];
      while (this.nextOfOwner[before] !== account) before = this.nextOfOwner[before];
      this.nextOfOwner[before] = this.nextOfOwner[account];
    }
    this.owners[account] = owner;
    this.nextOfOwner[account] = this.firstOfOwner[owner];
    this.firstOfOwner[owner] = account;
  }

  /** Whether the address at `offset` is this owner's. A plain comparison: ownerAt() would need a table look-up. */
  isOwner(owner: number, message: Message, offset: number): boolean {
    const { ownerAddresses } = this;
    const { words } = message;
    const base = owner << OWNER_SHIFT;
    const at = offset >> 2;
    return (
      ownerAddresses[base] === words[at] &&
      ownerAddresses[base | 1] === words[at + 1] &&
      ownerAddresses[base | 2] === words[at + 2] &&
      ownerAddresses[base | 3] === words[at + 3] &&
      ownerAddresses[base | 4] === words[at + 4]
    );
  }

  /** Whether the API key id at `offset` is that of the account's latest order. */
  hasLastKey(account: number, message: Message, offset: number): boolean {
    const last = this.lastKey[account];
    const { keyIds } = this;
    const { words } = message;
    const at = offset >> 2;
    const base = last << 2;
    return (
      keyIds[base] === words[at] &&
      keyIds[base | 1] === words[at + 1] &&
      keyIds[base | 2] === words[at + 2] &&
      keyIds[base | 3] === words[at + 3] &&
      last < this.keyCount
    );
  }

  /** Index of the API key of the account's latest order. */
  lastKeyOf(account: number): number {
    return this.lastKey[account];
  }

  /** Index of the API key id at `offset`, created when new, and remembered as that of the account's latest order. */
  keyOf(account: number, message: Message, offset: number): number {
    if (!this.hasLastKey(account, message, offset)) this.lastKey[account] = this.keyFor(message, offset);
    return this.lastKey[account];
  }

  /** Index of the API key id at `offset`, created when new. */
  keyFor(message: Message, offset: number): number {
    const known = this.keyTable.get(message.words, offset >> 2);
    if (known !== NONE) return known;
    const key = this.keyCount;
    if ((key + 1) * KEY_WORDS > this.keyIds.length) this.keyIds = growInt32(this.keyIds, this.keyIds.length * 2);
    this.keyCount += 1;
    copyWords(message, offset, this.keyIds, key * KEY_WORDS, KEY_WORDS);
    this.keyTable.set(message.words, offset >> 2, key);
    return key;
  }

  firstAccountOf(owner: number): number {
    return this.firstOfOwner[owner];
  }

  nextAccountOf(account: number): number {
    return this.nextOfOwner[account];
  }

  /** AccountFlag bits of an owner; 0 for NONE. */
  flagsOf(owner: number): number {
    return owner === NONE ? 0 : this.ownerFlags[owner];
  }

  setFlags(owner: number, flags: number): void {
    this.ownerFlags[owner] = flags;
  }

  isCredited(owner: number): boolean {
    return this.ownerCredited[owner] === 1;
  }

  setCredited(owner: number): void {
    this.ownerCredited[owner] = 1;
  }

  walletText(account: number): string {
    return wordsToHex(this.wallets, account * ADDRESS_WORDS, ADDRESS_WORDS);
  }

  ownerText(owner: number): string {
    return wordsToHex(this.ownerAddresses, owner << OWNER_SHIFT, ADDRESS_WORDS);
  }

  keyText(key: number): string {
    return wordsToHex(this.keyIds, key * KEY_WORDS, KEY_WORDS);
  }

  /** Saves or loads its part of a snapshot. */
  visit(sections: Sections): void {
    this.accountCount = sections.number('accountCount', this.accountCount);
    this.ownerCount = sections.number('ownerCount', this.ownerCount);
    this.keyCount = sections.number('keyCount', this.keyCount);
    this.owners = sections.int32('owners', this.owners);
    this.nextOfOwner = sections.int32('nextOfOwner', this.nextOfOwner);
    this.lastKey = sections.int32('lastKey', this.lastKey);
    this.wallets = sections.int32('wallets', this.wallets);
    this.ownerAddresses = sections.int32('ownerAddresses', this.ownerAddresses);
    this.ownerFlags = sections.uint8('ownerFlags', this.ownerFlags);
    this.ownerCredited = sections.uint8('ownerCredited', this.ownerCredited);
    this.firstOfOwner = sections.int32('firstOfOwner', this.firstOfOwner);
    this.keyIds = sections.int32('keyIds', this.keyIds);
    this.walletTable.visit(sections.part('walletTable'));
    this.ownerTable.visit(sections.part('ownerTable'));
    this.keyTable.visit(sections.part('keyTable'));
    const { nextOfOwner, lastKey, firstOfOwner, ownerCredited } = this;
    requireRoom(this.owners.length, { nextOfOwner, lastKey });
    requireRoom(this.owners.length * ADDRESS_WORDS, { wallets: this.wallets });
    requireRoom(this.ownerFlags.length, { firstOfOwner, ownerCredited });
    requireRoom(this.ownerFlags.length << OWNER_SHIFT, { ownerAddresses: this.ownerAddresses });
    requireSound(
      this.walletTable.size === this.accountCount &&
        this.ownerTable.size === this.ownerCount &&
        this.keyTable.size === this.keyCount,
      `not every one of ${this.accountCount} accounts, ${this.ownerCount} owners and ${this.keyCount} keys can be found`,
    );
    requireSound(
      this.accountCount <= this.owners.length,
      `${this.accountCount} accounts are more than there is room for`,
    );
    requireSound(
      this.ownerCount <= this.ownerFlags.length,
      `${this.ownerCount} owners are more than there is room for`,
    );
    requireSound(
      this.keyCount * KEY_WORDS <= this.keyIds.length,
      `${this.keyCount} keys are more than there is room for`,
    );
  }

  private growAccounts(): void {
    const length = this.owners.length * 2;
    this.owners = growInt32(this.owners, length);
    this.nextOfOwner = growInt32(this.nextOfOwner, length, NONE);
    this.lastKey = growInt32(this.lastKey, length);
    this.wallets = growInt32(this.wallets, length * ADDRESS_WORDS);
  }

  private growOwners(): void {
    const length = this.ownerFlags.length * 2;
    this.ownerFlags = growUint8(this.ownerFlags, length);
    this.ownerCredited = growUint8(this.ownerCredited, length);
    this.firstOfOwner = growInt32(this.firstOfOwner, length, NONE);
    this.ownerAddresses = growInt32(this.ownerAddresses, length << OWNER_SHIFT);
  }
}

function copyWords(message: Message, offset: number, target: Int32Array, at: number, count: number): void {
  const from = offset >> 2;
  for (let i = 0; i < count; i += 1) target[at + i] = message.words[from + i];
}

function wordsToHex(words: Int32Array, at: number, count: number): string {
  return readHex(new Uint8Array(words.buffer, words.byteOffset + at * 4, count * 4), 0, count * 4);
}
