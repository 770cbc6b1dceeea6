// The binary records: every command and event with its fields, their order, widths and bounds, defined once. The codec, the
// event writer, the core's readers and `verify` all take their offsets from here. Numbers are little-endian and aligned to
// their own width, and the length of a record is a multiple of 8 bytes: both can be read and written through typed arrays. A
// change of any layout changes the format of journals: raise PROTOCOL_VERSION and keep reading the old one.
import { limits } from './limits.ts';

/** Version byte of every command and event frame. */
export const PROTOCOL_VERSION = 1;

export type NumberKind = 'u8' | 'u16' | 'u32' | 'uint53';
export type BytesKind = 'bytes16' | 'bytes20' | 'bytes32';
export type FieldKind = NumberKind | BytesKind;

export interface Field<K extends FieldKind = FieldKind> {
  readonly kind: K;
  /** Largest value of a number; 0 for bytes. */
  readonly max: number;
}
export type Fields = Readonly<Record<string, Field>>;

/** Bytes of a field of each kind. A uint53 is stored as a 64-bit float, which holds it exactly. */
export const KIND_BYTES: Readonly<Record<FieldKind, number>> = {
  u8: 1,
  u16: 2,
  u32: 4,
  uint53: 8,
  bytes16: 16,
  bytes20: 20,
  bytes32: 32,
};

/** Alignment of a field's offset, bytes. */
const KIND_ALIGNMENT: Readonly<Record<FieldKind, number>> = {
  u8: 1,
  u16: 2,
  u32: 4,
  uint53: 8,
  bytes16: 4,
  bytes20: 4,
  bytes32: 4,
};
/** The length of a record is a multiple of this many bytes. */
export const RECORD_ALIGNMENT = 8;

const u8 = (max = 255): Field<'u8'> => ({ kind: 'u8', max });
const u16 = (max = 65_535): Field<'u16'> => ({ kind: 'u16', max });
const u32 = (max = 4_294_967_295): Field<'u32'> => ({ kind: 'u32', max });
const uint53: Field<'uint53'> = { kind: 'uint53', max: Number.MAX_SAFE_INTEGER };
const bytes16: Field<'bytes16'> = { kind: 'bytes16', max: 0 };
const bytes20: Field<'bytes20'> = { kind: 'bytes20', max: 0 };
const bytes32: Field<'bytes32'> = { kind: 'bytes32', max: 0 };
const flag = u8(1);

export interface Layout<F extends Fields = Fields> {
  readonly type: number;
  readonly fields: F;
  readonly offsets: { readonly [K in keyof F]: number };
  /** Bytes of the fixed head after the header, padded to a multiple of 8 bytes of the record. */
  readonly headBytes: number;
  /** Offsets of the head's padding bytes, which are 0. */
  readonly gaps: readonly number[];
  /** Kind of the repeated items after the head, and how many there may be. */
  readonly item: BytesKind | undefined;
  readonly itemsMax: number;
}

/** Header of a command: u8 version, u8 type, u16 item count, u32 tail bytes. */
export const COMMAND_AT = { version: 0, type: 1, itemCount: 2, tailBytes: 4 } as const;
export const COMMAND_HEADER_BYTES = 8;
/** Header of an event: u8 type, u8 zero, u16 head bytes. */
export const EVENT_AT = { type: 0, zero: 1, headBytes: 2 } as const;
export const EVENT_HEADER_BYTES = 4;
/** Header of a frame: u8 version, u8 flags, u16 zero, u32 bytes after the header, u32 number of its events, u32 zero. */
export const FRAME_AT = { version: 0, flags: 1, zero: 2, bodyBytes: 4, eventCount: 8, lastZero: 12 } as const;
export const FRAME_HEADER_BYTES = 16;
/** The flag of a frame that more frames of the same command follow. */
export const FRAME_MORE = 1;

