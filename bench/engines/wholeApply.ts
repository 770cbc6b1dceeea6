// The whole engine: Exchange.applyBatch on encoded commands, with accounts, money, fees, duplicate check and events. Used
// by child.ts. Bids and asks come from 500 wallets each, so no wallet meets its own order and every engine makes the same
// trades; all are funded with both tokens and collateral, so nothing is refused. Half of the adds are written in the second
// token (BUY NO at 1 − p is an ask), and takes are SELLs of either token, which count in shares like the peer's. Its
// results are read from the events: batch by batch in the timed loop, or, to time applyBatch alone, in a second run of the same
// commands, which must end in the same state.
import { Exchange } from '../../engine/core/index.ts';
import {
  CancelReason,
  COMMAND_HEADER_BYTES,
  type Command,
  commandLayouts,
  EVENT_HEADER_BYTES,
  EventWriter,
  encodeCommand,
  eventLayouts,
  FRAME_HEADER_BYTES,
  MarketStatus,
  Message,
  OrderType,
  PROTOCOL_VERSION,
  RULES_VERSION,
  readHex,
  Side,
} from '../../engine/protocol/index.ts';
import { emptyTotals, type Totals } from '../lib/totals.ts';
import { BID, OP_BYTES, OpType } from '../opFile.ts';
import { type BenchEngine, CHUNK_OPS, type Ops } from './engine.ts';
import { writeAddress, writeOrderId } from './orderIds.ts';

const WALLETS_A_SIDE = 500;
const FUNDS_MICRO = 1_000_000_000_000;
const SHARES_MICRO = 40_000_000_000;
const PIPS_PER_UNIT = 10_000;
const MICRO_PER_LOT = 10_000;
const FEE_RATE = 500;
/** Commands known together, as many as a replay of the journal prefetches at once. */
const BATCH = 64;
export const START_MS = 1_700_000_000_000;
/** Orders per millisecond of the exchange's time. */
export const OPS_A_MS = 20;

/** The first command of an exchange. */
export const started: Command = {
  type: 'Started',
  rulesVersion: RULES_VERSION,
  orderWindowMs: 86_400_000,
  heartbeatWindowMs: 10_000,
  minedDelayMs: 0,
  confirmedDelayMs: 0,
  creditMicro: 0,
};

/** The command that opens the market of a book. */
export function newMarket(market: number, tickPips: number): Command {
  const id = (part: number): string => `0x${(market * 4 + part + 1).toString(16).padStart(64, '0')}`;
  return {
    type: 'CreateMarket',
    eventNumber: 0,
    conditionId: id(0),
    firstToken: id(1),
    secondToken: id(2),
    status: MarketStatus.OPEN,
    negRisk: 0,
    autoTick: 0,
    feeExponent: 1,
    tickPips,
    feeRate: FEE_RATE,
    minOrderLots: 1,
    delaySeconds: 0,
    minMarketableBuyMicro: 0,
  };
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}

const PLACE = commandLayouts.PlaceOrder;
const CANCEL = commandLayouts.CancelOrders;
const PLACE_BYTES = aligned(COMMAND_HEADER_BYTES + PLACE.headBytes);
const CANCEL_BYTES = aligned(COMMAND_HEADER_BYTES + CANCEL.headBytes + 32);
const COMMAND_BYTES_MAX = Math.max(PLACE_BYTES, CANCEL_BYTES);
// Events are read as the core writes them: as 32-bit words, at the positions of the layout.
const { Fill, Trade, OrderRested, OrderCanceled, Rejected } = eventLayouts;
const FRAME_HEADER = FRAME_HEADER_BYTES / 4;
const EVENT_HEADER = EVENT_HEADER_BYTES;
const FILL_TYPE = Fill.type;
const FILL_REMAINING = Fill.offsets.remainingLots / 4;
const TRADE_TYPE = Trade.type;
const TRADE_LOTS = Trade.offsets.lots / 4;
const TRADE_PIPS = Trade.offsets.pricePips / 4;
const RESTED_TYPE = OrderRested.type;
const CANCELED_TYPE = OrderCanceled.type;
const CANCELED_REASON = OrderCanceled.offsets.reason / 4;
const REJECTED_TYPE = Rejected.type;
const REJECTED_CODE = Rejected.offsets.code / 4;
const { REQUESTED } = CancelReason;

export function walletText(wallet: number): string {
  const bytes = new Uint8Array(20);
  writeAddress(wallet, new DataView(bytes.buffer), 0);
  return readHex(bytes, 0, 20);
}

/** The wallet of an order, chosen by its op's number: bids from the first half, asks from the second. */
function walletOf(id: number, side: number): number {
  return side * WALLETS_A_SIDE + ((Math.imul(id, 0x9e3779b1) >>> 8) % WALLETS_A_SIDE);
}

/** The exchange's time at an op, ms. */
const timeOf = (op: number): number => START_MS + Math.floor(op / OPS_A_MS);

