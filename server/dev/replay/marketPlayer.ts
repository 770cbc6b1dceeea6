// Plays one market's rows against the exchange, in their order: levels are brought to their recorded sizes by signed
// orders and cancels, prints are taken by fill-or-kill orders, and at checkpoints both tokens' books are compared with
// the recording. Called by replayFlow.ts, one player a market. It must never assume a fill: it reads trades.

import type { ApiCredentials, ExchangeClient } from './client.ts';
import type { BookSide, LevelRow, PrintRow } from './flowFile.ts';
import type { ReplayMarket } from './markets.ts';
import { isExact, type OrderIntent, type OrderWriter } from './orderWriter.ts';
import { compareBooks, mirrored, RecordedBook } from './recordedBook.ts';
import { type PlacedReply, readBook, readCancelReply, readOrderReplies, readTradeMakers } from './replies.ts';
import { type RestingOrder, RestingOrders } from './restingOrders.ts';
import { type PlacedRow, takeStep } from './steps.ts';
import type { Tally } from './tally.ts';
import type { Trader } from './wallets.ts';

/** What all players share. */
export interface Stage {
  readonly client: ExchangeClient;
  readonly writer: OrderWriter;
  readonly tally: Tally;
  /** Wallets whose orders rest. */
  readonly makers: readonly Trader[];
  /** Wallets that only take, so that no wallet ever meets its own order. */
  readonly takers: readonly Trader[];
  readonly isCheckpoint: (index: number) => boolean;
  /** Told of every so many rows played. */
  readonly onRows: (count: number) => void;
}

/**
 * Rounds of placing and cancelling by which a step's levels should be at their sizes. Where the recording is crossed for
 * a while, what stands on the other side can eat an order in every round: such a level stays short and is counted.
 */
const ROUNDS_MAX = 6;
/** Largest order, lots; what a level lacks beyond it comes with the next round. */
const ORDER_LOTS_MAX = 1_000_000_000;
/** Of so many orders, one names the second token, so that trades also make and merge full sets. */
const SECOND_TOKEN_EVERY = 4;

type Placement = { readonly side: BookSide; readonly pricePips: number; readonly lots: number };

export class MarketPlayer {
  readonly #stage: Stage;
  readonly #market: ReplayMarket;
  readonly #rows: readonly PlacedRow[];
  readonly #recorded = new RecordedBook();
  readonly #resting = new RestingOrders();
  #makerTurn: number;
  #takerTurn: number;
  #orderTurn = 0;
  #printTurn = 0;

  /** @param turn where the round robin over the wallets begins, so that markets don't go in step */
  constructor(stage: Stage, market: ReplayMarket, rows: readonly PlacedRow[], turn: number) {
    this.#stage = stage;
    this.#market = market;
    this.#rows = rows;
    this.#makerTurn = turn;
    this.#takerTurn = turn;
  }

