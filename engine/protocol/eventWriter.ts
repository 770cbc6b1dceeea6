// The buffer into which reducers write their events: it grows, and holds one set of frames per command. Each hot event has a
// method that writes whole words and floats at the offsets of layout.ts (a test compares them with the codec); rare ones go
// through the codec. It allocates only when a command's events outgrow those of every earlier command.
import { encodeEventInto } from './codec.ts';
import {
  EVENT_HEADER_BYTES,
  eventLayouts,
  FRAME_HEADER_BYTES,
  FRAME_MORE,
  KIND_BYTES,
  PROTOCOL_VERSION,
} from './layout.ts';
import { limits } from './limits.ts';
import type { EngineEvent } from './messages.ts';
import { type RejectionName, rejections } from './rejections.ts';

/** The first word of an event, and the length of its whole record in bytes. */
const headOf = ({ type, headBytes }: { type: number; headBytes: number }): number => type | (headBytes << 16);
const bytesOf = ({ headBytes }: { headBytes: number }): number => EVENT_HEADER_BYTES + headBytes;
const REJECTED = headOf(eventLayouts.Rejected);
const REJECTED_BYTES = bytesOf(eventLayouts.Rejected);
const ACCEPTED = headOf(eventLayouts.OrderAccepted);
const ACCEPTED_BYTES = bytesOf(eventLayouts.OrderAccepted);
const KILLED = headOf(eventLayouts.OrderKilled);
const KILLED_BYTES = bytesOf(eventLayouts.OrderKilled);
const RESTED = headOf(eventLayouts.OrderRested);
const RESTED_BYTES = bytesOf(eventLayouts.OrderRested);
/** Length of both events of an order that rests whole, and where the second one begins. */
const PLACED_BYTES = ACCEPTED_BYTES + RESTED_BYTES;
const RESTED_WORD = ACCEPTED_BYTES / 4;
const RESTED_DOUBLE = ACCEPTED_BYTES / 8;
const FILLED = headOf(eventLayouts.OrderFilled);
const FILLED_BYTES = bytesOf(eventLayouts.OrderFilled);
const CANCELED = headOf(eventLayouts.OrderCanceled);
const CANCELED_BYTES = bytesOf(eventLayouts.OrderCanceled);
const FILL = headOf(eventLayouts.Fill);
const FILL_BYTES = bytesOf(eventLayouts.Fill);
const TRADE = headOf(eventLayouts.Trade);
const TRADE_BYTES = bytesOf(eventLayouts.Trade);
const STATUS = headOf(eventLayouts.TradeStatusChanged);
const STATUS_BYTES = bytesOf(eventLayouts.TradeStatusChanged);
const CANCEL_REFUSED = headOf(eventLayouts.CancelRefused);
const CANCEL_REFUSED_BYTES = bytesOf(eventLayouts.CancelRefused);
const ID_WORDS = KIND_BYTES.bytes32 / 4;
const FRAME_HEADER = FRAME_HEADER_BYTES;
const VERSION = PROTOCOL_VERSION;
const FRAME_BYTES_MAX: number = limits.frameBytesMax;

export class EventWriter {
  /** The buffer: bytes 0..length are the frames of the current command or batch. Replaced when it grows, so never keep it. */
  declare bytes: Uint8Array<ArrayBuffer>;
  /** The same buffer in words. */
  declare words: Int32Array<ArrayBuffer>;
  length = 0;
  /** Whether the current command wrote a Rejected or OrderKilled event: it left no effect, but see entry.ts on kills. */
  isRejected = false;
  // Balances that the next Fill or Trade states, micro. Fields, because a number beyond 32 bits is boxed each time it is passed
  // to a function. NaN makes them floats from the start, see engine/compiler.ts.
  collateralMicro = Number.NaN;
  sharesMicro = Number.NaN;
  feesMicro = Number.NaN;
  vaultMicro = Number.NaN;
  declare private doubles: Float64Array;
  declare private view: DataView;
  private frameStart = 0;
  private frameEvents = 0;
  /** An event that ends here or before needs no further check: it fits the buffer and the largest frame. */
  private lengthMax = 0;

  constructor(initialBytes = 1 << 18) {
    const buffer = new ArrayBuffer(initialBytes);
    this.bytes = new Uint8Array(buffer);
    this.words = new Int32Array(buffer);
    this.doubles = new Float64Array(buffer);
    this.view = new DataView(buffer);
  }

