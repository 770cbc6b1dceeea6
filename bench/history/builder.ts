// The process that builds the world of the history bench: it opens an exchange on the data directory and submits commands
// in batches until the requested number of trades has happened. Started by world.ts as a process of its own, so the
// measured process holds none of its memory.
import {
  complementPips,
  encodeCommand,
  MICRO_PER_LOT,
  OrderType,
  openExchange,
  Side,
  VirtualClock,
} from '../../engine/index.ts';
import { showProgress } from '../../server/process/progress.ts';
import { SeededRandom } from '../lib/seededRandom.ts';
import { answerQuestions } from '../lib/talk.ts';
import {
  conditionOf,
  keyOf,
  MARKET_SKEW,
  MARKETS_AN_EVENT,
  orderIdOf,
  skewed,
  tokenOf,
  WALLET_SKEW,
  type WorldSize,
  walletOf,
} from './names.ts';
import { parseBuildQuestion, type World } from './world.ts';

const START_MS = 1_740_000_000_000;
const BATCH = 4_000;
/** Exchange time that passes while the trades are made (ms). */
const SPAN_MS = 60 * 86_400_000;
const CREDIT_MICRO = 50_000_000_000;
const TICK_PIPS = 100;
/** Most lots that a maker sells at once. */
const LOTS_MAX = 2_000;
const RESOLVED_SHARE = 0.04;

const tailOf = (texts: object): Uint8Array => new TextEncoder().encode(JSON.stringify(texts));
/** A tail as long as that of a real signed order. */
const ORDER_TAIL = tailOf({
  ...{ salt: '479249096354', signer: walletOf(1), signatureType: 0, tokenId: BigInt(tokenOf(1, 0)).toString() },
  ...{ metadata: `0x${'0'.repeat(64)}`, builder: `0x${'0'.repeat(64)}`, signature: `0x${'ab'.repeat(65)}` },
});

interface OrderPlan {
  readonly wallet: number;
  readonly market: number;
  readonly outcome: number;
  readonly side: Side;
  readonly lots: number;
  readonly pips: number;
  readonly orderType: OrderType;
}

class Builder {
  private readonly size: WorldSize;
  private readonly clock = new VirtualClock(START_MS);
  private readonly random = new SeededRandom(11);
  private readonly mids: number[] = [];
  /** Lots by (wallet · markets + market) · 2 + outcome, on the assumption that orders fill. */
  private readonly held = new Map<number, number>();
  private orderCount = 0;
  private batch: Uint8Array[] = [];
  private refusal = '';
  private trades = 0;

  constructor(size: WorldSize) {
    this.size = size;
  }

  async build(dataDir: string): Promise<World> {
    const { size, clock } = this;
    const settings = {
      ...{ orderWindowMs: 3_600_000, heartbeatWindowMs: 10_000, minedDelayMs: 0, confirmedDelayMs: 0 },
      creditMicro: CREDIT_MICRO,
    };
    const exchange = await openExchange({ dataDir, clock, settings, followers: [] });
    const submit = async (): Promise<void> => {
      const records = await Promise.all(this.batch.map((command) => exchange.submit(command)));
      this.batch = [];
      for (const { events } of records) {
        for (const event of events) {
          if (event.type === 'Trade') this.trades += 1;
          else if (event.type === 'Rejected') this.refusal = JSON.stringify(event);
        }
      }
    };
    const setUpBar = showProgress(process.stderr, 'setting up', 'wallets');
    this.createMarkets();
    for (let wallet = 0; wallet < size.wallets; wallet += 1) {
      this.createWallet(wallet);
      if (this.batch.length < BATCH) continue;
      await submit();
      setUpBar.update(wallet, size.wallets);
    }
    await submit();
    setUpBar.stop();
    const bar = showProgress(process.stderr, 'trading', 'trades');
    while (this.trades < size.trades) {
      const tradesBefore = this.trades;
      while (this.batch.length < BATCH) this.tradeRound();
      await submit();
      if (this.trades === tradesBefore) throw new Error(`no trade among ${BATCH} commands: ${this.refusal}`);
      clock.advance(Math.max(1, Math.floor((SPAN_MS * (this.trades - tradesBefore)) / size.trades)));
      bar.update(this.trades, size.trades);
    }
    this.resolveSome();
    await submit();
    bar.stop();
    const lastSequence = exchange.durableSequence;
    await exchange.close();
    return { ...size, lastSequence };
  }

