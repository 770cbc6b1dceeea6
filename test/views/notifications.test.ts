// Notifications are packed: each reads as a plain list has it, whatever was dropped meanwhile and after a snapshot too, and keeps
// neither its trade nor an order alive, however many owners there are.
import { deserialize, serialize } from 'node:v8';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { collectGarbage } from '../../bench/lib/collectGarbage.ts';
import {
  CancelReason,
  FillKind,
  limits,
  notificationItem,
  OrderType,
  rejections,
  Side,
  SnapshotUnusable,
  TradeStatus,
} from '../../engine/index.ts';
import type { FreshTrade, Notice, Order } from '../../server/views/index.ts';
import { NotificationsView, Views } from '../../server/views/index.ts';
import { TradeNumbers } from '../../server/views/tradeNumbers.ts';
import { KeptSections } from '../support/keptSections.ts';

const hex = (value: number, digits: number): string => `0x${value.toString(16).padStart(digits, '0')}`;
const ownerOf = (person: number): string => hex(person + 1, 40);
const OWNERS = 4;

interface Terms {
  readonly person: number;
  readonly outcome: number;
  readonly side: Side;
  readonly orderType: OrderType;
  readonly pricePips: number;
  readonly originalLots: number;
  readonly filledLots: number;
  readonly restingLots: number;
}

let orders = 0;

/** The next order, with these terms. */
function orderOf({ person, ...terms }: Terms, marketIndex: number): Order {
  orders += 1;
  return {
    orderNumber: orders,
    id: `0x${(BigInt(orders) * 0xfedc_ba98_7654_3210_fedc_ba98_7654_3211n).toString(16).padStart(64, 'f')}`,
    owner: ownerOf(person),
    maker: hex(person + 0x1000, 40),
    keyId: hex(person + 0xf000_0000, 32),
    ...{ accountId: person, marketIndex, ...terms, expirationS: 0, createdMs: 1, status: 'MATCHED' },
    ...{ cancelReason: undefined, trades: new TradeNumbers(), wasDelayed: false, signatureType: 0, builder: '' },
  } as const;
}

const u32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const pips = fc.integer({ min: 1, max: 9_999 });
const marketIndex = fc.nat(limits.marketsMax - 1);
const person = fc.nat(OWNERS - 1);
const terms: fc.Arbitrary<Terms> = fc.record({
  person,
  outcome: fc.nat(1),
  side: fc.constantFrom(Side.BUY, Side.SELL),
  orderType: fc.constantFrom(...Object.values(OrderType)),
  pricePips: pips,
  originalLots: u32,
  filledLots: fc.maxSafeNat(),
  restingLots: u32,
});
const happening = fc.oneof(
  fc.record({
    kind: fc.constant('canceled'),
    order: terms,
    marketIndex,
    reason: fc.constantFrom(...Object.values(CancelReason)),
  }),
  fc.record({
    kind: fc.constant('traded'),
    taker: terms,
    makers: fc.array(fc.record({ order: terms, lots: u32, pricePips: pips }), { minLength: 1, maxLength: 4 }),
    ...{ marketIndex, tradeNumber: fc.maxSafeNat(), lots: u32, pricePips: pips },
  }),
  fc.record({
    kind: fc.constant('resolved'),
    ...{ marketIndex, person, outcome: fc.nat(1), sharesMicro: fc.maxSafeNat() },
  }),
  fc.record({ kind: fc.constant('dropped'), person, ages: fc.array(fc.nat(600), { maxLength: 8 }) }),
);
type Happening = typeof happening extends fc.Arbitrary<infer Drawn> ? Drawn : never;

/** The view as loaded from a snapshot of this one, with some of its values changed. */
function reloaded(view: NotificationsView, changes: Readonly<Record<string, unknown>> = {}): NotificationsView {
  const values = new Map<string, unknown>();
  view.visit(new KeptSections(values, false));
  const loaded = new NotificationsView();
  loaded.visit(new KeptSections(new Map([...values, ...Object.entries(changes)]), true));
  return loaded;
}

type Text = Readonly<Record<string, unknown>>;

