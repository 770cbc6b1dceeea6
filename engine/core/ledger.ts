// The money: collateral of every account, and per position (account × market) its shares and what its orders reserve.
// Written by settlement, cash commands and order bookkeeping. All amounts are micro, exact integers; no balance is ever
// negative, and reserved ≤ balance for each account and market once a command is over (see coverage.ts).
import { MICRO_PER_LOT } from '../protocol/units.ts';
import { growFloat64, growInt32 } from './grow.ts';
import { NONE, type OrderPool, OWN_NEXT, OWN_PREV, STRIDE } from './orderPool.ts';

/** A position is a 64-byte record: five amounts (micro) as 64-bit floats, then six 32-bit integers. */
export const MONEY_STRIDE = 8;
/** Shares and reserved shares of both tokens, then reserved collateral. */
export const SHARES = 0;
export const RESERVED_SHARES = 2;
export const RESERVED_COLLATERAL = 4;
/** The same record seen as 32-bit words. */
const WORDS = 16;
const ACCOUNT = 10;
const MARKET = 11;
const NEXT_OF_ACCOUNT = 12;
const OWN_FIRST = 13;
const OWN_LAST = 14;

export class Ledger {
  positionCount = 0;
  /** Collateral of each account. */
  collateral = new Float64Array(64);
  /** Never below the largest collateral reservation of the account in any one market: while the balance covers it, no order can be uncovered. */
  bound = new Float64Array(64);
  money = new Float64Array(256 * MONEY_STRIDE);
  private words = new Int32Array(this.money.buffer);
  private firstOfAccount = new Int32Array(64).fill(NONE);
  /** Open addressing: entry i is a position at 2i (NONE when free) and the hash of its account and market at 2i + 1. */
  private table = new Int32Array(1024).fill(NONE);

  /** Makes room for an account just opened. */
  admit(account: number): void {
    if (account < this.collateral.length) return;
    const length = this.collateral.length * 2;
    this.collateral = growFloat64(this.collateral, length);
    this.bound = growFloat64(this.bound, length);
    this.firstOfAccount = growInt32(this.firstOfAccount, length, NONE);
  }

  /** The position of an account in a market, or NONE. */
  find(account: number, market: number): number {
    const { table, words } = this;
    const mask = (table.length >>> 1) - 1;
    const hash = positionHash(account, market);
    let at = hash & mask;
    for (;;) {
      const position = table[at * 2];
      if (position === NONE) return NONE;
      const base = position * WORDS;
      if (table[at * 2 + 1] === hash && words[base + ACCOUNT] === account && words[base + MARKET] === market) {
        return position;
      }
      at = (at + 1) & mask;
    }
  }

  /** The position of an account in a market, made when new. */
  positionFor(account: number, market: number): number {
    const known = this.find(account, market);
    if (known !== NONE) return known;
    const position = this.positionCount;
    if ((position + 1) * WORDS > this.words.length) this.growPositions();
    this.positionCount += 1;
    const base = position * WORDS;
    this.words[base + ACCOUNT] = account;
    this.words[base + MARKET] = market;
    this.words[base + NEXT_OF_ACCOUNT] = this.firstOfAccount[account];
    this.words[base + OWN_FIRST] = NONE;
    this.words[base + OWN_LAST] = NONE;
    this.firstOfAccount[account] = position;
    this.insert(position, positionHash(account, market));
    return position;
  }

  accountOf(position: number): number {
    return this.words[position * WORDS + ACCOUNT];
  }

  marketOf(position: number): number {
    return this.words[position * WORDS + MARKET];
  }

  firstPositionOf(account: number): number {
    return this.firstOfAccount[account];
  }

  nextPositionOf(position: number): number {
    return this.words[position * WORDS + NEXT_OF_ACCOUNT];
  }

  sharesMicro(position: number, outcome: number): number {
    return position === NONE ? 0 : this.money[position * MONEY_STRIDE + SHARES + outcome];
  }

  reservedSharesMicro(position: number, outcome: number): number {
    return position === NONE ? 0 : this.money[position * MONEY_STRIDE + RESERVED_SHARES + outcome];
  }

