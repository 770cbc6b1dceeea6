// Plays one market's rows against the exchange, in order: signed orders and cancels bring levels to their recorded sizes,
// fill-or-kill orders take the prints, and at checkpoints both tokens' books are compared with the recording. Called by
// replayFlow.ts, one player a market. It must never assume a fill: it reads the trades.

import { limits } from '../../../engine/index.ts';
import type { ApiCredentials, ExchangeClient } from './client.ts';
import type { BookSide, LevelRow, PrintRow } from './flowFile.ts';
import type { ReplayMarket } from './markets.ts';
import { isExact, type OrderIntent, type OrderWriter } from './orderWriter.ts';
import { compareBooks, mirrored, RecordedBook } from './recordedBook.ts';
import { type PlacedReply, readBook, readCancelReply, readOrderReplies, readTradeMakers } from './replies.ts';
import { type RestingOrder, RestingOrders } from './restingOrders.ts';
import { Rotation } from './rotation.ts';
import { type PlacedRow, takeStep } from './steps.ts';
import type { Tally } from './tally.ts';
import type { Trader } from './wallets.ts';

/** The context that all players share. */
export interface ReplayContext {
  readonly client: ExchangeClient;
  readonly writer: OrderWriter;
  readonly tally: Tally;
  /** Wallets whose orders rest. */
  readonly makers: readonly Trader[];
  /** Wallets that only take, so that no wallet ever crosses its own order. */
  readonly takers: readonly Trader[];
  readonly isCheckpoint: (index: number) => boolean;
  /** Called with the number of rows just played. */
  readonly onRows: (count: number) => void;
}

/**
 * Most rounds of placing and cancelling to bring a step's levels to their sizes. While the recording is crossed, the other
 * side can consume an order in every round; such a level stays short and is counted.
 */
const ROUNDS_MAX = 6;
/** Whether an order names the second token, in turn: one of four does, so that trades also mint and merge full sets. */
const IS_SECOND_TOKEN = [false, false, false, true] as const;

type Placement = { readonly side: BookSide; readonly pricePips: number; readonly lots: number };

export class MarketPlayer {
  private readonly context: ReplayContext;
  private readonly market: ReplayMarket;
  private readonly rows: readonly PlacedRow[];
  private readonly recorded = new RecordedBook();
  private readonly resting = new RestingOrders();
  private readonly makerTurns: Rotation<Trader>;
  private readonly takerTurns: Rotation<Trader>;
  private readonly orderTokens = new Rotation(IS_SECOND_TOKEN, 0);
  private readonly printTokens = new Rotation(IS_SECOND_TOKEN, 0);

  /** @param turn where the round robin over the wallets starts, so that markets don't move in step */
  constructor(context: ReplayContext, market: ReplayMarket, rows: readonly PlacedRow[], turn: number) {
    this.context = context;
    this.market = market;
    this.rows = rows;
    this.makerTurns = new Rotation(context.makers, turn);
    this.takerTurns = new Rotation(context.takers, turn);
  }

  /** Plays all rows; resolves after the last reply. */
  async play(): Promise<void> {
    let position = 0;
    while (position < this.rows.length) {
      const step = takeStep(this.rows, position, this.resting, this.context.isCheckpoint);
      if (step.kind === 'print') await this.print(step.row);
      else await this.bringLevels(step.rows);
      position += step.rowCount;
      this.context.tally.rows += step.rowCount;
      if (this.context.isCheckpoint(this.rows[position - 1].index)) await this.checkpoint();
      this.context.onRows(step.rowCount);
    }
  }