/** What a notification states, as plain fields. */
function factsOf(notice: Notice): Text {
  if (notice.kind === 'resolved') return { ...notice };
  const { id, keyId, marketIndex: market, outcome, side, orderType, originalLots } = notice.order;
  const order = { id, keyId, market, outcome, side, orderType, originalLots };
  if (notice.kind === 'filled') {
    return { ...notice, order };
  }
  return { ...notice, order: { ...order, pricePips: notice.order.pricePips, filledLots: notice.order.filledLots } };
}

/** A view beside plain lists of what it was told. */
class World {
  view = new NotificationsView();
  private readonly told: Notice[][] = Array.from({ length: OWNERS }, () => []);
  private readonly dropped = Array.from({ length: OWNERS }, () => new Set<number>());
  private tMs = 1_700_000_000_000;

  take(happening: Happening): void {
    this.tMs += 3;
    const { view, tMs } = this;
    switch (happening.kind) {
      case 'canceled': {
        const order = orderOf(happening.order, happening.marketIndex);
        view.canceled(order, happening.reason, tMs);
        if (happening.reason === CancelReason.REQUESTED) return;
        this.tell(happening.order.person, (numbered) => {
          return { kind: 'canceled', ...numbered, order, reason: happening.reason };
        });
        return;
      }
      case 'traded':
        this.traded(happening);
        return;
      case 'resolved': {
        const { person, ...facts } = happening;
        view.resolved(facts.marketIndex, ownerOf(person), facts.outcome, facts.sharesMicro, tMs);
        this.tell(person, (numbered) => ({ ...facts, ...numbered }));
        return;
      }
      case 'dropped': {
        const last = this.told[happening.person].length;
        const numbers = happening.ages.map((age) => last - age).filter((number) => number > 0);
        for (const number of numbers) this.dropped[happening.person].add(number);
        const keyId = hex(1, 32);
        const items = [...numbers, last + 1].map(notificationItem);
        view.dropped({ type: 'DropNotifications', owner: ownerOf(happening.person), keyId, items });
      }
    }
  }

  /** Compares what each owner is shown with the lists. Returns how many notifications that is. */
  compare(view = this.view): number {
    let count = 0;
    for (const [person, told] of this.told.entries()) {
      const kept = told.slice(-limits.notificationIdsMax);
      const due = kept.filter(({ number }) => !this.dropped[person].has(number));
      expect(view.of(ownerOf(person)).map(factsOf)).toEqual(due.map(factsOf));
      count += due.length;
    }
    return count;
  }

  private traded(happening: Extract<Happening, { kind: 'traded' }>): void {
    const { marketIndex: market, tradeNumber, lots, pricePips } = happening;
    const taker = orderOf(happening.taker, market);
    const makers = happening.makers.map(({ order, ...part }) => {
      return { ...part, order: orderOf(order, market), kind: FillKind.COMPLEMENTARY };
    });
    const trade: FreshTrade = {
      ...{ ordinal: 1, marketIndex: market, tradeNumber, taker, pricePips, lots, feeMicro: 0, makers },
      ...{ bucketIndex: 0, status: TradeStatus.MATCHED, matchMs: this.tMs, updatedMs: this.tMs },
    };
    this.view.traded(trade, this.tMs);
    const remainingLots = Math.max(taker.originalLots - taker.filledLots, 0);
    this.tell(happening.taker.person, (numbered) => {
      return { kind: 'filled', ...numbered, order: taker, tradeNumber, lots, pricePips, remainingLots };
    });
    for (const [index, { order, ...part }] of makers.entries()) {
      this.tell(happening.makers[index].order.person, (numbered) => {
        const figures = { lots: part.lots, pricePips: part.pricePips, remainingLots: order.restingLots };
        return { kind: 'filled', ...numbered, order, tradeNumber, ...figures };
      });
    }
  }

  private tell(person: number, notice: (numbered: { number: number; tMs: number }) => Notice): void {
    this.told[person].push(notice({ number: this.told[person].length + 1, tMs: this.tMs }));
  }
}

test('notifications keep every field, are dropped and age out, also after a snapshot', () => {
  const world = new World();
  for (const [index, one] of fc.sample(happening, { numRuns: 6_000, seed: 21 }).entries()) {
    world.take(one);
    if (index % 500 === 250) world.view = reloaded(world.view);
    if (index % 200 === 0) world.compare();
  }
  expect(world.compare()).toBeGreaterThan(1_400);
});