/** Adds alternate between BUY and SELL; takes are SELLs. */
const isBuyOp = (type: number, op: number): boolean => type === OpType.ADD && (op & 1) === 0;

class WholeApplyEngine implements BenchEngine {
  private readonly view: DataView;
  private readonly tickPips: number;
  private readonly books: number;
  private readonly exchange = new Exchange();
  private readonly out = new EventWriter();
  private eventBytes = this.out.bytes;
  private events = new Message(this.out.bytes.buffer);
  private commands = new Message(new ArrayBuffer(0));
  private offsets = new Int32Array(0);
  private times = new Float64Array(0);
  private inFirst = new Uint8Array(0);
  /** Totals over the events. */
  private readonly done = emptyTotals();
  private readonly ops: Ops;
  private readonly readsEvents: boolean;
  /** The ops that were run. */
  private opCount = 0;

  /** @param readsEvents whether run() reads the events of each batch; if not, totals() runs all ops once more and reads them */
  constructor(ops: Ops, readsEvents: boolean) {
    this.ops = ops;
    this.readsEvents = readsEvents;
    this.view = new DataView(ops.bytes.buffer, ops.bytes.byteOffset, ops.bytes.byteLength);
    this.tickPips = PIPS_PER_UNIT / (ops.ticks + 1);
    this.books = ops.books;
    this.setUp();
  }

  /** Encodes the chunk's commands one after another into one buffer, each at a multiple of eight bytes. */
  prepare(fromOp: number, toOp: number): void {
    const count = toOp - fromOp;
    if (this.offsets.length < count) {
      this.offsets = new Int32Array(count);
      this.times = new Float64Array(count);
      this.inFirst = new Uint8Array(count);
      this.commands = new Message(new ArrayBuffer(count * COMMAND_BYTES_MAX));
    }
    this.commands.bytes.fill(0, 0, count * COMMAND_BYTES_MAX);
    let offset = 0;
    for (let op = fromOp; op < toOp; op += 1) {
      const at = op - fromOp;
      this.offsets[at] = offset;
      this.times[at] = timeOf(op);
      this.inFirst[at] = this.isFirstToken(op) ? 1 : 0;
      offset += this.encode(op, offset);
    }
  }

  run(fromOp: number, toOp: number): void {
    const { exchange, out, commands, offsets, times, inFirst } = this;
    const count = toOp - fromOp;
    for (let at = 0; at < count; at += BATCH) {
      const size = Math.min(BATCH, count - at);
      exchange.applyBatch(times, commands, offsets, at, at + size, out);
      if (this.readsEvents) this.readEvents(inFirst, at);
    }
    this.opCount = toOp;
  }

  totals(): Totals {
    if (!this.readsEvents) return this.totalsOfRerun();
    this.exchange.checkInvariants();
    const totals = { ...this.done };
    for (let market = 0; market < this.books; market += 1) {
      const { bids, asks } = this.exchange.bookLevels(market);
      for (const { lots } of [...bids, ...asks]) totals.restingLots += lots;
    }
    return totals;
  }

  /** The totals of another engine that runs the same ops, reads their events and must end in the same state. */
  private totalsOfRerun(): Totals {
    const rerun = new WholeApplyEngine(this.ops, true);
    for (let op = 0; op < this.opCount; op += CHUNK_OPS) {
      const end = Math.min(op + CHUNK_OPS, this.opCount);
      rerun.prepare(op, end);
      rerun.run(op, end);
    }
    if (rerun.stateHash() !== this.stateHash()) throw new Error('The second run of the ops ended in another state.');
    return rerun.totals();
  }

  private stateHash(): string {
    return this.exchange.stateHash() + this.exchange.idSetHash();
  }

  /** Whether the record's order is in the first token; the same holds for every event of its command. */
  private isFirstToken(op: number): boolean {
    const at = op * OP_BYTES;
    return (this.view.getUint8(at + 1) === BID) === isBuyOp(this.view.getUint8(at), op);
  }

  private setUp(): void {
    this.apply(started);
    for (let market = 0; market < this.books; market += 1) this.apply(newMarket(market, this.tickPips));
    for (let wallet = 0; wallet < 2 * WALLETS_A_SIDE; wallet += 1) {
      const who = { wallet: walletText(wallet), owner: walletText(wallet) };
      this.apply({ type: 'Deposit', ...who, amountMicro: FUNDS_MICRO, isFaucet: 1 });
      // Bidders sell the second token, askers the first.
      const outcome = wallet < WALLETS_A_SIDE ? 1 : 0;
      for (let marketIndex = 0; marketIndex < this.books; marketIndex += 1) {
        this.apply({ type: 'FaucetShares', ...who, marketIndex, outcome, amountMicro: SHARES_MICRO });
      }
    }
  }

  private apply(command: Command): void {
    this.out.begin();
    this.exchange.apply(START_MS, encodeCommand(command), this.out);
    this.out.finish();
    if (this.out.isRejected) throw new Error(`The set-up command ${command.type} was refused.`);
  }

