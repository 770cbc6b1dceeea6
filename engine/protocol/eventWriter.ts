// Where reducers write their events: one growing buffer, one set of frames a command. The hot events have a method each
// that writes fields at constant offsets; rare ones go through the codec. It allocates only when a command's events
// outgrow every earlier command's.
import { encodeEventInto } from './codec.ts';
import { EVENT_HEADER_BYTES, eventLayouts, FRAME_HEADER_BYTES, FRAME_MORE, PROTOCOL_VERSION } from './layout.ts';
import { limits } from './limits.ts';
import type { EngineEvent } from './messages.ts';
import { type RejectionName, rejections } from './rejections.ts';

const REJECTED = eventLayouts.Rejected;
const ACCEPTED = eventLayouts.OrderAccepted;
const KILLED = eventLayouts.OrderKilled;
const RESTED = eventLayouts.OrderRested;
const FILLED = eventLayouts.OrderFilled;
const CANCELED = eventLayouts.OrderCanceled;
const FILL = eventLayouts.Fill;
const TRADE = eventLayouts.Trade;
const STATUS = eventLayouts.TradeStatusChanged;

export class EventWriter {
  /** The buffer; bytes 0..length are the frames of the current command. Replaced when it grows: never keep it. */
  bytes: Uint8Array;
  length = 0;
  /** Whether the current command wrote a Rejected or OrderKilled event: it changed nothing (but the id set). */
  isRejected = false;
  /** Events of the current command so far. */
  eventCount = 0;
  // Balances that the next Fill or Trade states, micro: fields, because a number beyond 32 bits that is passed to a
  // function is put on the heap each time.
  collateralMicro = 0;
  sharesMicro = 0;
  feesMicro = 0;
  vaultMicro = 0;
  private view: DataView;
  private frameStart = 0;
  private frameEvents = 0;

  constructor(initialBytes = 1 << 18) {
    this.bytes = new Uint8Array(initialBytes);
    this.view = new DataView(this.bytes.buffer);
  }

  /** Starts the frames of a new command, forgetting the last one's. */
  begin(): void {
    this.length = 0;
    this.isRejected = false;
    this.eventCount = 0;
    this.openFrame();
  }

  /** Closes the last frame; afterwards `bytes` 0..`length` are whole. */
  finish(): void {
    this.closeFrame(0);
  }

  /** A copy of the frames of the finished command. */
  copy(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }

  /** Any event, through the codec: for the rare ones. */
  write(event: EngineEvent): void {
    const offset = this.reserve(eventLayouts[event.type].headBytes);
    encodeEventInto(event, this.bytes, this.view, offset);
  }

  rejected(name: RejectionName, a = 0, b = 0, c = 0): void {
    const at = this.head(REJECTED.type, REJECTED.headBytes);
    const { view } = this;
    view.setUint16(at + REJECTED.offsets.code, rejections[name].code, true);
    view.setFloat64(at + REJECTED.offsets.a, a, true);
    view.setFloat64(at + REJECTED.offsets.b, b, true);
    view.setFloat64(at + REJECTED.offsets.c, c, true);
    this.isRejected = true;
  }

  orderAccepted(
    orderNumber: number,
    accountId: number,
    marketIndex: number,
    outcome: number,
    side: number,
    orderType: number,
    flags: number,
    pricePips: number,
    originalLots: number,
  ): void {
    const at = this.head(ACCEPTED.type, ACCEPTED.headBytes);
    const { view } = this;
    view.setFloat64(at + ACCEPTED.offsets.orderNumber, orderNumber, true);
    view.setUint32(at + ACCEPTED.offsets.accountId, accountId, true);
    view.setUint32(at + ACCEPTED.offsets.marketIndex, marketIndex, true);
    view.setUint8(at + ACCEPTED.offsets.outcome, outcome);
    view.setUint8(at + ACCEPTED.offsets.side, side);
    view.setUint8(at + ACCEPTED.offsets.orderType, orderType);
    view.setUint8(at + ACCEPTED.offsets.flags, flags);
    view.setUint16(at + ACCEPTED.offsets.pricePips, pricePips, true);
    view.setFloat64(at + ACCEPTED.offsets.originalLots, originalLots, true);
  }

  orderKilled(
    name: RejectionName,
    orderNumber: number,
    accountId: number,
    marketIndex: number,
    outcome: number,
    side: number,
    orderType: number,
    pricePips: number,
    originalLots: number,
    a: number,
  ): void {
    const at = this.head(KILLED.type, KILLED.headBytes);
    const { view } = this;
    view.setFloat64(at + KILLED.offsets.orderNumber, orderNumber, true);
    view.setUint32(at + KILLED.offsets.accountId, accountId, true);
    view.setUint32(at + KILLED.offsets.marketIndex, marketIndex, true);
    view.setUint8(at + KILLED.offsets.outcome, outcome);
    view.setUint8(at + KILLED.offsets.side, side);
    view.setUint8(at + KILLED.offsets.orderType, orderType);
    view.setUint16(at + KILLED.offsets.code, rejections[name].code, true);
    view.setUint16(at + KILLED.offsets.pricePips, pricePips, true);
    view.setFloat64(at + KILLED.offsets.originalLots, originalLots, true);
    view.setFloat64(at + KILLED.offsets.a, a, true);
    this.isRejected = true;
  }