test('loading inconsistent notifications throws SnapshotUnusable', () => {
  const world = new World();
  for (const one of fc.sample(happening, { numRuns: 5_000, seed: 22 })) world.take(one);
  const sound = new Map<string, unknown>();
  world.view.visit(new KeptSections(sound, false));
  const chunk = sound.get('chunk 0') as Uint8Array; // as written under this name
  const count = sound.get('count') as number; // likewise
  const byOwner = deserialize(sound.get('byOwner') as Uint8Array) as ReadonlyMap<string, object>; // likewise
  const [[first, box], [second, other]] = byOwner;
  const boxesWith = (change: object) => ({ byOwner: serialize(new Map([...byOwner, [first, { ...box, ...change }]])) });
  const withNext = (next: number) => {
    const bytes = chunk.slice();
    new DataView(bytes.buffer).setUint32(0, next, true);
    return { 'chunk 0': bytes };
  };
  expect(count).toBe(OWNERS * limits.notificationIdsMax);
  world.compare(reloaded(world.view));
  const damaged: readonly Readonly<Record<string, unknown>>[] = [
    ...[-1, 0, 0.5, count - 1, count + 1, NaN, Infinity].map((one) => ({ count: one })),
    ...[0, chunk.length - 1, chunk.length + 1].map((length) => ({ 'chunk 0': new Uint8Array(length) })),
    ...[0, count - 1, count, 2 ** 32 - 1].map(withNext),
    ...[-1, 0, 1, 499, 0.5, NaN].map((lastNumber) => boxesWith({ lastNumber })),
    ...[-1, 0.5, count, NaN, undefined].map((newest) => boxesWith({ newest })),
    boxesWith(other),
    { byOwner: serialize(new Map([...byOwner].filter(([owner]) => owner !== second))) },
  ];
  for (const [index, changes] of damaged.entries()) {
    const name = `${index}: ${Object.keys(changes)}`;
    expect(() => reloaded(world.view, changes), name).toThrow(SnapshotUnusable);
  }
});

test('notifications keep neither their trades nor their orders alive, of many owners neither', async () => {
  const view = new NotificationsView();
  const held: WeakRef<object>[] = [];
  const terms = { outcome: 0, orderType: OrderType.GTC, pricePips: 5_000, originalLots: 10, filledLots: 10 } as const;
  const orderBy = (person: number, side: Side): Order => orderOf({ person, side, restingLots: 0, ...terms }, 0);
  for (let count = 0; count < 2_000; count += 1) {
    const taker = orderBy(count % 20, Side.BUY);
    const maker = orderBy((count + 1) % 20, Side.SELL);
    const ended = orderBy(count % 20, Side.BUY);
    const makers = [{ order: maker, lots: 10, pricePips: 5_000, kind: FillKind.COMPLEMENTARY }];
    const trade: FreshTrade = {
      ...{ ordinal: count + 1, marketIndex: 0, tradeNumber: count + 1, taker, pricePips: 5_000, lots: 10, feeMicro: 0 },
      ...{ makers, bucketIndex: 0, status: TradeStatus.MATCHED, matchMs: count, updatedMs: count },
    };
    view.traded(trade, count);
    view.canceled(ended, CancelReason.EXPIRED, count);
    if (count < 1_900) held.push(new WeakRef(trade), new WeakRef(taker), new WeakRef(maker), new WeakRef(ended));
  }
  // A WeakRef's target that was created or dereferenced in a turn stays alive until that turn is over.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(held.filter((ref) => ref.deref() !== undefined)).toHaveLength(0);
  for (let person = 0; person < 20; person += 1) expect(view.of(ownerOf(person))).toHaveLength(300);
});

test('notifications that a refused request names stay', () => {
  const views = new Views();
  const [follower] = views.followers();
  views.notifications.resolved(0, ownerOf(0), 1, 5, 1_000);
  const command = {
    type: 'DropNotifications',
    owner: ownerOf(0),
    keyId: hex(1, 32),
    items: [notificationItem(1)],
  } as const;
  const refusal = { type: 'Rejected', code: rejections.KEY_UNKNOWN.code, a: 0, b: 0, c: 0 } as const;
  follower.apply({ sequence: 1, tMs: 2_000, command, events: [refusal] });
  expect(views.notifications.of(ownerOf(0))).toHaveLength(1);
  follower.apply({ sequence: 2, tMs: 3_000, command, events: [] });
  expect(views.notifications.of(ownerOf(0))).toEqual([]);
});
