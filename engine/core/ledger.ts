// The money: collateral of every account, and per position (account × market) its shares and the reservations of its orders.
// Written by settlement, cash commands and order bookkeeping. All amounts are micro, exact integers; no balance is ever
// negative, and reserved ≤ balance for each account and market once a command is over (see coverage.ts).
import { isCapacity, requireRoom, requireSound, type Sections } from '../protocol/sections.ts';
import * as units from '../protocol/units.ts';
import * as amounts from './amounts.ts';
import { doublesOf, growFloat64, growInt32, newRecords } from './grow.ts';
import * as hashLists from './hashLists.ts';
import * as links from './links.ts';
import * as orderPool from './orderPool.ts';

// File-local constants, see engine/compiler.ts.
const { costMicro, sharesMicroOf } = amounts;
const { firstValues, shiftOf } = hashLists;
const { orWhereNone } = links;
const { NONE } = orderPool;
const { MICRO_PER_LOT } = units;

/** A position is a 64-byte record: five amounts (micro) as 64-bit floats, then six 32-bit integers. */
const MONEY_SHIFT = 3;
/** Shares and reserved shares of both tokens, then reserved collateral. */
const SHARES = 0;
const RESERVED_SHARES = 2;
const RESERVED_COLLATERAL = 4;
/** The same record seen as 32-bit words. */
const SHIFT = 4;
const STRIDE = 16;
/** Entries of the table for each position that there is room for. */
const ENTRIES_A_POSITION = 4;
const ACCOUNT = 10;
const MARKET = 11;
const NEXT_OF_ACCOUNT = 12;
const OWN_FIRST = 13;
const OWN_LAST = 14;
/** The next position whose account and market have the same place in the table. */
const NEXT_OF_HASH = 15;

/** An order whose funds readFunds() reads. */
interface Paying {
  readonly isBuy: boolean;
  readonly account: number;
  readonly position: number;
  readonly outcome: number;
  balanceMicro: number;
  reservedMicro: number;
}

/** The balances that an event states. */
interface Balances {
  collateralMicro: number;
  sharesMicro: number;
}

