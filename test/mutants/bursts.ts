// Situations in which one command affects more markets, accounts and trades than the core's lists initially have room for:
// none may be forgotten when a list grows. Used by crowd.ts.
import { OrderType, RULES_VERSION, RulesVersion, Side } from '../../engine/protocol/index.ts';
import {
  addressOf,
  createMarket,
  fund,
  keyOf,
  MARKETS,
  ORDERS,
  OWNERS,
  offer,
  priced,
  type Settings,
  split,
  type Take,
} from './offers.ts';

/** More than the core's lists initially hold. */
const MANY = 70;
const FIRST_MARKET = MARKETS + 22;
const FIRST_OWNER = OWNERS + 100;
const FIRST_ORDER = ORDERS + 10_000;
/** Time (ms) after which all pending trade statuses are over. */
export const BURST_MS = 30_000;

/** One owner leaves many markets with automatic ticks at once; each still sees a bid near its end afterwards. */
export function cancelInManyMarkets(take: Take, tMs: number): void {
  fund(take, tMs, FIRST_OWNER, 90_000_000);
  for (let at = 0; at < MANY; at += 1) {
    createMarket(take, tMs, FIRST_MARKET + at, { tickPips: 100, autoTick: 1 });
    const bid = { marketIndex: FIRST_MARKET + at, side: Side.BUY };
    offer(take, tMs, FIRST_ORDER + at, FIRST_OWNER, { ...bid, ...priced(4_000, 100) });
  }
  take(tMs, { type: 'CancelAll', owner: addressOf(FIRST_OWNER), keyId: keyOf(FIRST_OWNER) });
  for (let at = 0; at < MANY; at += 1) {
    const bid = { marketIndex: FIRST_MARKET + at, side: Side.BUY };
    offer(take, tMs, FIRST_ORDER + MANY + at, FIRST_OWNER, { ...bid, ...priced(9_700, 100) });
  }
}

/** One order takes from many wallets what they also offered elsewhere, where none of them is covered any more. */
export function uncoverMany(take: Take, tMs: number): void {
  const [paying, reserving] = [FIRST_MARKET, FIRST_MARKET + 1];
  const seller = FIRST_OWNER + MANY + 1;
  for (let at = 1; at <= MANY; at += 1) {
    fund(take, tMs, FIRST_OWNER + at, 100_000);
    for (const [index, marketIndex] of [paying, reserving].entries()) {
      const label = FIRST_ORDER + 200 + 2 * at + index;
      offer(take, tMs, label, FIRST_OWNER + at, { marketIndex, side: Side.BUY, ...priced(1_000, 100) });
    }
  }
  fund(take, tMs, seller, 900_000_000);
  split(take, tMs, seller, paying, 800_000_000);
  const sweep = { marketIndex: paying, side: Side.SELL, orderType: OrderType.FAK };
  offer(take, tMs, FIRST_ORDER + 400, seller, { ...sweep, ...priced(1_000, 100 * (MANY + 1)) });
}

/** One order trades at many prices; all trades fall due at once, under rules that order them by market. */
export function tradeAtManyPrices(take: Take, tMs: number, settings: Settings): void {
  const [seller, buyer, marketIndex] = [FIRST_OWNER + MANY + 1, FIRST_OWNER, FIRST_MARKET + MANY];
  take(tMs, { type: 'Started', rulesVersion: RulesVersion.THIRD, ...settings, minedDelayMs: 5_000 });
  createMarket(take, tMs, marketIndex);
  split(take, tMs, seller, marketIndex, 50_000_000);
  for (let at = 0; at < MANY; at += 1) {
    const ask = { marketIndex, side: Side.SELL, ...priced(1_000 + 10 * at, 50) };
    offer(take, tMs, FIRST_ORDER + 500 + at, seller, ask);
  }
  offer(take, tMs, FIRST_ORDER + 600, buyer, { marketIndex, side: Side.BUY, ...priced(1_700, 50 * MANY) });
  take(tMs + BURST_MS, { type: 'Started', rulesVersion: RULES_VERSION, ...settings });
}