  /** Writes the command of a record and returns its length. */
  private encode(op: number, offset: number): number {
    const target = this.commands.view;
    const at = op * OP_BYTES;
    const type = this.view.getUint8(at);
    const side = this.view.getUint8(at + 1);
    const id = this.view.getUint32(at + 12, true);
    target.setUint8(offset, PROTOCOL_VERSION);
    if (type === OpType.CANCEL) {
      target.setUint8(offset + 1, CANCEL.type);
      target.setUint16(offset + 2, 1, true);
      writeAddress(walletOf(id, side), target, offset + CANCEL.offsets.owner);
      writeOrderId(id, target, offset + COMMAND_HEADER_BYTES + CANCEL.headBytes);
      return CANCEL_BYTES;
    }
    target.setUint8(offset + 1, PLACE.type);
    const wallet = walletOf(id, side);
    writeOrderId(id, target, offset + PLACE.offsets.orderId);
    writeAddress(wallet, target, offset + PLACE.offsets.maker);
    writeAddress(wallet, target, offset + PLACE.offsets.owner);
    target.setUint32(offset + PLACE.offsets.marketIndex, this.view.getUint16(at + 2, true), true);
    target.setFloat64(offset + PLACE.offsets.timestampMs, timeOf(op), true);
    this.writeTerms(op, offset);
    return PLACE_BYTES;
  }

  /** Writes token, side, type and amounts: the same place on the ladder, expressed in one token or the other. */
  private writeTerms(op: number, offset: number): void {
    const target = this.commands.view;
    const at = op * OP_BYTES;
    const type = this.view.getUint8(at);
    const ladderSide = this.view.getUint8(at + 1);
    const lots = this.view.getUint32(at + 8, true);
    const isBuy = isBuyOp(type, op);
    const isFirst = (ladderSide === BID) === isBuy;
    const ladderPips = this.view.getUint32(at + 4, true) * this.tickPips;
    const money = lots * (isFirst ? ladderPips : PIPS_PER_UNIT - ladderPips);
    const shares = lots * MICRO_PER_LOT;
    target.setUint8(offset + PLACE.offsets.outcome, isFirst ? 0 : 1);
    target.setUint8(offset + PLACE.offsets.side, isBuy ? Side.BUY : Side.SELL);
    const orderType = type === OpType.ADD ? OrderType.GTC : type === OpType.TAKE ? OrderType.FAK : OrderType.FOK;
    target.setUint8(offset + PLACE.offsets.orderType, orderType);
    target.setFloat64(offset + PLACE.offsets.makerAmountMicro, isBuy ? money : shares, true);
    target.setFloat64(offset + PLACE.offsets.takerAmountMicro, isBuy ? shares : money, true);
  }

  /**
   * Walks the events of a batch, whose first command is at index `first` of `inFirst`; an entry is 1 where the command's
   * events are in the first token. Every command has one frame. A refused command ends the run.
   */
  private readEvents(inFirst: Uint8Array, first: number): void {
    const { out, done } = this;
    const { bytes, length } = out;
    // The writer replaces its bytes when they grow. (Reading `.buffer` of either array costs as much as an op.)
    if (this.eventBytes !== bytes) {
      this.eventBytes = bytes;
      this.events = new Message(bytes.buffer);
    }
    const { words } = this.events;
    const end = length >> 2;
    let at = 0;
    let frameEnd = 0;
    let command = first - 1;
    let fills = 0;
    let resting = 0;
    while (at < end) {
      if (at === frameEnd) {
        frameEnd = at + FRAME_HEADER + (words[at + 1] >> 2);
        at += FRAME_HEADER;
        command += 1;
      }
      const header = words[at];
      const type = header & 0xff;
      if (type === RESTED_TYPE) {
        resting += 1;
      } else if (type === CANCELED_TYPE) {
        if ((words[at + CANCELED_REASON] & 0xff) === REQUESTED) resting -= 1;
      } else if (type === FILL_TYPE) {
        fills += 1;
        if (words[at + FILL_REMAINING] === 0) resting -= 1;
      } else if (type === TRADE_TYPE) {
        const lots = words[at + TRADE_LOTS];
        const pips = words[at + TRADE_PIPS] & 0xffff;
        done.lots += lots;
        done.notional += lots * ((inFirst[command] === 1 ? pips : PIPS_PER_UNIT - pips) / this.tickPips);
      } else if (type === REJECTED_TYPE) {
        throw new Error(`A command was refused with code ${words[at + REJECTED_CODE] & 0xffff}.`);
      }
      at += (EVENT_HEADER + (header >>> 16)) >> 2;
    }
    done.fills += fills;
    done.restingOrders += resting;
  }
}

export const wholeApply = (ops: Ops): BenchEngine => new WholeApplyEngine(ops, true);
export const applyBatchAlone = (ops: Ops): BenchEngine => new WholeApplyEngine(ops, false);
