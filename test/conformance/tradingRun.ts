// A scripted mix of trading for the restart test: four traders of different wallet types in three markets, and their
// operations, chosen by a seeded generator. It records what trades do not show: which orders were posted, and what was
// split, merged and given. It never reads the server's memory.
import { type ApiError, OrderType, Side, type SignedOrder } from '@polymarket/clob-client-v2';
import {
  batchItem,
  createMarket,
  developmentKey,
  giveShares,
  type Market,
  type MarketTerms,
  micro,
  newTrader,
  orderIdOf,
  signedRaw,
  type Trader,
} from './world.ts';

/** Wallet types of the traders; the first one is a development wallet. */
const TRADER_TYPES = [0, 1, 2, 3] as const;
const MARKET_TERMS: readonly MarketTerms[] = [
  { tickSize: '0.01', feeRate: 0.05 },
  { tickSize: '0.001', minOrderSize: 1, minMarketableBuy: '0', negRisk: true, feeRate: 0.07, feeExponent: 2 },
  { tickSize: '0.0025', minOrderSize: 1 },
];
const SHARES_GIVEN = '300';

/** A market with the terms that determine its fees. */
export interface RunMarket extends Market {
  readonly ratePer10k: number;
  readonly feeExponent: number;
}

/** Money and shares that a trader moved outside of trades, micro; shares by token. */
interface Moves {
  collateral: bigint;
  readonly shares: Map<string, bigint>;
}

export interface Run {
  readonly traders: readonly Trader[];
  readonly markets: readonly RunMarket[];
  readonly moves: readonly Moves[];
  /** For each trader, the ids of all orders known to have been accepted or killed. */
  readonly orderIds: readonly string[][];
  readonly random: () => number;
}

/** Creates traders and markets, and gives everybody shares to sell. */
export async function prepareRun(url: string, random: () => number): Promise<Run> {
  const markets: RunMarket[] = [];
  for (const terms of MARKET_TERMS) {
    const { feeRate = 0, feeExponent = 1 } = terms;
    const market = await createMarket(url, terms);
    markets.push({ ...market, ratePer10k: Math.round(feeRate * 10_000), feeExponent });
  }
  const traders = await Promise.all(
    TRADER_TYPES.map((type) => newTrader(url, type, type === 0 ? developmentKey(4) : undefined)),
  );
  const moves: Moves[] = [];
  for (const trader of traders) {
    const shares = new Map<string, bigint>();
    for (const token of markets.flatMap(({ yes, no }) => [yes, no])) {
      await giveShares(url, trader, token, SHARES_GIVEN);
      shares.set(token, micro(SHARES_GIVEN));
    }
    moves.push({ collateral: 0n, shares });
  }
  return { traders, markets, moves, orderIds: traders.map(() => []), random };
}

const pick = <Value>(values: readonly Value[], random: () => number): Value =>
  values[Math.floor(random() * values.length)];

/** An order that is signed but not sent, so its id is known whatever happens to the request. */
export interface SignedIntent {
  readonly traderIndex: number;
  readonly market: RunMarket;
  readonly order: SignedOrder;
  readonly orderType: OrderType;
  readonly postOnly: boolean;
  readonly id: string;
}

/** Signs a random order: any type, either side, either token, prices near the middle so that many match. */
export async function signRandomOrder(run: Run, traderIndex: number): Promise<SignedIntent> {
  const { random, traders, markets } = run;
  const { client } = traders[traderIndex];
  const market = pick(markets, random);
  const tokenID = random() < 0.5 ? market.yes : market.no;
  const side = random() < 0.55 ? Side.BUY : Side.SELL;
  const tick = Number(market.tickSize);
  const price = Number((Math.round((0.42 + random() * 0.16) / tick) * tick).toFixed(4));
  const size = Math.round(500 + random() * 2_000) / 100;
  const options = { tickSize: market.tickSize, negRisk: market.negRisk };
  const orderType = pick(
    [OrderType.GTC, OrderType.GTC, OrderType.GTC, OrderType.GTD, OrderType.FAK, OrderType.FOK],
    random,
  );
  const postOnly = orderType === OrderType.GTC && random() < 0.3;
  let order: SignedOrder;
  if (orderType === OrderType.FAK || orderType === OrderType.FOK) {
    const amount = side === Side.BUY ? Math.round(size * price * 100) / 100 : size;
    order = await client.createMarketOrder({ tokenID, price, amount, side, orderType }, options);
  } else {
    const expiration = orderType === OrderType.GTD ? Math.floor(Date.now() / 1000) + 7_200 : 0;
    order = await client.createOrder({ tokenID, price, size, side, expiration }, options);
  }
  return { traderIndex, market, order, orderType, postOnly, id: orderIdOf(order, market.negRisk) };
}

