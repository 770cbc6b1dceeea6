// An exchange in memory with views behind it and a virtual clock, for tests of replies: markets, owners with money and
// keys, orders in whole shares. Used by the tests of wire/; everything goes through the real engine.
import { expect } from 'vitest';
import {
  type Command,
  encodeCommand,
  type LogRecord,
  marketDefaults,
  OrderType,
  openExchange,
  Side,
  VirtualClock,
} from '../../engine/index.ts';
import { type Market, Views } from '../../server/views/index.ts';
import { ownerCommands } from '../support/commands.ts';
import { orderIdOf, wordOf } from '../support/hex.ts';
import { PLAIN_SETTINGS } from '../support/plainSettings.ts';
import { PLAIN_TERMS } from '../support/plainTerms.ts';

export const T0 = 1_700_000_000_000;

/** An owner who trades from its own address. */
export interface Owner {
  readonly address: string;
  readonly keyId: string;
}

/** The optional properties of a test's order, besides price and size. */
interface OrderChoice {
  readonly market?: number;
  readonly outcome?: 0 | 1;
  readonly side?: Side;
  readonly orderType?: OrderType;
}

export class ViewsWorld {
  readonly views: Views;
  readonly clock: VirtualClock;
  private readonly send: (command: Command) => Promise<LogRecord>;
  readonly close: () => Promise<void>;
  private orderCount = 0;
  private ownerCount = 0;

  private constructor(views: Views, clock: VirtualClock, send: ViewsWorld['send'], close: () => Promise<void>) {
    this.views = views;
    this.clock = clock;
    this.send = send;
    this.close = close;
  }

  static async open(): Promise<ViewsWorld> {
    const views = new Views();
    const clock = new VirtualClock(T0);
    const options = { dataDir: undefined, clock, settings: PLAIN_SETTINGS, followers: views.followers() };
    const exchange = await openExchange(options);
    return new ViewsWorld(
      views,
      clock,
      (command) => exchange.submit(encodeCommand(command)),
      () => exchange.close(),
    );
  }

  /** Submits a command that must not be refused. */
  async submit(command: Command): Promise<LogRecord> {
    const record = await this.send(command);
    expect(record.events.find(({ type }) => type === 'Rejected')).toBeUndefined();
    return record;
  }

  async market(texts: object = {}, terms: Partial<{ [name: string]: number }> = {}): Promise<Market> {
    const index = this.views.markets.list().length;
    await this.submit({
      type: 'CreateMarket',
      eventNumber: 0,
      conditionId: wordOf(0xc0de + index),
      firstToken: wordOf(2 * index + 1_000),
      secondToken: wordOf(2 * index + 1_001),
      ...PLAIN_TERMS,
      ...marketDefaults,
      ...terms,
      tail: Buffer.from(JSON.stringify({ slug: `market-${index}`, question: `Market ${index}?`, ...texts })),
    });
    return this.views.markets.byIndex(index)!;
  }

  /** A new owner with a key and money. */
  async owner(): Promise<Owner> {
    this.ownerCount += 1;
    const address = `0x${this.ownerCount.toString(16).padStart(40, 'a')}`;
    const keyId = `0x${this.ownerCount.toString(16).padStart(32, 'b')}`;
    for (const command of ownerCommands({ owner: address, keyId })) await this.submit(command);
    return { address, keyId };
  }

  /** Places an order and returns its id. */
  async place({ address, keyId }: Owner, pips: number, shares: number, choice: OrderChoice = {}): Promise<string> {
    this.orderCount += 1;
    const orderId = orderIdOf(this.orderCount);
    const { side = Side.BUY, orderType = OrderType.GTC } = choice;
    const [money, size] = [shares * 100 * pips, shares * 1_000_000];
    await this.submit({
      type: 'PlaceOrder',
      orderId,
      keyId,
      maker: address,
      owner: address,
      marketIndex: choice.market ?? 0,
      outcome: choice.outcome ?? 0,
      side,
      orderType,
      flags: 0,
      makerAmountMicro: side === Side.BUY ? money : size,
      takerAmountMicro: side === Side.BUY ? size : money,
      timestampMs: this.clock.now(),
      expirationS: 0,
    });
    return orderId;
  }

  async cancel({ address, keyId }: Owner, ...items: string[]): Promise<void> {
    await this.submit({ type: 'CancelOrders', owner: address, keyId, items });
  }
}
