// The differences between the rules versions, each of which a crowd meets under every version: so a core that applies a rule
// under the wrong one is found out. Used by crowd.ts.
import { AccountFlag, OrderType, RULES_VERSION, RulesVersion, Side } from '../../engine/protocol/index.ts';
import { orderIdOf } from '../model/names.ts';
import {
  addressOf,
  createMarket,
  deposit,
  fund,
  keyOf,
  MARKETS,
  ORDERS,
  OWNERS,
  offer,
  placeOrder,
  priced,
  type Settings,
  split,
  type Take,
} from './offers.ts';

const { BANNED, CLOSED_ONLY } = AccountFlag;

/** How long orders are delayed (ms); then the next version begins. */
const RELEASE_MS = 1_000;

/** Exercises the differences between the rules versions, under each version. */
export function changeRules(take: Take, tMs: number, settings: Settings): void {
  const fromMs = tMs - (tMs % 1_000); // expirations are whole seconds
  for (const rulesVersion of Object.values(RulesVersion)) {
    const atMs = fromMs + RELEASE_MS * rulesVersion;
    const first = OWNERS + 60 + 6 * rulesVersion;
    const marketIndex = MARKETS + 9 + 2 * rulesVersion;
    take(atMs, { type: 'Started', rulesVersion, ...settings });
    bindEarly(take, atMs, first);
    buyCheaply(take, atMs, first + 3, marketIndex);
    closeOnly(take, atMs, first + 3, marketIndex + 1);
    setAgain(take, atMs + RELEASE_MS, first + 5, CLOSED_ONLY);
  }
  // Under the last version: what owners left resting under earlier ones.
  for (const rulesVersion of Object.values(RulesVersion)) {
    const owner = OWNERS + 65 + 6 * rulesVersion;
    const flags = rulesVersion === RulesVersion.FIRST ? 0 : CLOSED_ONLY;
    setAgain(take, fromMs + RELEASE_MS * (RULES_VERSION + 1), owner, flags);
  }
}

/** A wallet is bound before it has an account; then a stranger and its owner deposit money to it. */
function bindEarly(take: Take, tMs: number, first: number): void {
  const [owner, wallet, stranger] = [addressOf(first), addressOf(first + 1), addressOf(first + 2)];
  take(tMs, { type: 'BindWallet', owner, wallet, signatureType: 2 });
  for (const sender of [stranger, owner]) {
    take(tMs, { type: 'Deposit', wallet, owner: sender, amountMicro: 2_000_000, isFaucet: 0 });
  }
}

/** A budget could buy more lots than an order may have, on two levels; the buyer is then banned and splits the rest. */
function buyCheaply(take: Take, tMs: number, first: number, marketIndex: number): void {
  const [seller, buyer] = [addressOf(first), addressOf(first + 1)];
  const keyId = keyOf(first);
  createMarket(take, tMs, marketIndex, { tickPips: 1 });
  for (const wallet of [seller, buyer]) deposit(take, tMs, wallet, 30_000_000_000_000);
  const by = { keyId, marketIndex, flags: 0 };
  take(tMs, { type: 'Split', wallet: seller, owner: seller, ...by, amountMicro: 20_000_000_000_000 });
  const lots = 900_000_000;
  for (const pips of [1, 2]) {
    placeOrder(take, tMs, {
      ...{ orderId: orderIdOf(ORDERS + 7_500 + 10 * marketIndex + pips), maker: seller, ...by, side: Side.SELL },
      ...{ makerAmountMicro: lots * 10_000, takerAmountMicro: lots * pips },
    });
  }
  placeOrder(take, tMs, {
    ...{ orderId: orderIdOf(ORDERS + 7_500 + 10 * marketIndex), maker: buyer, ...by, orderType: OrderType.FAK },
    ...{ makerAmountMicro: 5_000_000_000, takerAmountMicro: 10_000_000_000 },
  });
  take(tMs, { type: 'SetAccountFlags', owner: buyer, mask: BANNED, flags: BANNED });
  take(tMs, { type: 'Split', wallet: buyer, owner: buyer, ...by, amountMicro: 1_000_000 });
}

/** A buyer becomes closed-only while its SELL and its BUY are delayed: at their release only the SELL may enter. Then it splits. */
function closeOnly(take: Take, tMs: number, seller: number, marketIndex: number): void {
  const owner = seller + 2;
  createMarket(take, tMs, marketIndex, { delaySeconds: RELEASE_MS / 1_000, tickPips: 100, autoTick: 1 });
  for (const holder of [seller, owner]) {
    fund(take, tMs, holder, 9_000_000);
    split(take, tMs, holder, marketIndex, 2_000_000);
  }
  const label = ORDERS + 7_500 + 10 * marketIndex;
  endAtOnce(take, tMs, label + 4, seller, marketIndex);
  offer(take, tMs, label, seller, { marketIndex, side: Side.SELL, ...priced(5_000, 100) });
  offer(take, tMs, label + 1, seller, { marketIndex, side: Side.BUY, ...priced(4_000, 100) });
  offer(take, tMs, label + 2, owner, { marketIndex, side: Side.SELL, ...priced(4_000, 50) });
  offer(take, tMs, label + 3, owner, { marketIndex, side: Side.BUY, ...priced(5_000, 150) });
  take(tMs, { type: 'SetAccountFlags', owner: addressOf(owner), mask: CLOSED_ONLY, flags: CLOSED_ONLY });
  take(tMs + RELEASE_MS, { type: 'Tick' });
  split(take, tMs + RELEASE_MS, owner, marketIndex, 1_000_000);
}

/** A BUY at a price that changes an automatic tick is cancelled within its own command. */
function endAtOnce(take: Take, tMs: number, label: number, owner: number, marketIndex: number): void {
  placeOrder(take, tMs, {
    ...{ orderId: orderIdOf(label), keyId: keyOf(owner), maker: addressOf(owner), marketIndex },
    ...{ orderType: OrderType.GTD, expirationS: tMs / 1_000 + 60 },
    ...{ makerAmountMicro: 9_700, takerAmountMicro: 10_000 },
  });
}

/** A closed-only owner is not banned, as before, and then closed-only again, or no longer. */
function setAgain(take: Take, tMs: number, number: number, flags: number): void {
  const owner = addressOf(number);
  take(tMs, { type: 'SetAccountFlags', owner, mask: BANNED, flags: 0 });
  take(tMs, { type: 'SetAccountFlags', owner, mask: CLOSED_ONLY, flags });
}
