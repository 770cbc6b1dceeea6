// The money: collateral of every account, and per position (account × market) its shares and what its orders reserve.
// Written by settlement, cash commands and order bookkeeping. All amounts are micro, exact integers; no balance is ever
// negative, and reserved ≤ balance for each account and market once a command is over (see coverage.ts).
import { growFloat64, growInt32 } from './grow.ts';
import { NONE, type OrderPool } from './orderPool.ts';

/** Amounts of one position lie side by side: shares and reserved shares of both tokens, then reserved collateral. */
export const MONEY_STRIDE = 5;
export const SHARES = 0;
export const RESERVED_SHARES = 2;
export const RESERVED_COLLATERAL = 4;

export class Ledger {
  positionCount = 0;
  /** Collateral of each account. */
  collateral = new Float64Array(64);
  /** Never below the largest collateral reservation of the account in any one market: while the balance covers it, no order can be uncovered. */
  bound = new Float64Array(64);
  money = new Float64Array(256 * MONEY_STRIDE);
  /** Account and market of each position. */
  accounts = new Int32Array(256);
  markets = new Int32Array(256);
  private firstOfAccount = new Int32Array(64).fill(NONE);
  private nextOfAccount = new Int32Array(256);
  private ownFirst = new Int32Array(256);
  private ownLast = new Int32Array(256);
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
    const mask = this.table.length - 1;
    let at = positionHash(account, market) & mask;
    for (;;) {
      const position = this.table[at];
      if (position === NONE) return NONE;
      if (this.accounts[position] === account && this.markets[position] === market) return position;
      at = (at + 1) & mask;
    }
  }

  /** The position of an account in a market, made when new. */
  positionFor(account: number, market: number): number {
    const known = this.find(account, market);
    if (known !== NONE) return known;
    const position = this.positionCount;
    if (position === this.accounts.length) this.growPositions();
    this.positionCount += 1;
    this.accounts[position] = account;
    this.markets[position] = market;
    this.nextOfAccount[position] = this.firstOfAccount[account];
    this.firstOfAccount[account] = position;
    this.ownFirst[position] = NONE;
    this.ownLast[position] = NONE;
    this.insert(position);
    return position;
  }

  firstPositionOf(account: number): number {
    return this.firstOfAccount[account];
  }

  nextPositionOf(position: number): number {
    return this.nextOfAccount[position];
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

  /** Reserves collateral (or, negative, lifts it) for orders of a position. */
  reserveCollateral(position: number, micro: number): void {
    const at = position * MONEY_STRIDE + RESERVED_COLLATERAL;
    const reserved = this.money[at] + micro;
    this.money[at] = reserved;
    const account = this.accounts[position];
    if (reserved > this.bound[account]) this.bound[account] = reserved;
  }

  reserveShares(position: number, outcome: number, micro: number): void {
    this.money[position * MONEY_STRIDE + RESERVED_SHARES + outcome] += micro;
  }

  /** The exact largest collateral reservation of an account in any one market, micro. */
  largestReservation(account: number): number {
    let largest = 0;
    for (let p = this.firstOfAccount[account]; p !== NONE; p = this.nextOfAccount[p]) {
      const reserved = this.money[p * MONEY_STRIDE + RESERVED_COLLATERAL];
      if (reserved > largest) largest = reserved;
    }
    return largest;
  }

  /** Appends an order to its position's list, which stays in the order of order numbers. */
  linkOwn(pool: OrderPool, position: number, slot: number): void {
    const last = this.ownLast[position];
    pool.setOwnPrev(slot, last);
    pool.setOwnNext(slot, NONE);
    if (last === NONE) this.ownFirst[position] = slot;
    else pool.setOwnNext(last, slot);
    this.ownLast[position] = slot;
  }

  unlinkOwn(pool: OrderPool, position: number, slot: number): void {
    const next = pool.ownNext(slot);
    const previous = pool.ownPrev(slot);
    if (previous === NONE) this.ownFirst[position] = next;
    else pool.setOwnNext(previous, next);
    if (next === NONE) this.ownLast[position] = previous;
    else pool.setOwnPrev(next, previous);
  }

  /** First (oldest) and last (newest) order of a position. */
  firstOwn(position: number): number {
    return this.ownFirst[position];
  }

  lastOwn(position: number): number {
    return this.ownLast[position];
  }

  private insert(position: number): void {
    const mask = this.table.length - 1;
    let at = positionHash(this.accounts[position], this.markets[position]) & mask;
    while (this.table[at] !== NONE) at = (at + 1) & mask;
    this.table[at] = position;
  }

  private growPositions(): void {
    const length = this.accounts.length * 2;
    this.accounts = growInt32(this.accounts, length);
    this.markets = growInt32(this.markets, length);
    this.nextOfAccount = growInt32(this.nextOfAccount, length);
    this.ownFirst = growInt32(this.ownFirst, length);
    this.ownLast = growInt32(this.ownLast, length);
    this.money = growFloat64(this.money, length * MONEY_STRIDE);
    this.table = new Int32Array(length * 4).fill(NONE);
    for (let position = 0; position < this.positionCount; position += 1) this.insert(position);
  }
}

function positionHash(account: number, market: number): number {
  const mixed = Math.imul(account, 0x9e3779b1) ^ Math.imul(market, 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}