export class Ledger {
  positionCount = 0;
  /** Collateral of each account. */
  collateral = new Float64Array(64);
  /** Upper bound of each account's largest collateral reservation in a market: a balance that reaches it covers all orders. */
  bound = new Float64Array(64);
  private words = newRecords(256 * STRIDE);
  private money = doublesOf(this.words);
  private firstOfAccount = new Int32Array(64).fill(NONE);
  /** Lists of positions by the hashes of their accounts and markets, see hashLists.ts. */
  private table = new Int32Array(1024).fill(NONE);
  private shift = shiftOf(this.table);

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
    const { words } = this;
    let position = this.table[positionHash(account, market) >>> this.shift];
    while (position >= 0) {
      const base = position << SHIFT;
      if (words[base | ACCOUNT] === account && words[base | MARKET] === market) break;
      position = words[base | NEXT_OF_HASH];
    }
    return position;
  }

  /** The same, trying `guess` first, which is a position or NONE. */
  findNear(account: number, market: number, guess: number): number {
    const { words } = this;
    const base = guess << SHIFT;
    if (guess >= 0 && words[base | ACCOUNT] === account && words[base | MARKET] === market) return guess;
    return this.find(account, market);
  }

  /** Reads the first positions in the entries of these hashes: sometimes those of other accounts and markets, or NONE. */
  positionsAt(hashes: Int32Array, count: number, positions: Int32Array): void {
    firstValues(this.table, this.shift, hashes, count, positions);
  }

  /** Prefetches the records of these positions; skips negative ones. The result means nothing. */
  touch(positions: Int32Array, count: number): number {
    const { words } = this;
    let read = 0;
    for (let i = 0; i < count; i += 1) {
      const position = positions[i];
      if (position >= 0) read ^= words[position << SHIFT];
    }
    return read;
  }

  /** The position of an account in a market, created when new. */
  positionFor(account: number, market: number): number {
    const known = this.find(account, market);
    if (known !== NONE) return known;
    const position = this.positionCount;
    if ((position + 1) << SHIFT > this.words.length) this.growPositions();
    this.positionCount += 1;
    const base = position << SHIFT;
    this.words[base | ACCOUNT] = account;
    this.words[base | MARKET] = market;
    this.words[base | NEXT_OF_ACCOUNT] = this.firstOfAccount[account];
    this.words[base | OWN_FIRST] = NONE;
    this.words[base | OWN_LAST] = NONE;
    this.firstOfAccount[account] = position;
    this.insert(position);
    return position;
  }

  accountOf(position: number): number {
    return this.words[(position << SHIFT) | ACCOUNT];
  }

  marketOf(position: number): number {
    return this.words[(position << SHIFT) | MARKET];
  }

  firstPositionOf(account: number): number {
    return this.firstOfAccount[account];
  }

  nextPositionOf(position: number): number {
    return this.words[(position << SHIFT) | NEXT_OF_ACCOUNT];
  }

  sharesMicro(position: number, outcome: number): number {
    return position < 0 ? 0 : this.money[(position << MONEY_SHIFT) | (SHARES + outcome)];
  }

  reservedSharesMicro(position: number, outcome: number): number {
    return position < 0 ? 0 : this.money[(position << MONEY_SHIFT) | (RESERVED_SHARES + outcome)];
  }

  reservedCollateralMicro(position: number): number {
    return this.money[(position << MONEY_SHIFT) | RESERVED_COLLATERAL];
  }

  /**
   * Sets the balance that an order can draw on (0 while it has no account) and how much of it other orders reserve. Like
   * tellBalances(), it writes the amounts to where they belong: as return values they would be boxed.
   */
  readFunds(order: Paying): void {
    const { money } = this;
    const { account, position, outcome } = order;
    const at = position << MONEY_SHIFT;
    if (order.isBuy) {
      order.balanceMicro = account < 0 ? 0 : this.collateral[account];
      order.reservedMicro = position < 0 ? 0 : money[at | RESERVED_COLLATERAL];
    } else {
      order.balanceMicro = position < 0 ? 0 : money[at | (SHARES + outcome)];
      order.reservedMicro = position < 0 ? 0 : money[at | (RESERVED_SHARES + outcome)];
    }
  }

  /**
   * Reserves what an order needs, micro, from the free collateral of its account (BUY, side 0) or the free shares of its
   * position (SELL, 1). Returns false, with nothing changed, if that is less. Branch-free in side and token, see usualOrder.ts.
   */
  reserveIfCovered(account: number, position: number, side: number, outcome: number, neededMicro: number): boolean {
    const { money } = this;
    const record = position << MONEY_SHIFT;
    const isBuy = 1 - side;
    const balance = isBuy * this.collateral[account] + side * money[record | (SHARES + outcome)];
    const at = reservedAt(position, side, outcome);
    const reserved = money[at] + neededMicro;
    if (reserved > balance) return false;
    money[at] = reserved;
    if (isBuy * reserved > this.bound[account]) this.bound[account] = reserved;
    return true;
  }

  /** Sets the account's collateral and the position's shares of one token in `out`, for the next event. */
  tellBalances(out: Balances, account: number, position: number, outcome: number): void {
    out.collateralMicro = this.collateral[account];
    out.sharesMicro = this.money[(position << MONEY_SHIFT) | (SHARES + outcome)];
  }

  addShareLots(position: number, outcome: number, lots: number): void {
    this.money[(position << MONEY_SHIFT) | (SHARES + outcome)] += sharesMicroOf(lots);
  }

  addShares(position: number, outcome: number, micro: number): void {
    this.money[(position << MONEY_SHIFT) | (SHARES + outcome)] += micro;
  }

  /** Burns all of a position's shares. */
  burnShares(position: number): void {
    this.money[(position << MONEY_SHIFT) | SHARES] = 0;
    this.money[(position << MONEY_SHIFT) | (SHARES + 1)] = 0;
  }

  /**
   * Settles a fill of a maker's order at its own price: reserved collateral becomes shares (BUY, side 0), or reserved shares
   * become collateral (SELL, 1). Branch-free in side and token, see usualOrder.ts.
   */
  fill(position: number, side: number, outcome: number, lots: number, pips: number): void {
    const { money } = this;
    const sign = 1 - 2 * side;
    const shares = sharesMicroOf(lots);
    const cost = costMicro(lots, pips);
    money[(position << MONEY_SHIFT) | (SHARES + outcome)] += sign * shares;
    money[reservedAt(position, side, outcome)] -= cost + side * (shares - cost);
    this.collateral[this.accountOf(position)] -= sign * cost;
  }

  /** Reserves collateral for lots at a price, for an order of a position; negative lots lift it. */
  reserveLots(position: number, lots: number, pips: number): void {
    const at = (position << MONEY_SHIFT) | RESERVED_COLLATERAL;
    const micro = costMicro(lots, pips);
    const reserved = this.money[at] + micro;
    this.money[at] = reserved;
    // Only an increase can exceed the bound: a lift need not wait for the account's cache line.
    if (micro <= 0) return;
    const account = this.accountOf(position);
    if (reserved > this.bound[account]) this.bound[account] = reserved;
  }

  /**
   * Lifts an order's reservation: the collateral for its lots at its own price (BUY, side 0), or as many shares (SELL, 1).
   * Branch-free in side and token, see usualOrder.ts.
   */
  lift(position: number, side: number, outcome: number, lots: number, pips: number): void {
    const at = reservedAt(position, side, outcome);
    this.money[at] -= costMicro(lots, pips + side * (MICRO_PER_LOT - pips));
  }

  /** reserveLots() for an amount. Resting orders pass lots and a price instead, since a large amount would be boxed. */
  reserveCollateral(position: number, micro: number): void {
    this.reserveLots(position, micro, 1);
  }

  reserveShareLots(position: number, outcome: number, lots: number): void {
    this.money[(position << MONEY_SHIFT) | (RESERVED_SHARES + outcome)] += sharesMicroOf(lots);
  }

  reserveShares(position: number, outcome: number, micro: number): void {
    this.money[(position << MONEY_SHIFT) | (RESERVED_SHARES + outcome)] += micro;
  }

  /** The exact largest collateral reservation of an account in any one market, micro. */
  largestReservation(account: number): number {
    let largest = 0;
    for (let p = this.firstOfAccount[account]; p !== NONE; p = this.nextPositionOf(p)) {
      const reserved = this.money[(p << MONEY_SHIFT) | RESERVED_COLLATERAL];
      if (reserved > largest) largest = reserved;
    }
    return largest;
  }

  /** Appends an order to its position's list, which stays sorted by order number. */
  linkOwn(pool: orderPool.OrderPool, position: number, slot: number): void {
    const { words } = this;
    const base = position << SHIFT;
    const last = words[base | OWN_LAST];
    pool.linkOwnLast(slot, last);
    words[base | OWN_FIRST] = orWhereNone(last, words[base | OWN_FIRST], slot);
    words[base | OWN_LAST] = slot;
  }

  unlinkOwn(pool: orderPool.OrderPool, position: number, slot: number): void {
    const { words } = this;
    const base = position << SHIFT;
    const next = pool.ownNext(slot);
    const previous = pool.ownPrev(slot);
    pool.unlinkOwn(slot, previous, next);
    words[base | OWN_FIRST] = orWhereNone(previous, words[base | OWN_FIRST], next);
    words[base | OWN_LAST] = orWhereNone(next, words[base | OWN_LAST], previous);
  }

  /** First (oldest) and last (newest) order of a position. */
  firstOwn(position: number): number {
    return this.words[(position << SHIFT) | OWN_FIRST];
  }

  lastOwn(position: number): number {
    return this.words[(position << SHIFT) | OWN_LAST];
  }

  /** Saves or loads its part of a snapshot. */
  visit(sections: Sections): void {
    this.positionCount = sections.number('positionCount', this.positionCount);
    this.collateral = sections.float64('collateral', this.collateral);
    this.bound = sections.float64('bound', this.bound);
    this.words = sections.int32('positions', this.words);
    this.money = doublesOf(this.words);
    this.firstOfAccount = sections.int32('firstOfAccount', this.firstOfAccount);
    this.table = sections.int32('table', this.table);
    const { positionCount, words, table, bound, firstOfAccount } = this;
    const room = words.length / STRIDE;
    requireSound(isCapacity(room) && positionCount <= room, `${positionCount} positions have room for ${room}`);
    requireRoom(room * ENTRIES_A_POSITION, { table });
    requireRoom(this.collateral.length, { bound, firstOfAccount });
    this.shift = shiftOf(table);
    if (!sections.isLoading) return;
    const found = this.countFound();
    requireSound(found === positionCount, `${found} of ${positionCount} positions can be found`);
  }

  /** How many positions the table leads to, counted until one is wrong, or until there are more than can be. */
  private countFound(): number {
    const { table, words, positionCount } = this;
    let found = 0;
    for (let entry = 0; entry < table.length; entry += 1) {
      for (let position = table[entry]; position !== NONE; position = words[(position << SHIFT) | NEXT_OF_HASH]) {
        if (position < 0 || position >= positionCount || found > positionCount) return found;
        const base = position << SHIFT;
        if (positionHash(words[base | ACCOUNT], words[base | MARKET]) >>> this.shift !== entry) return found;
        found += 1;
      }
    }
    return found;
  }

  private insert(position: number): void {
    const { table, words } = this;
    const base = position << SHIFT;
    const entry = positionHash(words[base | ACCOUNT], words[base | MARKET]) >>> this.shift;
    words[base | NEXT_OF_HASH] = table[entry];
    table[entry] = position;
  }

  private growPositions(): void {
    // Copied as integers: a copy as floats might not keep the bits of fields that are not floats.
    this.words = newRecords(this.words.length * 2, this.words);
    this.money = doublesOf(this.words);
    this.table = new Int32Array(this.table.length * 2).fill(NONE);
    this.shift = shiftOf(this.table);
    for (let position = 0; position < this.positionCount; position += 1) this.insert(position);
  }
}

/** Index in `money` of the reservation that orders of a side share: collateral (BUY, 0), or shares of a token (SELL, 1). */
const reservedAt = (position: number, side: number, outcome: number): number =>
  (position << MONEY_SHIFT) | (RESERVED_COLLATERAL - side * (RESERVED_COLLATERAL - RESERVED_SHARES - outcome));

/** Accounts and markets are dense numbers: multiplied by a constant each, their sums spread almost evenly, rarely colliding. */
export const positionHash = (account: number, market: number): number => {
  return (Math.imul(account, 0x9e3779b1) + Math.imul(market, 0xc2b2ae35)) | 0;
};