/** What a client knows about a request: answered with success, refused in words, or never answered. */
export type Outcome = 'accepted' | 'killed' | 'refused' | 'lost';

/** The outcome that a failed call implies. */
export function outcomeOf(error: ApiError): Outcome {
  if (error.status === undefined) return 'lost';
  return /FOK orders are|no orders found to match with FAK/.test(error.message) ? 'killed' : 'refused';
}

/** Posts a signed order and returns the outcome, whatever the answer. */
export async function post(run: Run, intent: SignedIntent): Promise<Outcome> {
  const { traderIndex, order, orderType, postOnly, id } = intent;
  const outcome = await run.traders[traderIndex].client.postOrder(order, orderType, postOnly).then(
    () => 'accepted' as const,
    (error: ApiError) => outcomeOf(error),
  );
  if (outcome === 'accepted' || outcome === 'killed') run.orderIds[traderIndex].push(id);
  return outcome;
}

async function postBatch(run: Run, traderIndex: number): Promise<void> {
  const intents: SignedIntent[] = [];
  for (let count = 0; count < 4; count += 1) intents.push(await signRandomOrder(run, traderIndex));
  const args = intents.map(({ order, orderType }) => batchItem(order, orderType));
  const replies = await run.traders[traderIndex].client.postOrders(args);
  for (const [index, { orderID, errorMsg }] of replies.entries()) {
    if (orderID !== '' || /FOK orders are|FAK order/.test(errorMsg)) run.orderIds[traderIndex].push(intents[index].id);
  }
}

async function cancelSome(run: Run, traderIndex: number): Promise<void> {
  const { client } = run.traders[traderIndex];
  const chance = run.random();
  const open = await client.getOpenOrders();
  if (open.length === 0) return;
  if (chance < 0.4) await client.cancelOrder({ orderID: pick(open, run.random).id });
  else if (chance < 0.7) await client.cancelOrders(open.slice(0, 3).map(({ id }) => id));
  else if (chance < 0.9) await client.cancelMarketOrders({ asset_id: pick(open, run.random).asset_id });
  else await client.cancelAll();
}

/** Turns collateral into shares or back, and records it when it succeeds. */
async function moveSets(run: Run, traderIndex: number): Promise<void> {
  const isSplit = run.random() < 0.6;
  const market = pick(run.markets, run.random);
  const amount = (Math.round(run.random() * 2_000) / 100 + 0.01).toFixed(2);
  const body = { condition_id: market.conditionId, amount, signature_type: TRADER_TYPES[traderIndex] };
  const reply = await signedRaw(run.traders[traderIndex], 'POST', isSplit ? '/split' : '/merge', body);
  if (reply.status !== 200) return;
  const moves = run.moves[traderIndex];
  const made = isSplit ? micro(amount) : -micro(amount);
  moves.collateral -= made;
  for (const token of [market.yes, market.no]) moves.shares.set(token, (moves.shares.get(token) ?? 0n) + made);
}

/** One random operation of one trader; refusals in words are part of trading, anything else is an error. */
export async function operate(run: Run, traderIndex: number): Promise<void> {
  const chance = run.random();
  if (chance < 0.66) {
    const outcome = await post(run, await signRandomOrder(run, traderIndex));
    if (outcome === 'lost') throw new Error('a request was not answered although the server runs');
  } else if (chance < 0.76) await postBatch(run, traderIndex);
  else if (chance < 0.92) await cancelSome(run, traderIndex);
  else await moveSets(run, traderIndex);
}
