// Parses the body of POST /order into a typed order, by hand for speed: every order of the exchange passes here. Each
// refusal names the field and what it must be (wire.md B.6). It checks form only; tokens, wallets, signatures and amounts
// are checked by code that knows the market.
import { OrderType, type Side } from '../../engine/index.ts';
import { isAddress, isBytes32, ZERO_BYTES32 } from '../auth/hex.ts';
import { isUuid } from '../auth/keyIds.ts';
import { isSignatureType, type SignableOrder, type SignatureType } from '../auth/orderDigest.ts';
import { isUint256Decimal } from '../auth/uint256.ts';
import { parseWhole } from '../lib/decimals.ts';
import { type Fields, isAbsent, isFields } from '../lib/jsonFields.ts';
import { BadRequest } from './badRequest.ts';
import { orderTypeOf, sideOf } from './terms.ts';

/** An order as a client signed and sent it; addresses, metadata and builder in lower case. */
export interface SignedOrder extends SignableOrder {
  /** Seconds; 0 = none. Not signed. */
  readonly expiration: number;
  /** 0x text of any even length. */
  readonly signature: string;
  /** Lower case; undefined if the client names none. */
  readonly conditionId: string | undefined;
}

export interface PostedOrder {
  readonly order: SignedOrder;
  /** The posting API key, a lower-case UUID. */
  readonly ownerApiKey: string;
  readonly orderType: OrderType;
  readonly postOnly: boolean;
}

/** An order of another version of the order struct. On it, clients re-read /version and build the order anew. */
interface OtherVersion {
  readonly isOtherVersion: true;
  readonly ownerApiKey: string;
}

function refuse(field: string, must: string): BadRequest {
  return new BadRequest(`Invalid order payload: ${field} ${must}`);
}

function readWhole(fields: Fields, name: string): number {
  const value = fields[name];
  const whole = typeof value === 'string' ? parseWhole(value) : undefined;
  if (whole === undefined) throw refuse(`order.${name}`, 'must be a string of digits up to 9007199254740991');
  return whole;
}

function readAddress(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string' || !isAddress(value)) throw refuse(`order.${name}`, 'must be 0x and 40 hex digits');
  return value.toLowerCase();
}

/** 32 bytes of hex; absent, null and empty mean zero. */
function readBytes32(fields: Fields, name: string): string {
  const value = fields[name];
  if (isAbsent(value) || value === ZERO_BYTES32) return ZERO_BYTES32;
  if (typeof value !== 'string' || !isBytes32(value)) throw refuse(`order.${name}`, 'must be 0x and 64 hex digits');
  return value.toLowerCase();
}

function readSalt(fields: Fields): number | string {
  const { salt } = fields;
  if (typeof salt === 'number') {
    if (Number.isSafeInteger(salt) && salt >= 0) return salt;
    throw refuse(
      'order.salt',
      'must be a whole number up to 9007199254740991 when it is a JSON number; otherwise send salt as a string',
    );
  }
  if (typeof salt === 'string' && isUint256Decimal(salt)) return salt;
  throw refuse('order.salt', 'must be a whole number, or a string of digits below 2^256');
}

function readTokenId(fields: Fields): string {
  const { tokenId } = fields;
  if (typeof tokenId !== 'string' || !isUint256Decimal(tokenId)) {
    throw refuse('order.tokenId', 'must be a string of digits below 2^256');
  }
  return tokenId;
}

function readSide(fields: Fields): Side {
  const side = sideOf(fields.side);
  if (side === undefined) throw refuse('order.side', 'must be BUY or SELL');
  return side;
}

function readSignatureType(fields: Fields): SignatureType {
  const { signatureType } = fields;
  if (isSignatureType(signatureType)) return signatureType;
  throw refuse('order.signatureType', 'must be 0, 1, 2 or 3');
}

const HEX = /^0x(?:[0-9a-fA-F]{2})+$/;
/** Far above the 317 bytes of a wrapped signature. */
export const SIGNATURE_CHARACTERS_MAX = 4096;

