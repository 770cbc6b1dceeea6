// Questions that no trace of commands can ask: what a core does at limits that a trace cannot reach, when a snapshot is taken in
// the middle of a command, with an order behind other bytes in its message, and with ids that share bits as digests never do.
// traces.ts records the answers of the unchanged core; the killer compares a mutant's with them.
import { SLICE_MS } from '../../engine/core/idWindow.ts';
import { Exchange } from '../../engine/core/index.ts';
import {
  type Command,
  EventWriter,
  encodeCommand,
  limits,
  Message,
  OrderType,
  Side,
} from '../../engine/protocol/index.ts';
import { orderIdOf, TIME_ZERO_MS } from '../model/names.ts';
import { KeptSections } from '../support/keptSections.ts';
import { answerOrError } from './answerOrError.ts';
import {
  addressOf,
  createMarket,
  fund,
  keyOf,
  ORDERS,
  OWNERS,
  offer,
  priced,
  split,
  start,
  type Take,
} from './offers.ts';

const [SELLER, BUYER, NEWCOMER] = [OWNERS + 400, OWNERS + 401, OWNERS + 402];
const FIRST_ORDER = ORDERS + 12_000;
const FUNDS_MICRO = 100_000_000;
const T_MS = TIME_ZERO_MS;
/** Byte offset of an order in a longer message, and of the timestamp in the order. */
const ORDER_AT = 128;
const TIME_AT = 120;
/** Index of the first digit of an id's third word, after its 0x. */
const THIRD_WORD_AT = 18;
/** Accounts with as many positions as make their table grow twice. */
const GROWING = Array.from({ length: 600 }, (_, index) => 20 + index);
/** Accounts without a position, so many that each list of positions is searched for one of them, to its end. */
const UNKNOWN = Array.from({ length: 20_000 }, (_, index) => 1_000 + index);
const SLICES_AN_HOUR = 3_600_000 / SLICE_MS;
/** Words of an order's record, and which of them is the low half of its number. */
const RECORD_WORDS = 16;
const NUMBER_WORD = 10;

/**
 * Two owners hold shares of one market; one of them offers all of its shares. Of two more markets the first is resolved 50/50 and
 * fully redeemed.
 */
export function fewOwners(take: Take): void {
  start(take, T_MS, 60_000);
  for (const marketIndex of [0, 1, 2]) {
    createMarket(take, T_MS, marketIndex);
  }
  for (const owner of [SELLER, BUYER]) {
    fund(take, T_MS, owner, FUNDS_MICRO);
    split(take, T_MS, owner, 0, 5_000_000);
  }
  for (const marketIndex of [1, 2]) {
    split(take, T_MS, SELLER, marketIndex, 5_000_000);
  }
  take(T_MS, { type: 'ResolveMarket', marketIndex: 1, resolution: 2 });
  const wallet = addressOf(SELLER);
  take(T_MS, { type: 'Redeem', wallet, owner: wallet, keyId: keyOf(SELLER), marketIndex: 1, flags: 0 });
  offer(take, T_MS, FIRST_ORDER, SELLER, { marketIndex: 0, side: Side.SELL, ...priced(6_000, 500) });
  offer(take, T_MS, FIRST_ORDER + 1, BUYER, { marketIndex: 0, side: Side.BUY, ...priced(4_000, 100) });
}

/** A core to ask, which has applied the commands of `fewOwners`. */
class PreparedCore {
  readonly core: Exchange;
  private readonly writer: EventWriter;

  constructor(make: new () => Exchange, writer = new EventWriter()) {
    this.core = new make();
    this.writer = writer;
    fewOwners((tMs, command) => this.apply(tMs, encodeCommand(command)));
  }

  /** A nested field of the core's private state. */
  part(...names: readonly string[]): object {
    let part: unknown = Reflect.get(this.core, 'state');
    for (const name of names) part = Reflect.get(Object(part), name);
    return Object(part);
  }

  take(command: Command): string {
    return answerOrError(() => this.apply(T_MS, encodeCommand(command)));
  }

  apply(tMs: number, command: Uint8Array): string {
    this.writer.begin();
    this.core.apply(tMs, command, this.writer);
    return this.written();
  }

  applyAt(message: Message, offset: number): string {
    this.writer.begin();
    this.core.applyAt(T_MS, message, offset, this.writer);
    return this.written();
  }

  private written(): string {
    this.writer.finish();
    return Buffer.from(this.writer.copy()).toString('hex');
  }
}

/** Asks the core for a snapshot on each OrderFilled event, in the middle of the command. */
class Interrupter extends EventWriter {
  core: Exchange | undefined;
  answer = '';

  override orderFilled(orderNumber: number): void {
    super.orderFilled(orderNumber);
    this.answer += answerOrError(() => {
      this.core?.visit(new KeptSections(new Map(), false));
      return 'written';
    });
  }
}

