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

/** Where a market's numbers lie: first its terms, in the order of `Market.terms()`. */
const AT = {
  status: 0,
  negRisk: 1,
  autoTick: 2,
  feeExponent: 3,
  tickPips: 4,
  feeRate: 5,
  minOrderLots: 6,
  delaySeconds: 7,
  minMarketableBuyMicro: 8,
  vaultMicro: 9,
  tradeCount: 10,
  resolution: 11,
  unredeemedFirstMicro: 12,
  unredeemedSecondMicro: 13,
  gridPips: 14,
} as const;
const COLUMNS = AT.gridPips + 1;

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

function columnsOf(markets: readonly Market[]): Float64Array<ArrayBuffer> {
  const columns = new Float64Array(markets.length * COLUMNS);
  for (const [index, market] of markets.entries()) {
    const at = index * COLUMNS;
    columns.set(Object.values(market.terms()), at);
    columns[at + AT.vaultMicro] = market.vaultMicro;
    columns[at + AT.tradeCount] = market.tradeCount;
    columns[at + AT.resolution] = market.resolution;
    columns[at + AT.unredeemedFirstMicro] = market.unredeemedFirstMicro;
    columns[at + AT.unredeemedSecondMicro] = market.unredeemedSecondMicro;
    columns[at + AT.gridPips] = market.ladder.gridPips;
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
    requireSound(
      isTickSize(columns[at + AT.tickPips]),
      `market ${index} has a tick of ${columns[at + AT.tickPips]} pips`,
    );
    const market = state.addMarket({
      status: columns[at + AT.status],
      negRisk: columns[at + AT.negRisk],
      autoTick: columns[at + AT.autoTick],
      feeExponent: columns[at + AT.feeExponent],
      tickPips: columns[at + AT.tickPips],
      feeRate: columns[at + AT.feeRate],
      minOrderLots: columns[at + AT.minOrderLots],
      delaySeconds: columns[at + AT.delaySeconds],
      minMarketableBuyMicro: columns[at + AT.minMarketableBuyMicro],
    });
    market.vaultMicro = columns[at + AT.vaultMicro];
    market.tradeCount = columns[at + AT.tradeCount];
    state.tradeCount += market.tradeCount;
    market.resolution = columns[at + AT.resolution];
    market.unredeemedFirstMicro = columns[at + AT.unredeemedFirstMicro];
    market.unredeemedSecondMicro = columns[at + AT.unredeemedSecondMicro];
    const gridPips = columns[at + AT.gridPips];
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