  private createMarkets(): void {
    const { batch, size } = this;
    for (let number = 1; number <= Math.ceil(size.markets / MARKETS_AN_EVENT); number += 1) {
      const texts = {
        slug: `event-${number}`,
        title: `What happens in round ${number}`,
        icon: `/images/${number}.png`,
      };
      batch.push(encodeCommand({ type: 'CreateEvent', negRisk: 0, tail: tailOf(texts) }));
    }
    for (let market = 0; market < size.markets; market += 1) {
      this.mids.push(TICK_PIPS * (10 + this.random.below(81)));
      const texts = {
        ...{ slug: `market-${market}`, question: `Will team ${market} win its match of the round?` },
        endDate: '2026-11-03T00:00:00Z',
      };
      batch.push(
        encodeCommand({
          ...{ type: 'CreateMarket', eventNumber: 1 + Math.floor(market / MARKETS_AN_EVENT), status: 1, negRisk: 0 },
          ...{ autoTick: 0, conditionId: conditionOf(market), firstToken: tokenOf(market, 0) },
          ...{ secondToken: tokenOf(market, 1), feeExponent: 1, tickPips: TICK_PIPS, feeRate: 0, minOrderLots: 1 },
          ...{ delaySeconds: 0, minMarketableBuyMicro: 0, tail: tailOf(texts) },
        }),
      );
    }
  }

  /** Creates an API key, whose first credit is the wallet's money. */
  private createWallet(number: number): void {
    const owner = walletOf(number);
    this.batch.push(
      encodeCommand({
        ...{ type: 'CreateApiKey', owner, keyId: keyOf(number), nonce: 0, generation: 0, kind: 0, items: [owner] },
      }),
    );
  }

  /** One or two makers at a price, and takers that fill them completely. */
  private tradeRound(): void {
    const { random, size, mids } = this;
    const market = skewed(random.fraction(), size.markets, MARKET_SKEW);
    const step = random.below(3) - 1;
    mids[market] = Math.min(90 * TICK_PIPS, Math.max(10 * TICK_PIPS, mids[market] + step * TICK_PIPS));
    const outcome = random.below(2);
    const pips = outcome === 0 ? mids[market] : complementPips(mids[market]);
    let lots = 0;
    let isBuy = true;
    for (let maker = random.below(2); maker >= 0; maker -= 1) {
      const wallet = this.drawWallet();
      const wanted = 20 + random.below(400);
      const owned = this.heldOf(wallet, market, outcome);
      if (lots === 0) isBuy = owned < 20 || random.chance(0.3);
      if (!isBuy && owned < 20) continue;
      const made = isBuy ? wanted : Math.min(owned, LOTS_MAX);
      this.order({ wallet, market, outcome, side: isBuy ? Side.BUY : Side.SELL, lots: made, pips, orderType: 0 });
      lots += made;
    }
    while (lots > 0) lots -= this.take(market, outcome, isBuy, Math.min(lots, 5 + random.below(300)), pips);
  }

  /**
   * Adds the order of a taker opposite makers that buy (or sell) the outcome: a sale of what it holds, else a new position.
   * Returns the lots taken.
   */
  private take(market: number, outcome: number, isMakerBuying: boolean, wanted: number, pips: number): number {
    const wallet = this.drawWallet();
    const other = 1 - outcome;
    const sold = isMakerBuying ? outcome : other;
    const owned = this.heldOf(wallet, market, sold);
    const isSale = owned > 0;
    const lots = isSale ? Math.min(owned, wanted) : wanted;
    const own = isSale ? sold : 1 - sold;
    this.order({
      ...{ wallet, market, outcome: own, side: isSale ? Side.SELL : Side.BUY, lots },
      ...{ pips: own === outcome ? pips : complementPips(pips), orderType: OrderType.FAK },
    });
    return lots;
  }

  private order({ wallet, market, outcome, side, lots, pips, orderType }: OrderPlan): void {
    const owner = walletOf(wallet);
    const key = (wallet * this.size.markets + market) * 2 + outcome;
    this.held.set(key, (this.held.get(key) ?? 0) + (side === Side.BUY ? lots : -lots));
    this.orderCount += 1;
    const [shares, money] = [lots * MICRO_PER_LOT, lots * pips];
    this.batch.push(
      encodeCommand({
        ...{ type: 'PlaceOrder', orderId: orderIdOf(this.orderCount), keyId: keyOf(wallet), maker: owner, owner },
        ...{ marketIndex: market, outcome, side, orderType, flags: 0, expirationS: 0, timestampMs: this.clock.now() },
        makerAmountMicro: side === Side.BUY ? money : shares,
        takerAmountMicro: side === Side.BUY ? shares : money,
        tail: ORDER_TAIL,
      }),
    );
  }

  /** Resolves some of the less busy markets, which leaves positions to redeem. */
  private resolveSome(): void {
    const { size, batch } = this;
    const first = Math.floor(size.markets * (1 - RESOLVED_SHARE));
    for (let market = first; market < size.markets; market += 1) {
      batch.push(encodeCommand({ type: 'ResolveMarket', marketIndex: market, resolution: market % 3 }));
    }
  }

  private heldOf(wallet: number, market: number, outcome: number): number {
    return this.held.get((wallet * this.size.markets + market) * 2 + outcome) ?? 0;
  }

  private drawWallet(): number {
    return skewed(this.random.fraction(), this.size.wallets, WALLET_SKEW);
  }
}

answerQuestions(async (question) => {
  const { dataDir, size } = parseBuildQuestion(question);
  return new Builder(size).build(dataDir);
});