  reservedCollateralMicro(position: number): number {
    return position === NONE ? 0 : this.money[position * MONEY_STRIDE + RESERVED_COLLATERAL];
  }

  addShares(position: number, outcome: number, micro: number): void {
    this.money[position * MONEY_STRIDE + SHARES + outcome] += micro;
  }

  /** Reserves collateral for so many lots at a price (or, negative, lifts it) for orders of a position. */
  reserveLots(position: number, lots: number, pips: number): void {
    this.reserveCollateral(position, lots * pips);
  }

  reserveCollateral(position: number, micro: number): void {
    const at = position * MONEY_STRIDE + RESERVED_COLLATERAL;
    const reserved = this.money[at] + micro;
    this.money[at] = reserved;
    // Only more can pass the bound: what is lifted need not wait for the account's line of memory.
    if (micro <= 0) return;
    const account = this.accountOf(position);
    if (reserved > this.bound[account]) this.bound[account] = reserved;
  }

  reserveShareLots(position: number, outcome: number, lots: number): void {
    this.money[position * MONEY_STRIDE + RESERVED_SHARES + outcome] += lots * MICRO_PER_LOT;
  }

  reserveShares(position: number, outcome: number, micro: number): void {
    this.money[position * MONEY_STRIDE + RESERVED_SHARES + outcome] += micro;
  }

  /** The exact largest collateral reservation of an account in any one market, micro. */
  largestReservation(account: number): number {
    let largest = 0;
    for (let p = this.firstOfAccount[account]; p !== NONE; p = this.nextPositionOf(p)) {
      const reserved = this.money[p * MONEY_STRIDE + RESERVED_COLLATERAL];
      if (reserved > largest) largest = reserved;
    }
    return largest;
  }

  /** Appends an order to its position's list, which stays in the order of order numbers. */
  linkOwn(pool: OrderPool, position: number, slot: number): void {
    const { words } = this;
    const { records } = pool;
    const base = position * WORDS;
    const last = words[base + OWN_LAST];
    records[slot * STRIDE + OWN_PREV] = last;
    records[slot * STRIDE + OWN_NEXT] = NONE;
    if (last === NONE) words[base + OWN_FIRST] = slot;
    else records[last * STRIDE + OWN_NEXT] = slot;
    words[base + OWN_LAST] = slot;
  }

  unlinkOwn(pool: OrderPool, position: number, slot: number): void {
    const { words } = this;
    const { records } = pool;
    const next = records[slot * STRIDE + OWN_NEXT];
    const previous = records[slot * STRIDE + OWN_PREV];
    if (previous === NONE) words[position * WORDS + OWN_FIRST] = next;
    else records[previous * STRIDE + OWN_NEXT] = next;
    if (next === NONE) words[position * WORDS + OWN_LAST] = previous;
    else records[next * STRIDE + OWN_PREV] = previous;
  }

  /** First (oldest) and last (newest) order of a position. */
  firstOwn(position: number): number {
    return this.words[position * WORDS + OWN_FIRST];
  }

  lastOwn(position: number): number {
    return this.words[position * WORDS + OWN_LAST];
  }

  private insert(position: number, hash: number): void {
    const { table } = this;
    const mask = (table.length >>> 1) - 1;
    let at = hash & mask;
    while (table[at * 2] !== NONE) at = (at + 1) & mask;
    table[at * 2] = position;
    table[at * 2 + 1] = hash;
  }

  private growPositions(): void {
    // Copied as integers: a float copy need not keep the bits of what are no floats.
    this.words = growInt32(this.words, this.words.length * 2);
    this.money = new Float64Array(this.words.buffer);
    const old = this.table;
    this.table = new Int32Array(old.length * 2).fill(NONE);
    for (let at = 0; at < old.length; at += 2) {
      if (old[at] !== NONE) this.insert(old[at], old[at + 1]);
    }
  }
}

function positionHash(account: number, market: number): number {
  const mixed = Math.imul(Math.imul(account, 0x9e3779b1) ^ market, 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}