  /** Plays all rows; resolves after the last reply. */
  async play(): Promise<void> {
    let position = 0;
    while (position < this.#rows.length) {
      const step = takeStep(this.#rows, position, this.#resting, this.#stage.isCheckpoint);
      if (step.kind === 'print') await this.#print(step.row);
      else await this.#bringLevels(step.rows);
      position += step.rowCount;
      this.#stage.tally.rows += step.rowCount;
      if (this.#stage.isCheckpoint(this.#rows[position - 1].index)) await this.#checkpoint();
      this.#stage.onRows(step.rowCount);
    }
  }

  /**
   * Brings each row's level to the row's absolute size. A cancel that took too much, an order that met the other side
   * and one that was refused leave a level short (or long), which the next round mends.
   */
  async #bringLevels(rows: readonly LevelRow[]): Promise<void> {
    const { tally } = this.#stage;
    const crossing = rows.find((row) => row.levelLots > 0 && this.#resting.wouldCross(row.side, row.pricePips));
    if (crossing !== undefined) tally.crossingAdds++;
    for (const row of rows) this.#recorded.apply(row);
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const placements: Placement[] = [];
      const cancels: RestingOrder[] = [];
      for (const { side, pricePips, levelLots } of rows) {
        const missingLots = levelLots - this.#resting.lotsAt(side, pricePips);
        if (missingLots > 0) placements.push({ side, pricePips, lots: Math.min(missingLots, ORDER_LOTS_MAX) });
        if (missingLots < 0) cancels.push(...this.#resting.pickForCancel(side, pricePips, -missingLots));
      }
      if (placements.length === 0 && cancels.length === 0) return;
      await Promise.all([this.#place(placements), this.#cancel(cancels)]);
    }
    const unreached = rows.filter((row) => this.#resting.lotsAt(row.side, row.pricePips) !== row.levelLots);
    tally.levelsUnreached += unreached.length;
  }

  /** The next maker that has no order which these would cross: its order would be cancelled instead of traded with. */
  #nextMaker(placements: readonly Placement[]): Trader {
    const { makers } = this.#stage;
    const crossed = new Set(placements.flatMap((row) => [...this.#resting.walletsCrossed(row.side, row.pricePips)]));
    for (let skipped = 0; skipped < makers.length; skipped++) {
      const maker = makers[this.#makerTurn++ % makers.length];
      if (!crossed.has(maker.index)) return maker;
    }
    return makers[this.#makerTurn++ % makers.length];
  }

  /** Sends resting orders of one wallet: one alone to /order, several to /orders. */
  async #place(placements: readonly Placement[]): Promise<void> {
    if (placements.length === 0) return;
    const maker = this.#nextMaker(placements);
    const intents = placements.map((placement): OrderIntent => {
      const isSecondToken = this.#orderTurn++ % SECOND_TOKEN_EVERY === SECOND_TOKEN_EVERY - 1;
      return { ...placement, isSecondToken, orderType: 'GTC' };
    });
    const replies = await this.#send(intents, maker);
    for (const [index, reply] of replies.entries()) {
      if (reply.isAccepted) await this.#settle(reply, intents[index], maker);
    }
  }

  /** Takes what an accepted order took, and what of it rests. */
  async #settle(
    reply: PlacedReply & { readonly isAccepted: true },
    intent: OrderIntent,
    trader: Trader,
  ): Promise<void> {
    await this.#learnFills(reply.tradeIds, trader);
    const remainingLots = intent.lots - reply.filledLots;
    if (intent.orderType !== 'GTC' || remainingLots <= 0) return;
    const { side, pricePips } = intent;
    this.#resting.add({ id: reply.orderId, wallet: trader.index, side, pricePips, remainingLots });
  }

  /** Signs and sends orders of one wallet and counts what became of them. */
  async #send(intents: readonly OrderIntent[], trader: Trader): Promise<readonly PlacedReply[]> {
    const { client, writer, tally } = this.#stage;
    const orders = intents.map((intent) => writer.write(intent, this.#market.tokens, trader));
    tally.ordersSent += orders.length;
    tally.secondTokenOrders += intents.filter((intent) => intent.isSecondToken).length;
    // Where an answer is lost the client sends again: what was taken then is to be told, not refused.
    const details = { credentials: trader.credentials, headers: { idempotent: '1' } };
    const reply =
      orders.length === 1
        ? await client.send('POST', '/order', { body: orders[0], ...details })
        : await client.send('POST', '/orders', { body: orders, ...details });
    const replies = readOrderReplies(
      reply,
      intents.map((intent) => (intent.side === 'B') !== intent.isSecondToken),
    );
    for (const placed of replies) {
      if (!placed.isAccepted) {
        tally.reject(placed.sentence);
        continue;
      }
      tally.ordersAccepted++;
      tally.wallets.add(trader.index);
    }
    return replies;
  }

  /** Reads the trades that an order made and takes their fills off our resting orders. */
  async #learnFills(tradeIds: readonly string[], taker: Trader): Promise<void> {
    const { client, tally } = this.#stage;
    const { credentials } = taker;
    const paths = tradeIds.map((id) => `/data/trades?id=${encodeURIComponent(id)}`);
    const replies = await Promise.all(paths.map((path) => client.send('GET', path, { credentials })));
    for (const reply of replies) {
      tally.trades++;
      for (const maker of readTradeMakers(reply)) {
        if (this.#resting.reduce(maker.orderId, maker.lots)) tally.fills++;
        else tally.strangersFilled++;
      }
    }
  }

  /** Cancels orders, one request a wallet: one order by /order, several by /orders. */
  async #cancel(orders: readonly RestingOrder[]): Promise<void> {
    const byWallet = new Map<number, string[]>();
    for (const { wallet, id } of orders) {
      const ids = byWallet.get(wallet);
      if (ids === undefined) byWallet.set(wallet, [id]);
      else ids.push(id);
    }
    await Promise.all([...byWallet].map(([wallet, ids]) => this.#cancelOf(wallet, ids)));
  }

  async #cancelOf(wallet: number, ids: readonly string[]): Promise<void> {
    const { client, tally } = this.#stage;
    const credentials = this.#credentialsOf(wallet);
    const reply =
      ids.length === 1
        ? await client.send('DELETE', '/order', { body: { orderID: ids[0] }, credentials })
        : await client.send('DELETE', '/orders', { body: ids, credentials });
    const { canceled, refused } = readCancelReply(reply);
    for (const id of canceled) {
      tally.ordersCanceled++;
      this.#resting.remove(id);
    }
    for (const [id, reason] of refused) {
      // Whatever the reason, such an order does not rest as we thought; the next round looks at what is left.
      tally.refuseCancel(reason);
      this.#resting.remove(id);
    }
  }

  #credentialsOf(wallet: number): ApiCredentials {
    // Makers are numbered from 0 in their own list (replayFlow.ts).
    return this.#stage.makers[wallet].credentials;
  }

  /** Takes the printed size at the printed price, all of it or nothing, from a wallet that never rests. */
  async #print(row: PrintRow): Promise<void> {
    const { takers, tally } = this.#stage;
    tally.prints++;
    if (row.sizeLots === 0) {
      tally.printsBelowLot++;
      return;
    }
    const isSecondTurn = this.#printTurn++ % SECOND_TOKEN_EVERY === SECOND_TOKEN_EVERY - 1;
    const taker = takers[this.#takerTurn++ % takers.length];
    const { side, pricePips, sizeLots } = row;
    const turn: OrderIntent = { side, pricePips, lots: sizeLots, isSecondToken: isSecondTurn, orderType: 'FOK' };
    // A BUY of whole cents alone can ask for the printed size; selling the other token is the same, and always exact.
    const intent = isExact(turn) ? turn : { ...turn, isSecondToken: !isSecondTurn };
    const [reply] = await this.#send([intent], taker);
    if (!reply.isAccepted) {
      if (reply.isKilled) tally.printsUnfillable++;
      return;
    }
    tally.printsFilled++;
    await this.#settle(reply, intent, taker);
  }

  /** Compares both books with the recording, with each other, and with what replies told. */
  async #checkpoint(): Promise<void> {
    const { client, tally } = this.#stage;
    const paths = this.#market.tokens.map((token) => `/book?token_id=${token}`);
    const [first, second] = (await Promise.all(paths.map((path) => client.send('GET', path)))).map(readBook);
    tally.checkpoints++;
    const forFirst = compareBooks(this.#recorded.levels, first);
    const forSecond = compareBooks(mirrored(this.#recorded.levels), second);
    tally.levelsCompared += forFirst.all + forSecond.all;
    tally.levelsAgreeing += forFirst.agreeing + forSecond.agreeing;
    const mirror = compareBooks(mirrored(first), second);
    if (mirror.agreeing !== mirror.all) tally.mirrorsBroken++;
    const explained = compareBooks(this.#resting.levels, first);
    tally.levelsUnexplained += explained.all - explained.agreeing;
  }
}