  orderRested(orderNumber: number, lots: number): void {
    const at = this.head(RESTED.type, RESTED.headBytes);
    this.view.setFloat64(at + RESTED.offsets.orderNumber, orderNumber, true);
    this.view.setUint32(at + RESTED.offsets.lots, lots, true);
  }

  orderFilled(orderNumber: number): void {
    const at = this.head(FILLED.type, FILLED.headBytes);
    this.view.setFloat64(at + FILLED.offsets.orderNumber, orderNumber, true);
  }

  orderCanceled(orderNumber: number, reason: number, lots: number): void {
    const at = this.head(CANCELED.type, CANCELED.headBytes);
    this.view.setFloat64(at + CANCELED.offsets.orderNumber, orderNumber, true);
    this.view.setUint8(at + CANCELED.offsets.reason, reason);
    this.view.setFloat64(at + CANCELED.offsets.lots, lots, true);
  }

  /** One maker's part; the maker's balances after it are in `collateralMicro` and `sharesMicro`. */
  fill(makerOrderNumber: number, lots: number, remainingLots: number, pricePips: number, kind: number): void {
    const at = this.head(FILL.type, FILL.headBytes);
    const { view } = this;
    view.setFloat64(at + FILL.offsets.makerOrderNumber, makerOrderNumber, true);
    view.setUint32(at + FILL.offsets.lots, lots, true);
    view.setUint32(at + FILL.offsets.remainingLots, remainingLots, true);
    view.setUint16(at + FILL.offsets.pricePips, pricePips, true);
    view.setUint8(at + FILL.offsets.kind, kind);
    view.setFloat64(at + FILL.offsets.makerCollateralMicro, this.collateralMicro, true);
    view.setFloat64(at + FILL.offsets.makerSharesMicro, this.sharesMicro, true);
  }

  /** Closes the fills before it; the taker's balances after it, FEES' and the vault's are in the fields above. */
  trade(
    takerOrderNumber: number,
    marketIndex: number,
    tradeNumber: number,
    fillCount: number,
    pricePips: number,
    lots: number,
    feeMicro: number,
  ): void {
    const at = this.head(TRADE.type, TRADE.headBytes);
    const { view } = this;
    view.setFloat64(at + TRADE.offsets.takerOrderNumber, takerOrderNumber, true);
    view.setUint32(at + TRADE.offsets.marketIndex, marketIndex, true);
    view.setFloat64(at + TRADE.offsets.tradeNumber, tradeNumber, true);
    view.setUint32(at + TRADE.offsets.fillCount, fillCount, true);
    view.setUint16(at + TRADE.offsets.pricePips, pricePips, true);
    view.setFloat64(at + TRADE.offsets.lots, lots, true);
    view.setFloat64(at + TRADE.offsets.feeMicro, feeMicro, true);
    view.setFloat64(at + TRADE.offsets.takerCollateralMicro, this.collateralMicro, true);
    view.setFloat64(at + TRADE.offsets.takerSharesMicro, this.sharesMicro, true);
    view.setFloat64(at + TRADE.offsets.feesCollateralMicro, this.feesMicro, true);
    view.setFloat64(at + TRADE.offsets.vaultMicro, this.vaultMicro, true);
  }

  tradeStatus(marketIndex: number, tradeNumber: number, status: number): void {
    const at = this.head(STATUS.type, STATUS.headBytes);
    this.view.setUint32(at + STATUS.offsets.marketIndex, marketIndex, true);
    this.view.setFloat64(at + STATUS.offsets.tradeNumber, tradeNumber, true);
    this.view.setUint8(at + STATUS.offsets.status, status);
  }

  private head(type: number, headBytes: number): number {
    const offset = this.reserve(headBytes);
    this.view.setUint32(offset, type | (headBytes << 16), true);
    return offset;
  }

  /** Room for one event, in a new frame when the current one would grow past its bound. */
  private reserve(headBytes: number): number {
    const bytes = EVENT_HEADER_BYTES + headBytes;
    if (this.length + bytes - this.frameStart > limits.frameBytesMax) {
      this.closeFrame(FRAME_MORE);
      this.openFrame();
    }
    const offset = this.length;
    if (offset + bytes > this.bytes.length) this.grow();
    this.length = offset + bytes;
    this.frameEvents += 1;
    this.eventCount += 1;
    return offset;
  }

  private openFrame(): void {
    this.frameStart = this.length;
    if (this.length + FRAME_HEADER_BYTES > this.bytes.length) this.grow();
    this.length += FRAME_HEADER_BYTES;
    this.frameEvents = 0;
  }

  private closeFrame(flags: number): void {
    const { view, frameStart } = this;
    view.setUint32(frameStart, PROTOCOL_VERSION | (flags << 8), true);
    view.setUint32(frameStart + 4, this.length - frameStart - FRAME_HEADER_BYTES, true);
    view.setUint32(frameStart + 8, this.frameEvents, true);
    view.setUint32(frameStart + 12, 0, true);
  }

  private grow(): void {
    const larger = new Uint8Array(this.bytes.length * 2);
    larger.set(this.bytes);
    this.bytes = larger;
    this.view = new DataView(larger.buffer);
  }
}
