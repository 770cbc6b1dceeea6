// Who there is: accounts (wallets) and their owners (the EOA behind every wallet), and the API keys that orders remember.
// Numbers are allotted from addresses by first need. Read by every part of the core; holds no money.
import { bytesToHex, hexToBytes } from '../protocol/bytes.ts';
import { KeyTable } from '../protocol/keyTable.ts';
import { limits } from '../protocol/limits.ts';
import { growInt32, growUint8 } from './grow.ts';
import { NONE } from './orderPool.ts';

const ADDRESS_BYTES = 20;
const KEY_BYTES = 16;

/** The account that all fees go to, and the one that takes the other leg of faucet shares. */
export const FEES_ACCOUNT = 0;
export const HOUSE_ACCOUNT = 1;
const reservedAddress = (last: number): string => `0x${last.toString(16).padStart(40, '0')}`;

export class Accounts {
  accountCount = 0;
  ownerCount = 0;
  keyCount = 0;
  /** Owner index of each account. */
  owners = new Int32Array(64);
  private nextOfOwner = new Int32Array(64).fill(NONE);
  private wallets = new Uint8Array(64 * ADDRESS_BYTES);
  /** 1 where the owner's address is the wallet's own: the usual case, which needs no second look-up. */
  private isOwnWallet = new Uint8Array(64);
  private ownerAddresses = new Uint8Array(64 * ADDRESS_BYTES);
  private ownerFlags = new Uint8Array(64);
  private ownerCredited = new Uint8Array(64);
  private firstOfOwner = new Int32Array(64).fill(NONE);
  private keyIds = new Uint8Array(64 * KEY_BYTES);
  private readonly walletTable = new KeyTable(ADDRESS_BYTES);
  private readonly ownerTable = new KeyTable(ADDRESS_BYTES);
  private readonly keyTable = new KeyTable(KEY_BYTES);

  constructor() {
    const message = new DataView(new ArrayBuffer(ADDRESS_BYTES));
    for (const account of [FEES_ACCOUNT, HOUSE_ACCOUNT]) {
      hexToBytes(reservedAddress(account + 1), new Uint8Array(message.buffer), 0, ADDRESS_BYTES);
      this.open(message, 0, this.ownerFor(message, 0));
    }
  }

  /** The account of the wallet address at `offset`, or NONE. */
  accountAt(message: DataView, offset: number): number {
    return this.walletTable.get(message, offset);
  }

  /** The owner of the address at `offset`, or NONE when the core has never needed it. */
  ownerAt(message: DataView, offset: number): number {
    return this.ownerTable.get(message, offset);
  }

  /** The owner of the address at `offset`, made when new. */
  ownerFor(message: DataView, offset: number): number {
    const known = this.ownerTable.get(message, offset);
    if (known !== NONE) return known;
    const owner = this.ownerCount;
    if (owner === this.ownerFlags.length) this.growOwners();
    this.ownerCount += 1;
    copyBytes(message, offset, this.ownerAddresses, owner * ADDRESS_BYTES, ADDRESS_BYTES);
    this.ownerTable.set(message, offset, owner);
    return owner;
  }

  /** A new account for the wallet address at `offset`. */
  open(message: DataView, offset: number, owner: number): number {
    const account = this.accountCount;
    if (account >= limits.accountsMax) throw new Error(`accounts: more than ${limits.accountsMax}`);
    if (account === this.owners.length) this.growAccounts();
    this.accountCount += 1;
    copyBytes(message, offset, this.wallets, account * ADDRESS_BYTES, ADDRESS_BYTES);
    this.walletTable.set(message, offset, account);
    this.setOwner(account, owner);
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
    this.setOwner(account, owner);
    this.nextOfOwner[account] = this.firstOfOwner[owner];
    this.firstOfOwner[owner] = account;
  }

  /** Whether an account belongs to the owner whose address is at `ownerAt`; its wallet's own address is at `walletAt`. */
  isOwnedBy(account: number, message: DataView, walletAt: number, ownerAt: number): boolean {
    if (this.isOwnWallet[account] === 1 && areSameAddresses(message, walletAt, ownerAt)) return true;
    return this.owners[account] === this.ownerTable.get(message, ownerAt);
  }

  /** Index of the API key id at `offset`, made when new. */
  keyFor(message: DataView, offset: number): number {
    const known = this.keyTable.get(message, offset);
    if (known !== NONE) return known;
    const key = this.keyCount;
    if ((key + 1) * KEY_BYTES > this.keyIds.length) this.keyIds = growUint8(this.keyIds, this.keyIds.length * 2);
    this.keyCount += 1;
    copyBytes(message, offset, this.keyIds, key * KEY_BYTES, KEY_BYTES);
    this.keyTable.set(message, offset, key);
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
    return bytesToHex(this.wallets, account * ADDRESS_BYTES, ADDRESS_BYTES);
  }

  ownerText(owner: number): string {
    return bytesToHex(this.ownerAddresses, owner * ADDRESS_BYTES, ADDRESS_BYTES);
  }

  keyText(key: number): string {
    return bytesToHex(this.keyIds, key * KEY_BYTES, KEY_BYTES);
  }

  private setOwner(account: number, owner: number): void {
    this.owners[account] = owner;
    this.isOwnWallet[account] = this.walletText(account) === this.ownerText(owner) ? 1 : 0;
  }

  private growAccounts(): void {
    const length = this.owners.length * 2;
    this.owners = growInt32(this.owners, length);
    this.nextOfOwner = growInt32(this.nextOfOwner, length, NONE);
    this.isOwnWallet = growUint8(this.isOwnWallet, length);
    this.wallets = growUint8(this.wallets, length * ADDRESS_BYTES);
  }

  private growOwners(): void {
    const length = this.ownerFlags.length * 2;
    this.ownerFlags = growUint8(this.ownerFlags, length);
    this.ownerCredited = growUint8(this.ownerCredited, length);
    this.firstOfOwner = growInt32(this.firstOfOwner, length, NONE);
    this.ownerAddresses = growUint8(this.ownerAddresses, length * ADDRESS_BYTES);
  }
}

function copyBytes(message: DataView, offset: number, target: Uint8Array, at: number, count: number): void {
  for (let i = 0; i < count; i += 1) target[at + i] = message.getUint8(offset + i);
}

function areSameAddresses(message: DataView, first: number, second: number): boolean {
  for (let i = 0; i < ADDRESS_BYTES; i += 4) {
    if (message.getInt32(first + i, true) !== message.getInt32(second + i, true)) return false;
  }
  return true;
}
