// The core's part of a snapshot: its whole state between two commands. Called by exchange.ts, to write a snapshot or to load
// one into an exchange that has applied nothing yet. The scratch data of a command (its time, lists, the order at hand) is not
// included, nor is what follows from the rest. Structures with arrays visit their own; markets are many and small, so they are
// stored as columns.
import { requireSound, type Sections } from '../protocol/sections.ts';
import { isTickSize } from '../protocol/units.ts';
import type { Ladder } from './ladder.ts';
import type { Market } from './market.ts';
import { ladderSideOf } from './orderBook.ts';
import type { CoreState } from './state.ts';

/** Columns of a market: its terms, and what columnsOf adds. */
const TERMS = 9;
const COLUMNS = TERMS + 6;

export function visitCore(state: CoreState, sections: Sections): void {
  requireSound(state.freshTrades === 0, 'a command is being applied');
  visitNumbers(state, sections.part('numbers'));
  state.accounts.visit(sections.part('accounts'));
  state.ledger.visit(sections.part('ledger'));
  const { accountCount } = state.accounts;
  const rooms = state.ledger.collateral.length;
  requireSound(accountCount <= rooms, `${accountCount} accounts have ${rooms} places for their money`);
  state.pool.visit(sections.part('orders'));
  visitMarkets(state, sections.part('markets'));
  state.expiries.visit(sections.part('expiries'));
  state.releases.visit(sections.part('releases'));
  state.statuses.visit(sections.part('statuses'));
  state.heartbeats.visit(sections.part('heartbeats'));
  const delayed = sections.plain('delayed', [...state.delayed]);
  if (sections.isLoading) for (const [slot, order] of delayed) state.delayed.set(slot, order);
  state.ids.visit(sections.part('ids'));
  if (sections.isLoading) state.alarm.ms = state.nextDueMs();
}

function visitNumbers(state: CoreState, sections: Sections): void {
  state.mode = sections.number('mode', state.mode);
  state.lastOrderNumber = sections.number('lastOrderNumber', state.lastOrderNumber);
  state.depositsMicro = sections.number('depositsMicro', state.depositsMicro);
  state.withdrawalsMicro = sections.number('withdrawalsMicro', state.withdrawalsMicro);
  state.dustMicro = sections.number('dustMicro', state.dustMicro);
  state.rulesVersion = sections.number('rulesVersion', state.rulesVersion);
  state.orderWindowMs = sections.number('orderWindowMs', state.orderWindowMs);
  state.heartbeatWindowMs = sections.number('heartbeatWindowMs', state.heartbeatWindowMs);
  state.minedDelayMs = sections.number('minedDelayMs', state.minedDelayMs);
  state.confirmedDelayMs = sections.number('confirmedDelayMs', state.confirmedDelayMs);
  state.creditMicro = sections.number('creditMicro', state.creditMicro);
}

function visitMarkets(state: CoreState, sections: Sections): void {
  const { markets } = state;
  const columns = sections.float64('columns', sections.isLoading ? new Float64Array(0) : columnsOf(markets));
  const levels = sections.int32('levels', sections.isLoading ? new Int32Array(0) : levelsOf(markets));
  if (sections.isLoading) loadMarkets(state, columns, levels);
}

/** For each market, its terms in the order in which events state them, then the rest. */
function columnsOf(markets: readonly Market[]): Float64Array<ArrayBuffer> {
  const columns = new Float64Array(markets.length * COLUMNS);
  for (const [index, market] of markets.entries()) {
    const at = index * COLUMNS;
    columns[at] = market.status;
    columns[at + 1] = market.negRisk;
    columns[at + 2] = market.autoTick;
    columns[at + 3] = market.feeExponent;
    columns[at + 4] = market.tickPips;
    columns[at + 5] = market.feeRate;
    columns[at + 6] = market.minOrderLots;
    columns[at + 7] = market.delaySeconds;
    columns[at + 8] = market.minMarketableBuyMicro;
    columns[at + TERMS] = market.vaultMicro;
    columns[at + TERMS + 1] = market.tradeCount;
    columns[at + TERMS + 2] = market.resolution;
    columns[at + TERMS + 3] = market.unredeemedFirstMicro;
    columns[at + TERMS + 4] = market.unredeemedSecondMicro;
    columns[at + TERMS + 5] = market.ladder.gridPips;
  }
  return columns;
}

/** For each market with orders: its index, how many numbers follow, and its ladder's levels. */
function levelsOf(markets: readonly Market[]): Int32Array<ArrayBuffer> {
  const words: number[] = [];
  for (const { index, ladder } of markets) {
    const levels = ladder.levels();
    if (levels.length === 0) continue;
    words.push(index, levels.length);
    for (const word of levels) words.push(word);
  }
  return Int32Array.from(words);
}

/** Whether a ladder may have this grid under a tick: whole pips that divide the tick. */
const isGridOf = (tickPips: number, gridPips: number): boolean =>
  Number.isInteger(gridPips) && gridPips > 0 && tickPips % gridPips === 0;

function loadMarkets(state: CoreState, columns: Float64Array, levels: Int32Array): void {
  requireSound(columns.length % COLUMNS === 0, `the markets have ${columns.length} numbers`);
  for (let at = 0; at < columns.length; at += COLUMNS) {
    const { length: index } = state.markets;
    requireSound(isTickSize(columns[at + 4]), `market ${index} has a tick of ${columns[at + 4]} pips`);
    const market = state.addMarket({
      status: columns[at],
      negRisk: columns[at + 1],
      autoTick: columns[at + 2],
      feeExponent: columns[at + 3],
      tickPips: columns[at + 4],
      feeRate: columns[at + 5],
      minOrderLots: columns[at + 6],
      delaySeconds: columns[at + 7],
      minMarketableBuyMicro: columns[at + 8],
    });
    market.vaultMicro = columns[at + TERMS];
    market.tradeCount = columns[at + TERMS + 1];
    state.tradeCount += market.tradeCount;
    market.resolution = columns[at + TERMS + 2];
    market.unredeemedFirstMicro = columns[at + TERMS + 3];
    market.unredeemedSecondMicro = columns[at + TERMS + 4];
    const gridPips = columns[at + TERMS + 5];
    if (gridPips === market.tickPips) continue;
    requireSound(isGridOf(market.tickPips, gridPips), `market ${index} has a grid of ${gridPips} pips`);
    market.ladder.regrid(gridPips);
  }
  for (let at = 0; at < levels.length; at += 2 + levels[at + 1]) {
    const market = state.markets[levels[at]];
    requireSound(market !== undefined && levels[at + 1] > 0, `there is no market ${levels[at]}`);
    loadLadder(state, market.ladder, levels.subarray(at + 2, at + 2 + levels[at + 1]));
  }
}

function loadLadder({ pool }: CoreState, ladder: Ladder, levels: Int32Array): void {
  for (let at = 0; at < levels.length; at += 3) {
    const [level, first, last] = levels.subarray(at, at + 3);
    requireSound(
      level > 0 && level < ladder.levelCount,
      `a ladder of ${ladder.levelCount} levels has a level ${level}`,
    );
    requireSound(pool.hasSlot(first) && pool.hasSlot(last), `level ${level} holds the orders ${first} to ${last}`);
    ladder.loadLevel(level, first, last, ladderSideOf(pool.sideOf(first), pool.outcomeOf(first)));
  }
}