function layout<F extends Fields>(
  type: number,
  headerBytes: number,
  fields: F,
  item?: { readonly kind: BytesKind; readonly max: number },
): Layout<F> {
  const offsets: Record<string, number> = {};
  const gaps: number[] = [];
  let end = headerBytes;
  const pad = (alignment: number): void => {
    for (; end % alignment !== 0; end += 1) gaps.push(end);
  };
  for (const [name, { kind }] of Object.entries(fields)) {
    pad(KIND_ALIGNMENT[kind]);
    offsets[name] = end;
    end += KIND_BYTES[kind];
  }
  pad(RECORD_ALIGNMENT);
  return {
    type,
    fields,
    offsets: offsets as { [K in keyof F]: number }, // filled from the same keys just above
    headBytes: end - headerBytes,
    gaps,
    item: item?.kind,
    itemsMax: item?.max ?? 0,
  };
}

const command = <F extends Fields>(
  type: number,
  fields: F,
  item?: { readonly kind: BytesKind; readonly max: number },
): Layout<F> => layout(type, COMMAND_HEADER_BYTES, fields, item);
const event = <F extends Fields>(type: number, fields: F): Layout<F> => layout(type, EVENT_HEADER_BYTES, fields);

/** The terms of a market, as the commands and events that state them have them; the rate in 1e-4. */
export const marketTerms = {
  status: u8(4),
  negRisk: flag,
  autoTick: flag,
  feeExponent: u8(),
  tickPips: u16(),
  feeRate: u16(),
  minOrderLots: u32(),
  delaySeconds: u32(),
  minMarketableBuyMicro: uint53,
} as const;

/** Commands. Tails are opaque to the core: JSON texts, or the signed order as it came. */
export const commandLayouts = {
  /** The first command after each start: carries every setting that results depend on. */
  Started: command(1, {
    rulesVersion: u32(),
    orderWindowMs: uint53,
    heartbeatWindowMs: uint53,
    minedDelayMs: uint53,
    confirmedDelayMs: uint53,
    /** Collateral that an owner's first API key credits to each of its wallets; 0 outside development. */
    creditMicro: uint53,
  }),
  /** Carries nothing but the time. */
  Tick: command(2, {}),
  PlaceOrder: command(3, {
    orderId: bytes32,
    keyId: bytes16,
    maker: bytes20,
    owner: bytes20,
    marketIndex: u32(),
    outcome: u8(1),
    side: u8(1),
    orderType: u8(3),
    flags: u8(7),
    makerAmountMicro: uint53,
    takerAmountMicro: uint53,
    timestampMs: uint53,
    expirationS: uint53,
  }),
  /** Items: order ids. */
  CancelOrders: command(4, { owner: bytes20, keyId: bytes16 }, { kind: 'bytes32', max: limits.cancelIdsMax }),
  CancelAll: command(5, { owner: bytes20, keyId: bytes16 }),
  /** Orders of one market; outcome 2 = both tokens. */
  CancelMarket: command(6, { owner: bytes20, keyId: bytes16, marketIndex: u32(), outcome: u8(2) }),
  /** `given` = the id the client sent, zero for none; `next` = a fresh id to hand out; refresh = the older form without ids. */
  Heartbeat: command(7, { owner: bytes20, keyId: bytes16, given: bytes16, next: bytes16, refresh: flag }),
  /** Tail: texts (JSON). */
  CreateEvent: command(8, { negRisk: flag }),
  /** Event number 0 = none. Tail: texts (JSON). */
  CreateMarket: command(9, {
    eventNumber: u32(),
    conditionId: bytes32,
    firstToken: bytes32,
    secondToken: bytes32,
    ...marketTerms,
  }),
  /** `mask` (MarketField bits) selects the terms that apply. Tail: changed texts (JSON) or empty. */
  UpdateMarket: command(10, { marketIndex: u32(), mask: u8(127), ...marketTerms }),
  ResolveMarket: command(11, { marketIndex: u32(), resolution: u8(2) }),
  Deposit: command(12, { wallet: bytes20, owner: bytes20, amountMicro: uint53, isFaucet: flag }),
  Withdraw: command(13, { wallet: bytes20, owner: bytes20, amountMicro: uint53 }),
  /** Test shares: a deposit that is split; the other leg goes to HOUSE. */
  FaucetShares: command(14, {
    wallet: bytes20,
    owner: bytes20,
    marketIndex: u32(),
    outcome: u8(1),
    amountMicro: uint53,
  }),
  Split: command(15, {
    wallet: bytes20,
    owner: bytes20,
    keyId: bytes16,
    marketIndex: u32(),
    amountMicro: uint53,
    flags: u8(3),
  }),
  Merge: command(16, {
    wallet: bytes20,
    owner: bytes20,
    keyId: bytes16,
    marketIndex: u32(),
    amountMicro: uint53,
    flags: u8(3),
  }),
  Redeem: command(17, { wallet: bytes20, owner: bytes20, keyId: bytes16, marketIndex: u32(), flags: u8(3) }),
  SetExchangeMode: command(18, { mode: u8(4) }),
  /** Sets the flags (AccountFlag bits) selected by `mask` to those of `flags`. */
  SetAccountFlags: command(19, { owner: bytes20, mask: u8(3), flags: u8(3) }),
  /** Items: the wallets that the first key of this owner credits. */
  CreateApiKey: command(
    20,
    { owner: bytes20, keyId: bytes16, nonce: uint53, generation: u32(), kind: u8(2) },
    { kind: 'bytes20', max: limits.creditWalletsMax },
  ),
  DeleteApiKey: command(21, { owner: bytes20, keyId: bytes16 }),
  BindWallet: command(22, { owner: bytes20, wallet: bytes20, signatureType: u8(3) }),
  /** The credit of an owner's first key, without a key. Items: wallets. */
  CreditOwner: command(23, { owner: bytes20 }, { kind: 'bytes20', max: limits.creditWalletsMax }),
  /** Notifications that their owner no longer wants to see. Items: their numbers, see notificationIds.ts. */
  DropNotifications: command(
    24,
    { owner: bytes20, keyId: bytes16 },
    { kind: 'bytes16', max: limits.notificationIdsMax },
  ),
} as const;