function marketBeyondAll(make: new () => Exchange): string {
  const prepared = new PreparedCore(make);
  Reflect.set(prepared.part('markets'), 'length', limits.marketsMax);
  let answer = '';
  createMarket((_, command) => (answer = prepared.take(command)), T_MS, 3);
  return answer;
}

function accountBeyondAll(make: new () => Exchange): string {
  const prepared = new PreparedCore(make);
  Reflect.set(prepared.part('accounts'), 'accountCount', limits.accountsMax);
  let answer = '';
  fund((_, command) => (answer = prepared.take(command)), T_MS, NEWCOMER, FUNDS_MICRO);
  return answer;
}

function snapshotInCommand(make: new () => Exchange): string {
  const writer = new Interrupter();
  const prepared = new PreparedCore(make, writer);
  writer.core = prepared.core;
  const taking = { marketIndex: 0, side: Side.BUY, orderType: OrderType.FAK, ...priced(6_000, 100) };
  offer((_, command) => void prepared.take(command), T_MS, FIRST_ORDER + 2, BUYER, taking);
  return writer.answer;
}

/** An order with an expired timestamp; the bytes before it hold a valid one, as far from its start as the timestamp is. */
function orderBehindAnother(make: new () => Exchange): string {
  const prepared = new PreparedCore(make);
  const message = new Message(new ArrayBuffer(1_024));
  message.view.setFloat64(ORDER_AT - TIME_AT, T_MS, true);
  const late = { marketIndex: 0, side: Side.BUY, ...priced(3_000, 100), timestampMs: T_MS - 3_600_000 };
  offer((_, command) => message.bytes.set(encodeCommand(command), ORDER_AT), T_MS, FIRST_ORDER + 3, BUYER, late);
  return prepared.applyAt(message, ORDER_AT);
}

/** A cancel of an id that shares all stored bits of a live order's but one of the third word, and so its hash. */
function idOfOneHash(make: new () => Exchange): string {
  const prepared = new PreparedCore(make);
  const id = orderIdOf(FIRST_ORDER);
  const digit = id[THIRD_WORD_AT] === '0' ? '1' : '0';
  const other = `${id.slice(0, THIRD_WORD_AT)}${digit}${id.slice(THIRD_WORD_AT + 1)}`;
  return prepared.take({ type: 'CancelOrders', owner: addressOf(SELLER), keyId: keyOf(SELLER), items: [other] });
}

/** Cancels of an order that has left and of one that is live, after ids have moved in memory, the invariants then, and the salt. */
function idsMoved(make: new () => Exchange): string {
  const prepared = new PreparedCore(make);
  const cancel = (number: number): string =>
    prepared.take({
      ...{ type: 'CancelOrders', owner: addressOf(SELLER), keyId: keyOf(SELLER) },
      items: [orderIdOf(number)],
    });
  const left = cancel(FIRST_ORDER);
  prepared.core.hideIds(77);
  const invariants = reportOf(prepared.core, {}, {});
  const values = new Map<string, unknown>();
  prepared.core.visit(new KeptSections(values, false));
  return [
    left,
    invariants,
    values.get('orders/salt'),
    ...[0, 1, 0, 1].map((number) => cancel(FIRST_ORDER + number)),
  ].join('\n');
}

/** The positions of two accounts in two markets whose numbers give the same hash: each may be guessed for the other. */
function positionsOfOneHash(make: new () => Exchange): string {
  const ledger = new PreparedCore(make).part('ledger');
  const ask = (name: string, ...values: readonly number[]): unknown =>
    Reflect.apply(Reflect.get(ledger, name), ledger, values);
  const pairs = [
    [10, 7_632],
    [10 + 26_443, 1],
  ] as const;
  const positions = pairs.map(([account, market]) => Number(ask('positionFor', account, market)));
  const found = pairs.map(([account, market]) => ask('find', account, market));
  const guessed = pairs.flatMap(([account, market]) =>
    positions.map((guess) => ask('findNear', account, market, guess)),
  );
  return [...positions, ...found, ...guessed].join(' ');
}

/** The positions that a core finds in a snapshot of the unchanged one, whose table has grown: its own may hide a fault of both. */
function positionsOfUnchanged(make: new () => Exchange): string {
  const prepared = new PreparedCore(Exchange);
  const positionFor = Reflect.get(prepared.part('ledger'), 'positionFor');
  for (const account of GROWING) Reflect.apply(positionFor, prepared.part('ledger'), [account, 0]);
  const values = new Map<string, unknown>();
  prepared.core.visit(new KeptSections(values, false));
  const loaded = new make();
  loaded.visit(new KeptSections(values, true));
  const ledger: object = Reflect.get(Reflect.get(loaded, 'state'), 'ledger');
  const find = Reflect.get(ledger, 'find');
  return [...GROWING, ...UNKNOWN].map((account) => Reflect.apply(find, ledger, [account, 0])).join(' ');
}