function readSignature(fields: Fields): string {
  const { signature } = fields;
  if (typeof signature === 'string' && signature.length > SIGNATURE_CHARACTERS_MAX) {
    throw refuse('order.signature', `must have at most ${SIGNATURE_CHARACTERS_MAX} characters`);
  }
  if (typeof signature !== 'string' || !HEX.test(signature)) {
    throw refuse('order.signature', 'must be 0x and pairs of hex digits');
  }
  return signature;
}

function readConditionId(fields: Fields): string | undefined {
  const { conditionId } = fields;
  if (isAbsent(conditionId)) return undefined;
  if (typeof conditionId !== 'string' || !isBytes32(conditionId)) {
    throw refuse('order.conditionId', 'must be 0x and 64 hex digits');
  }
  return conditionId.toLowerCase();
}

function readExpiration(fields: Fields): number {
  return isAbsent(fields.expiration) ? 0 : readWhole(fields, 'expiration');
}

function readSignedOrder(fields: Fields): SignedOrder {
  return {
    salt: readSalt(fields),
    maker: readAddress(fields, 'maker'),
    signer: readAddress(fields, 'signer'),
    tokenId: readTokenId(fields),
    makerAmount: readWhole(fields, 'makerAmount'),
    takerAmount: readWhole(fields, 'takerAmount'),
    side: readSide(fields),
    signatureType: readSignatureType(fields),
    timestamp: readWhole(fields, 'timestamp'),
    expiration: readExpiration(fields),
    metadata: readBytes32(fields, 'metadata'),
    builder: readBytes32(fields, 'builder'),
    signature: readSignature(fields),
    conditionId: readConditionId(fields),
  };
}

function readOwner(fields: Fields): string {
  const { owner } = fields;
  if (typeof owner !== 'string' || !isUuid(owner)) throw refuse('owner', 'must be the API key, a UUID');
  return owner.toLowerCase();
}

function readOrderType(fields: Fields): OrderType {
  const { orderType } = fields;
  if (orderType === undefined || orderType === null) return OrderType.GTC;
  const known = orderTypeOf(orderType);
  if (known === undefined) throw refuse('orderType', 'must be GTC, GTD, FOK or FAK');
  return known;
}

function readFlag(fields: Fields, name: string): boolean {
  const value = fields[name];
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw refuse(name, 'must be true or false');
  return value;
}

/** The first version of the struct has one of these fields and no timestamp. */
function isFirstVersion(order: Fields): boolean {
  if (order.timestamp !== undefined) return false;
  return order.nonce !== undefined || order.feeRateBps !== undefined || order.taker !== undefined;
}

/**
 * The order of a parsed JSON body; unknown keys are ignored.
 * @throws BadRequest naming the first field that is malformed
 */
export function parsePostedOrder(body: unknown): PostedOrder | OtherVersion {
  if (!isFields(body)) throw new BadRequest('Invalid order payload');
  const { order } = body;
  if (!isFields(order)) throw refuse('order', 'must be an object');
  if (isFirstVersion(order)) return { isOtherVersion: true, ownerApiKey: readOwner(body) };
  const signed = readSignedOrder(order);
  const ownerApiKey = readOwner(body);
  readFlag(body, 'deferExec');
  return { order: signed, ownerApiKey, orderType: readOrderType(body), postOnly: readFlag(body, 'postOnly') };
}

/** Most orders that one POST /orders may carry. */
export const ORDERS_PER_BATCH_MAX = 15;

/**
 * The elements of a POST /orders body, not yet parsed.
 * @throws BadRequest if it is not a list of 1 to 15
 */
export function parseOrderBatch(body: unknown): readonly unknown[] {
  if (!Array.isArray(body) || body.length === 0) throw new BadRequest('Invalid order payload');
  if (body.length > ORDERS_PER_BATCH_MAX) {
    throw new BadRequest(`Too many orders in payload: ${body.length}, max allowed: ${ORDERS_PER_BATCH_MAX}`);
  }
  return body;
}