  /** Discards all frames and starts those of a new command. */
  begin(): void {
    this.clear();
    this.beginNext();
  }

  /** Discards all frames. */
  clear(): void {
    this.length = 0;
    this.lengthMax = Math.min(FRAME_BYTES_MAX, this.bytes.length);
  }

  /** Starts the frames of a new command after the existing ones. */
  beginNext(): void {
    this.isRejected = false;
    this.openFrame();
  }

  /** Closes the last frame: `bytes` 0..`length` are then complete. */
  finish(): void {
    this.closeFrame(0);
  }

  /** A copy of the frames of the finished command. */
  copy(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }

  /** Writes any event, through the codec: for the rare ones. */
  write(event: EngineEvent): void {
    const offset = this.reserve(bytesOf(eventLayouts[event.type]));
    encodeEventInto(event, this.bytes, this.view, offset);
  }

  rejected(name: RejectionName, a = 0, b = 0, c = 0): void {
    const offset = this.reserve(REJECTED_BYTES);
    const { words, doubles } = this;
    const word = offset >> 2;
    const double = offset >> 3;
    words[word] = REJECTED;
    words[word + 1] = rejections[name].code;
    doubles[double + 1] = a;
    doubles[double + 2] = b;
    doubles[double + 3] = c;
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
    const offset = this.reserve(ACCEPTED_BYTES);
    const { words } = this;
    const word = offset >> 2;
    words[word] = ACCEPTED;
    words[word + 1] = accountId;
    this.doubles[(offset >> 3) + 1] = orderNumber;
    words[word + 4] = marketIndex;
    words[word + 5] = outcome | (side << 8) | (orderType << 16) | (flags << 24);
    words[word + 6] = originalLots;
    words[word + 7] = pricePips;
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
    const offset = this.reserve(KILLED_BYTES);
    const { words, doubles } = this;
    const word = offset >> 2;
    const double = offset >> 3;
    words[word] = KILLED;
    words[word + 1] = accountId;
    doubles[double + 1] = orderNumber;
    words[word + 4] = marketIndex;
    words[word + 5] = outcome | (side << 8) | (orderType << 16);
    words[word + 6] = rejections[name].code | (pricePips << 16);
    words[word + 7] = originalLots;
    doubles[double + 4] = a;
    this.isRejected = true;
  }

  orderRested(orderNumber: number, lots: number): void {
    const offset = this.reserve(RESTED_BYTES);
    const word = offset >> 2;
    this.words[word] = RESTED;
    this.words[word + 1] = lots;
    this.doubles[(offset >> 3) + 1] = orderNumber;
  }

  /** Whether there is room for the events of orderPlaced(). */
  hasRoomForPlaced(): boolean {
    return this.length + PLACED_BYTES <= this.lengthMax;
  }

  /**
   * Writes OrderAccepted and OrderRested of an order that rests whole. hasRoomForPlaced() must be true; `terms` is the order's
   * word of token, side, type and flags.
   */
  orderPlaced(
    orderNumber: number,
    accountId: number,
    marketIndex: number,
    terms: number,
    pricePips: number,
    lots: number,
  ): void {
    const { words, doubles, length } = this;
    const word = length >> 2;
    const double = length >> 3;
    words[word] = ACCEPTED;
    words[word + 1] = accountId;
    doubles[double + 1] = orderNumber;
    words[word + 4] = marketIndex;
    words[word + 5] = terms;
    words[word + 6] = lots;
    words[word + 7] = pricePips;
    words[word + RESTED_WORD] = RESTED;
    words[word + RESTED_WORD + 1] = lots;
    doubles[double + RESTED_DOUBLE + 1] = orderNumber;
    this.length = length + PLACED_BYTES;
    this.frameEvents += 2;
  }

  orderFilled(orderNumber: number): void {
    const offset = this.reserve(FILLED_BYTES);
    const word = offset >> 2;
    this.words[word] = FILLED;
    this.words[word + 1] = 0;
    this.doubles[(offset >> 3) + 1] = orderNumber;
  }

  orderCanceled(orderNumber: number, reason: number, lots: number): void {
    const offset = this.reserve(CANCELED_BYTES);
    const { words } = this;
    const word = offset >> 2;
    words[word] = CANCELED;
    words[word + 1] = lots;
    this.doubles[(offset >> 3) + 1] = orderNumber;
    words[word + 4] = reason;
    words[word + 5] = 0;
  }