/** A snapshot in which a slice of ids lies right after the last one of its hour. */
function sliceBeyondItsHour(make: new () => Exchange): string {
  const values = new Map<string, unknown>();
  new PreparedCore(make).core.visit(new KeptSections(values, false));
  const [key, heads] = [...values].find(([name]) => name.endsWith('/slices')) ?? [];
  if (key === undefined || !(heads instanceof Int32Array)) throw new Error('The snapshot has no slices of ids.');
  values.set(key, Int32Array.of(SLICES_AN_HOUR, ...heads.subarray(1)));
  new make().visit(new KeptSections(values, true));
  return 'loaded';
}

/** What the invariants find where a delayed order and a session, of which a core has one each, do not agree with what is due. */
function dueItemsAmiss(make: new () => Exchange): string {
  const prepared = new PreparedCore(make);
  const take: Take = (tMs, command) => void prepared.apply(tMs, encodeCommand(command));
  createMarket(take, T_MS, 3, { delaySeconds: 3 });
  split(take, T_MS, SELLER, 3, 5_000_000);
  offer(take, T_MS, FIRST_ORDER + 2, SELLER, { marketIndex: 3, side: Side.SELL, ...priced(6_000, 500) });
  offer(take, T_MS, FIRST_ORDER + 3, BUYER, { marketIndex: 3, side: Side.BUY, ...priced(6_000, 500) });
  const [given, next] = [0, 1].map((id) => `0x${String(id).padStart(32, '0')}`);
  take(T_MS, { type: 'Heartbeat', owner: addressOf(BUYER), keyId: keyOf(BUYER), given, next, refresh: 0 });
  const [delayed] = (prepared.part('delayed') as Map<number, object>).values();
  const none = { size: 0, nextMs: Infinity };
  const damages: readonly (readonly [part: object, damage: object])[] = [
    [delayed, { releaseAtMs: T_MS }],
    [prepared.part('releases'), none],
    [prepared.part('heartbeats', 'sessions', '0'), { deadlineMs: T_MS }],
    [prepared.part('heartbeats', 'due'), none],
  ];
  return damages.map(([part, damage]) => reportOf(prepared.core, part, damage)).join('\n');
}

/** What the invariants find where two orders of a level have changed their numbers. */
function numbersAmiss(make: new () => Exchange): string {
  const prepared = new PreparedCore(make);
  const behind = { marketIndex: 0, side: Side.SELL, ...priced(6_000, 500) };
  offer((_, command) => void prepared.take(command), T_MS, FIRST_ORDER + 2, BUYER, behind);
  const records = prepared.part('pool', 'records');
  const words = Object.entries(records).filter(([index]) => Number(index) % RECORD_WORDS === NUMBER_WORD);
  return words.map(([word]) => reportOf(prepared.core, records, { [word]: 9 })).join('\n');
}

/** The events and the state of an order whose number takes more than 32 bits. */
function largeNumber(make: new () => Exchange): string {
  const prepared = new PreparedCore(make);
  Reflect.set(prepared.part(), 'lastOrderNumber', 2 ** 32 + 5);
  const selling = { marketIndex: 2, side: Side.SELL, ...priced(6_000, 500) };
  offer((tMs, command) => void prepared.apply(tMs, encodeCommand(command)), T_MS, FIRST_ORDER + 2, SELLER, selling);
  const items = [orderIdOf(FIRST_ORDER + 2)];
  const placed = prepared.core.stateHash();
  return `${placed} ${prepared.take({ type: 'CancelOrders', owner: addressOf(SELLER), keyId: keyOf(SELLER), items })}`;
}

/** What the invariants report while a part of the core has other values. */
function reportOf(core: Exchange, part: object, damage: object): string {
  const before = Object.fromEntries(Object.keys(damage).map((name) => [name, Reflect.get(part, name)]));
  Object.assign(part, damage);
  const report = answerOrError(() => {
    core.checkInvariants();
    return 'nothing';
  });
  Object.assign(part, before);
  return report;
}

const questions = [
  marketBeyondAll,
  accountBeyondAll,
  snapshotInCommand,
  orderBehindAnother,
  idOfOneHash,
  idsMoved,
  positionsOfOneHash,
  positionsOfUnchanged,
  sliceBeyondItsHour,
  dueItemsAmiss,
  numbersAmiss,
  largeNumber,
];

/** A core's answers to all questions. */
export const asideAnswers = (make: new () => Exchange): string[] =>
  questions.map((ask) => answerOrError(() => ask(make)));

/** The name of the first question that a core answers differently; undefined when there is none. */
export function differentAside(make: new () => Exchange, expected: readonly string[]): string | undefined {
  const at = asideAnswers(make).findIndex((answer, index) => answer !== expected[index]);
  return at < 0 ? undefined : questions[at].name;
}