/** Events. An event that moves money states the resulting balances (micro). */
export const eventLayouts = {
  Rejected: event(1, { code: u16(), a: uint53, b: uint53, c: uint53 }),
  AccountOpened: event(2, { accountId: u32(), wallet: bytes20, owner: bytes20 }),
  /** The order of this record's PlaceOrder was accepted; the events that follow say what became of it. */
  OrderAccepted: event(3, {
    accountId: u32(),
    orderNumber: uint53,
    marketIndex: u32(),
    outcome: u8(1),
    side: u8(1),
    orderType: u8(3),
    flags: u8(3),
    /** Size asked for, in lots; for a FOK or FAK BUY the lots that its budget buys at its limit. */
    originalLots: u32(),
    /** Limit under the tick at entry, in the order's own token. */
    pricePips: u16(),
  }),
  /** A FOK or FAK order that found nothing, or not enough: its id is remembered and nothing traded. */
  OrderKilled: event(4, {
    accountId: u32(),
    orderNumber: uint53,
    marketIndex: u32(),
    outcome: u8(1),
    side: u8(1),
    orderType: u8(3),
    code: u16(),
    pricePips: u16(),
    originalLots: u32(),
    /** First figure of the rejection. */
    a: uint53,
  }),
  OrderRested: event(5, { lots: u32(), orderNumber: uint53 }),
  OrderDelayed: event(6, { orderNumber: uint53, releaseAtMs: uint53 }),
  OrderReleased: event(7, { orderNumber: uint53 }),
  /** A taker that got all it asked for. A maker is filled when a Fill leaves it 0 lots. */
  OrderFilled: event(8, { orderNumber: uint53 }),
  OrderCanceled: event(9, { lots: u32(), orderNumber: uint53, reason: u8(13) }),
  /** One maker's part of the Trade that follows; price in the maker's own token. */
  Fill: event(10, {
    lots: u32(),
    makerOrderNumber: uint53,
    remainingLots: u32(),
    pricePips: u16(),
    kind: u8(2),
    makerCollateralMicro: uint53,
    makerSharesMicro: uint53,
  }),
  /** Closes the fills before it: one taker order at one price (in the taker's token). */
  Trade: event(11, {
    marketIndex: u32(),
    takerOrderNumber: uint53,
    /** Numbered from 1 within the market. */
    tradeNumber: uint53,
    fillCount: u32(),
    lots: u32(),
    feeMicro: uint53,
    takerCollateralMicro: uint53,
    takerSharesMicro: uint53,
    feesCollateralMicro: uint53,
    vaultMicro: uint53,
    pricePips: u16(),
  }),
  TradeStatusChanged: event(12, { marketIndex: u32(), tradeNumber: uint53, status: u8(2) }),
  CancelRefused: event(13, { orderId: bytes32, reason: u8(1) }),
  EventCreated: event(14, { eventNumber: u32() }),
  MarketCreated: event(15, {
    marketIndex: u32(),
    eventNumber: u32(),
    conditionId: bytes32,
    firstToken: bytes32,
    secondToken: bytes32,
    ...marketTerms,
  }),
  /** All terms after the change. */
  MarketUpdated: event(16, { marketIndex: u32(), ...marketTerms }),
  MarketResolved: event(17, { marketIndex: u32(), resolution: u8(2) }),
  CollateralChanged: event(18, { accountId: u32(), kind: u8(3), amountMicro: uint53, collateralMicro: uint53 }),
  SharesCredited: event(19, {
    accountId: u32(),
    marketIndex: u32(),
    outcome: u8(1),
    amountMicro: uint53,
    sharesMicro: uint53,
    houseSharesMicro: uint53,
    vaultMicro: uint53,
  }),
  PositionSplit: event(20, {
    accountId: u32(),
    marketIndex: u32(),
    amountMicro: uint53,
    collateralMicro: uint53,
    firstSharesMicro: uint53,
    secondSharesMicro: uint53,
    vaultMicro: uint53,
  }),
  PositionMerged: event(21, {
    accountId: u32(),
    marketIndex: u32(),
    amountMicro: uint53,
    collateralMicro: uint53,
    firstSharesMicro: uint53,
    secondSharesMicro: uint53,
    vaultMicro: uint53,
  }),
  /** All shares of both tokens are burned. */
  PositionRedeemed: event(22, {
    accountId: u32(),
    marketIndex: u32(),
    firstBurnedMicro: uint53,
    secondBurnedMicro: uint53,
    payoutMicro: uint53,
    collateralMicro: uint53,
    vaultMicro: uint53,
    dustMicro: uint53,
  }),
  ExchangeModeChanged: event(23, { mode: u8(4) }),
  AccountFlagsChanged: event(24, { owner: bytes20, flags: u8(3) }),
  HeartbeatAccepted: event(25, { keyId: bytes16, next: bytes16, deadlineMs: uint53 }),
  /** The id was wrong; states the expected one. */
  HeartbeatRefused: event(26, { keyId: bytes16, expected: bytes16 }),
  HeartbeatLapsed: event(27, { keyId: bytes16 }),
  ApiKeyCreated: event(28, { owner: bytes20, keyId: bytes16, nonce: uint53, generation: u32(), kind: u8(2) }),
  ApiKeyDeleted: event(29, { owner: bytes20, keyId: bytes16 }),
  WalletBound: event(30, { owner: bytes20, wallet: bytes20, signatureType: u8(3) }),
} as const;

function assertTypesDiffer(kind: string, table: Readonly<Record<string, Layout>>): void {
  const types = new Set<number>();
  for (const [name, { type }] of Object.entries(table)) {
    if (types.has(type)) throw new Error(`layout: ${kind} type ${type} of ${name} is defined twice`);
    types.add(type);
  }
}
assertTypesDiffer('command', commandLayouts);
assertTypesDiffer('event', eventLayouts);