  /** Writes one maker's fill; `collateralMicro` and `sharesMicro` hold the maker's balances after it. */
  fill(makerOrderNumber: number, lots: number, remainingLots: number, pricePips: number, kind: number): void {
    const offset = this.reserve(FILL_BYTES);
    const { words, doubles } = this;
    const word = offset >> 2;
    const double = offset >> 3;
    words[word] = FILL;
    words[word + 1] = lots;
    doubles[double + 1] = makerOrderNumber;
    words[word + 4] = remainingLots;
    words[word + 5] = pricePips | (kind << 16);
    doubles[double + 3] = this.collateralMicro;
    doubles[double + 4] = this.sharesMicro;
  }

  /** Closes the fills before it. The fields above hold the resulting balances of the taker, of FEES and of the vault. */
  trade(
    takerOrderNumber: number,
    marketIndex: number,
    tradeNumber: number,
    fillCount: number,
    pricePips: number,
    lots: number,
    feeMicro: number,
  ): void {
    const offset = this.reserve(TRADE_BYTES);
    const { words, doubles } = this;
    const word = offset >> 2;
    const double = offset >> 3;
    words[word] = TRADE;
    words[word + 1] = marketIndex;
    doubles[double + 1] = takerOrderNumber;
    doubles[double + 2] = tradeNumber;
    words[word + 6] = fillCount;
    words[word + 7] = lots;
    doubles[double + 4] = feeMicro;
    doubles[double + 5] = this.collateralMicro;
    doubles[double + 6] = this.sharesMicro;
    doubles[double + 7] = this.feesMicro;
    doubles[double + 8] = this.vaultMicro;
    words[word + 18] = pricePips;
    words[word + 19] = 0;
  }

  tradeStatus(marketIndex: number, tradeNumber: number, status: number): void {
    const offset = this.reserve(STATUS_BYTES);
    const { words } = this;
    const word = offset >> 2;
    words[word] = STATUS;
    words[word + 1] = marketIndex;
    this.doubles[(offset >> 3) + 1] = tradeNumber;
    words[word + 4] = status;
    words[word + 5] = 0;
  }

  /** The refused id starts at word `id` of the message. */
  cancelRefused(message: Int32Array, id: number, reason: number): void {
    const offset = this.reserve(CANCEL_REFUSED_BYTES);
    const { words } = this;
    const word = offset >> 2;
    words[word] = CANCEL_REFUSED;
    for (let i = 0; i < ID_WORDS; i += 1) words[word + 1 + i] = message[id + i];
    words[word + 1 + ID_WORDS] = reason;
  }

  /** Reserves room for an event of this many bytes, in a new frame when the current one would exceed its bound. */
  private reserve(bytes: number): number {
    if (this.length + bytes > this.lengthMax) this.makeRoom(bytes);
    const offset = this.length;
    this.length = offset + bytes;
    this.frameEvents += 1;
    return offset;
  }

  private makeRoom(bytes: number): void {
    if (this.length + bytes - this.frameStart > FRAME_BYTES_MAX) {
      this.closeFrame(FRAME_MORE);
      this.openFrame();
    }
    while (this.length + bytes > this.bytes.length) this.grow();
    this.lengthMax = Math.min(this.frameStart + FRAME_BYTES_MAX, this.bytes.length);
  }

  private openFrame(): void {
    this.frameStart = this.length;
    this.length += FRAME_HEADER;
    this.frameEvents = 0;
  }

  private closeFrame(flags: number): void {
    // At most the header that openFrame has skipped lies beyond lengthMax.
    if (this.length > this.lengthMax && this.length > this.bytes.length) this.grow();
    const { words, frameStart } = this;
    const word = frameStart >> 2;
    words[word] = VERSION | (flags << 8);
    words[word + 1] = this.length - frameStart - FRAME_HEADER;
    words[word + 2] = this.frameEvents;
    words[word + 3] = 0;
  }

  private grow(): void {
    const larger = new Uint8Array(this.bytes.length * 2);
    larger.set(this.bytes);
    this.bytes = larger;
    this.words = new Int32Array(larger.buffer);
    this.doubles = new Float64Array(larger.buffer);
    this.view = new DataView(larger.buffer);
  }
}