  /**
   * Brings each row's level to the row's absolute size. A cancel that removed too much, an order that met the other side
   * and a refused order leave a level short (or long); the next round corrects it.
   */
  private async bringLevels(rows: readonly LevelRow[]): Promise<void> {
    const { tally } = this.context;
    const crossing = rows.find((row) => row.levelLots > 0 && this.resting.wouldCross(row.side, row.pricePips));
    if (crossing !== undefined) tally.crossingAdds += 1;
    for (const row of rows) this.recorded.apply(row);
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const placements: Placement[] = [];
      const cancels: RestingOrder[] = [];
      for (const { side, pricePips, levelLots } of rows) {
        const missingLots = levelLots - this.resting.lotsAt(side, pricePips);
        // A level that needs more than the largest order gets the rest in the next round.
        if (missingLots > 0) placements.push({ side, pricePips, lots: Math.min(missingLots, limits.orderLotsMax) });
        if (missingLots < 0) cancels.push(...this.resting.pickForCancel(side, pricePips, -missingLots));
      }
      if (placements.length === 0 && cancels.length === 0) return;
      await Promise.all([this.place(placements), this.cancel(cancels)]);
    }
    const unreached = rows.filter((row) => this.resting.lotsAt(row.side, row.pricePips) !== row.levelLots);
    tally.levelsUnreached += unreached.length;
  }

  /**
   * The next maker without resting orders that these placements would cross: such an order would be cancelled instead of
   * traded with.
   */
  private nextMaker(placements: readonly Placement[]): Trader {
    const crossed = new Set(placements.flatMap((row) => [...this.resting.walletsCrossed(row.side, row.pricePips)]));
    for (let skipped = 0; skipped < this.context.makers.length; skipped += 1) {
      const maker = this.makerTurns.next();
      if (!crossed.has(maker.index)) return maker;
    }
    return this.makerTurns.next();
  }

  /** Sends one wallet's resting orders: a single one to /order, several to /orders. */
  private async place(placements: readonly Placement[]): Promise<void> {
    if (placements.length === 0) return;
    const maker = this.nextMaker(placements);
    const intents = placements.map(
      (placement): OrderIntent => ({ ...placement, isSecondToken: this.orderTokens.next(), orderType: 'GTC' }),
    );
    const replies = await this.send(intents, maker);
    for (const [index, reply] of replies.entries()) {
      if (reply.isAccepted) await this.settle(reply, intents[index], maker);
    }
  }

  /** Records the fills of an accepted order and its resting remainder. */
  private async settle(
    reply: PlacedReply & { readonly isAccepted: true },
    intent: OrderIntent,
    trader: Trader,
  ): Promise<void> {
    await this.applyFills(reply.tradeIds, trader);
    const remainingLots = intent.lots - reply.filledLots;
    if (intent.orderType !== 'GTC' || remainingLots <= 0) return;
    const { side, pricePips } = intent;
    this.resting.add({ id: reply.orderId, wallet: trader.index, side, pricePips, remainingLots });
  }

  /** Signs and sends one wallet's orders and counts the outcomes. */
  private async send(intents: readonly OrderIntent[], trader: Trader): Promise<readonly PlacedReply[]> {
    const { client, writer, tally } = this.context;
    const orders = intents.map((intent) => writer.write(intent, this.market.tokens, trader));
    tally.ordersSent += orders.length;
    tally.secondTokenOrders += intents.filter((intent) => intent.isSecondToken).length;
    // If an answer is lost the client sends again: an order already accepted must then be reported, not refused.
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
        tally.countRejection(placed.sentence);
        continue;
      }
      tally.ordersAccepted += 1;
      tally.wallets.add(trader.index);
    }
    return replies;
  }

  /** Reads an order's trades and deducts their fills from our resting orders. */
  private async applyFills(tradeIds: readonly string[], taker: Trader): Promise<void> {
    const { client, tally } = this.context;
    const { credentials } = taker;
    const paths = tradeIds.map((id) => `/data/trades?id=${encodeURIComponent(id)}`);
    const replies = await Promise.all(paths.map((path) => client.send('GET', path, { credentials })));
    for (const reply of replies) {
      tally.trades += 1;
      for (const maker of readTradeMakers(reply)) {
        if (this.resting.reduce(maker.orderId, maker.lots)) tally.fills += 1;
        else tally.strangersFilled += 1;
      }
    }
  }

  /** Cancels orders, one request a wallet: a single order by /order, several by /orders. */
  private async cancel(orders: readonly RestingOrder[]): Promise<void> {
    const byWallet = new Map<number, string[]>();
    for (const { wallet, id } of orders) {
      const ids = byWallet.get(wallet);
      if (ids === undefined) byWallet.set(wallet, [id]);
      else ids.push(id);
    }
    await Promise.all([...byWallet].map(([wallet, ids]) => this.cancelOf(wallet, ids)));
  }

  private async cancelOf(wallet: number, ids: readonly string[]): Promise<void> {
    const { client, tally } = this.context;
    const credentials = this.credentialsOf(wallet);
    const reply =
      ids.length === 1
        ? await client.send('DELETE', '/order', { body: { orderID: ids[0] }, credentials })
        : await client.send('DELETE', '/orders', { body: ids, credentials });
    const { canceled, refused } = readCancelReply(reply);
    for (const id of canceled) {
      tally.ordersCanceled += 1;
      this.resting.remove(id);
    }
    for (const [id, reason] of refused) {
      // Whatever the reason, the order does not rest as recorded; the next round checks what is left.
      tally.countCancelRefusal(reason);
      this.resting.remove(id);
    }
  }

  private credentialsOf(wallet: number): ApiCredentials {
    // Makers are numbered from 0 in their own list (replayFlow.ts).
    return this.context.makers[wallet].credentials;
  }

  /** Takes the printed size at the printed price, fill-or-kill, with a wallet that never rests. */
  private async print(row: PrintRow): Promise<void> {
    const { tally } = this.context;
    tally.prints += 1;
    if (row.sizeLots === 0) {
      tally.printsBelowLot += 1;
      return;
    }
    const isSecondToken = this.printTokens.next();
    const taker = this.takerTurns.next();
    const { side, pricePips, sizeLots } = row;
    const inTurn: OrderIntent = { side, pricePips, lots: sizeLots, isSecondToken, orderType: 'FOK' };
    // Only a BUY of whole cents can ask for the printed size; selling the other token is equivalent and always exact.
    const intent = isExact(inTurn) ? inTurn : { ...inTurn, isSecondToken: !isSecondToken };
    const [reply] = await this.send([intent], taker);
    if (!reply.isAccepted) {
      if (reply.isKilled) tally.printsUnfillable += 1;
      return;
    }
    tally.printsFilled += 1;
    await this.settle(reply, intent, taker);
  }

  /** Compares both books with the recording, with each other, and with what the replies reported. */
  private async checkpoint(): Promise<void> {
    const { client, tally } = this.context;
    const paths = this.market.tokens.map((token) => `/book?token_id=${token}`);
    const [first, second] = (await Promise.all(paths.map((path) => client.send('GET', path)))).map(readBook);
    tally.checkpoints += 1;
    const forFirst = compareBooks(this.recorded.levels, first);
    const forSecond = compareBooks(mirrored(this.recorded.levels), second);
    tally.levelsCompared += forFirst.all + forSecond.all;
    tally.levelsAgreeing += forFirst.agreeing + forSecond.agreeing;
    const mirror = compareBooks(mirrored(first), second);
    if (mirror.agreeing !== mirror.all) tally.mirrorsBroken += 1;
    const explained = compareBooks(this.resting.levels, first);
    tally.levelsUnexplained += explained.all - explained.agreeing;
  }
}
