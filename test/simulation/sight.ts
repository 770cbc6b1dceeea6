// What the actors of a simulation see of the exchange: views and clock, as a client would, plus the random numbers of the
// seed and the list of actors. Made by flow.ts, read by the actors.
import { ApiKeyKind, type CommandOf, OrderType, Side } from '../../engine/index.ts';
import type { Views } from '../../server/views/index.ts';
import { beatOf, indexOfOwner, keyOf, orderIdOf } from '../model/names.ts';
import { type Actor, makeActors } from '../model/profile.ts';
import type { Random } from '../model/random.ts';
import { tailOf } from '../support/commandParts.ts';

/** An order that was sent, whatever its outcome. */
interface SentOrder {
  readonly id: string;
  readonly actor: Actor;
  readonly marketIndex: number;
  readonly timestampMs: number;
}

interface OrderPlan {
  readonly actor: Actor;
  readonly marketIndex: number;
  readonly outcome: number;
  readonly side: number;
  readonly lots: number;
  readonly pips: number;
  readonly orderType?: number;
  readonly flags?: number;
  readonly expirationS?: number;
  /** For a FOK or FAK BUY: the budget in micro; by default what the lots cost at the price. */
  readonly budgetMicro?: number;
}

const SENT_KEPT = 256;
/** One order in this many has a tail with a builder's code: tails cost time. */
const ORDERS_A_BUILDER = 25;
/** The last code means none. */
const builderTails = ['a1', 'b2', 'b3', '00'].map((byte) =>
  tailOf({ signatureType: 0, builder: `0x${byte.repeat(32)}` }),
);

/** Ids by label: every seed uses the same ones, and making one costs as much as an order. */
const ids: string[] = [];

function idOf(label: number): string {
  ids[label] ??= orderIdOf(label);
  return ids[label];
}

export class Sight {
  readonly random: Random;
  readonly actors: Actor[];
  views: Views;
  nowMs = 0;
  /** The centre of each market's prices in pips of the first token, by market index. */
  readonly centres: number[] = [];
  private readonly sent: SentOrder[] = [];
  private sentCount = 0;
  private labelCount = 0;
  private beatCount = 0;
  /** Keys 0 and 1 are those that an actor has from the start. */
  private keyCount = 1;

  constructor(random: Random, views: Views, ownerCount: number, walletCount: number) {
    this.random = random;
    this.views = views;
    this.actors = makeActors(ownerCount, walletCount);
  }

  /** An actor. One whose key was deleted goes on with another, if its owner has one. */
  actor(): Actor {
    const { actors, views } = this;
    const at = this.random.int(0, actors.length - 1);
    const { owner, wallet, keys } = actors[at];
    if (views.keys.byId(keys[0])?.isActive === false) {
      const [next] = views.keys.activeOf(owner, ApiKeyKind.TRADING);
      if (next !== undefined) actors[at] = { owner, wallet, keys: [next.keyId, keys[1]] };
    }
    return actors[at];
  }

  /** A key id that no other key of the seed has. */
  newKey(owner: string): string {
    this.keyCount += 1;
    return keyOf(indexOfOwner(owner), this.keyCount);
  }

  /** A market that takes orders, if one is found quickly; else any. */
  market(): number {
    const { random, views } = this;
    const markets = views.markets.list();
    for (let tries = 0; tries < 6; tries += 1) {
      const index = random.int(0, markets.length - 1);
      if (markets[index].status === 1) return index;
    }
    return Math.max(0, markets.length - 1);
  }

  /** Any market, whatever its status. */
  anyMarket(): number {
    return this.random.int(0, Math.max(0, this.views.markets.list().length - 1));
  }

  tick(marketIndex: number): number {
    return this.views.markets.byIndex(marketIndex)?.terms.tickPips ?? 100;
  }

  centre(marketIndex: number): number {
    return this.centres[marketIndex] ?? 5_000;
  }

  /** The price `ticks` ticks above the market's centre, in pips of the first token, clamped to the ladder. */
  price(marketIndex: number, ticks: number): number {
    const tick = this.tick(marketIndex);
    const at = Math.round(this.centre(marketIndex) / tick) + ticks;
    return Math.min(Math.max(at, 1), 10_000 / tick - 1) * tick;
  }

  money(actor: Actor): number {
    return this.views.accounts.byWallet(actor.wallet)?.collateralMicro ?? 0;
  }

  shares(actor: Actor, marketIndex: number, outcome: number): number {
    const account = this.views.accounts.byWallet(actor.wallet);
    return account?.sharesMicro.get(marketIndex * 2 + outcome) ?? 0;
  }

  /** An order with amounts that fit its price; it is remembered as sent. */
  order(plan: OrderPlan): CommandOf<'PlaceOrder'> {
    const { actor, marketIndex, outcome, side, lots, pips, orderType = OrderType.GTC, flags = 0 } = plan;
    this.labelCount += 1;
    const money = lots * pips;
    const shares = lots * 10_000;
    const isBuy = side === Side.BUY;
    const budget = plan.budgetMicro ?? money;
    const orderId = idOf(this.labelCount);
    const timestampMs = this.nowMs;
    this.remember({ id: orderId, actor, marketIndex, timestampMs });
    const hasBuilder = this.labelCount % ORDERS_A_BUILDER === 0;
    return {
      type: 'PlaceOrder',
      orderId,
      keyId: actor.keys[0],
      maker: actor.wallet,
      owner: actor.owner,
      marketIndex,
      outcome,
      side,
      orderType,
      flags,
      makerAmountMicro: isBuy ? budget : shares,
      takerAmountMicro: isBuy ? (budget === money ? shares : Math.floor((budget * 10_000) / pips)) : money,
      timestampMs,
      expirationS: plan.expirationS ?? 0,
      ...(hasBuilder ? { tail: this.random.pick(builderTails) } : undefined),
    };
  }

  /**
   * An order that was just made, signed at another time. The id is a digest over that time, so the time is remembered with
   * it: sending the order again sends the same time.
   */
  signedAt(order: CommandOf<'PlaceOrder'>, timestampMs: number): CommandOf<'PlaceOrder'> {
    const at = this.sent.findIndex(({ id }) => id === order.orderId);
    if (at >= 0) this.sent[at] = { ...this.sent[at], timestampMs };
    return { ...order, timestampMs };
  }

  /** One of the orders sent recently. */
  recent(): SentOrder | undefined {
    return this.sent.length === 0 ? undefined : this.random.pick(this.sent);
  }

  cancel({ id, actor }: SentOrder): CommandOf<'CancelOrders'> {
    return { type: 'CancelOrders', owner: actor.owner, keyId: actor.keys[0], items: [id] };
  }

  /** A heartbeat id that no other heartbeat of the seed has. */
  newBeat(): string {
    this.beatCount += 1;
    return beatOf(this.beatCount);
  }

  private remember(order: SentOrder): void {
    if (this.sent.length < SENT_KEPT) this.sent.push(order);
    else this.sent[this.sentCount % SENT_KEPT] = order;
    this.sentCount += 1;
  }
}
