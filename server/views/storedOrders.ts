// Orders of the log as their owners signed them. A command has some of the signed fields; its tail, a JSON text, has the others.
// The tail is written, scanned and parsed here alone: commands/orderIntake.ts writes it, the view of orders scans it, and the
// tools and checks that read a journal parse it. The core never reads it.
import type { CommandOf, Side } from '../../engine/index.ts';
import { isBytes32, ZERO_BYTES32 } from '../auth/hex.ts';
import { isSignatureType, type SignableOrder } from '../auth/orderDigest.ts';
import { readTexts } from './texts.ts';

/** An order as its owner signed it. */
export interface StoredOrder {
  readonly order: SignableOrder;
  readonly signature: string;
}

/** The fields that are in the tail. */
type Tail = Pick<SignableOrder, 'salt' | 'signer' | 'signatureType' | 'tokenId' | 'metadata' | 'builder'> &
  Pick<StoredOrder, 'signature'>;

/** The tail of an order's command, in ASCII. */
export function orderTailText({ salt, signer, signatureType, tokenId, metadata, builder, signature }: Tail): string {
  return (
    `{"salt":"${salt}","signer":"${signer}","signatureType":${signatureType},"tokenId":"${tokenId}",` +
    `"metadata":"${metadata}","builder":"${builder}","signature":"${signature}"}`
  );
}

const SIGNATURE_TYPE_KEY = '"signatureType":';
const BUILDER_KEY = '"builder":"';

/**
 * Finds two fields in a tail's text: parsing the JSON would cost more than the whole record.
 * @returns type 0 and an empty builder where the tail has none; the builder is also empty if it is zero
 */
export function scannedTail(tail: Uint8Array | undefined): {
  readonly signatureType: number;
  readonly builder: string;
} {
  if (tail === undefined) return { signatureType: 0, builder: '' };
  const bytes = Buffer.isBuffer(tail) ? tail : Buffer.from(tail);
  const text = bytes.toString('latin1');
  const typeAt = text.indexOf(SIGNATURE_TYPE_KEY);
  const digit = typeAt < 0 ? 0 : text.charCodeAt(typeAt + SIGNATURE_TYPE_KEY.length) - 0x30;
  const signatureType = digit >= 0 && digit <= 3 ? digit : 0;
  const builderAt = text.indexOf(BUILDER_KEY);
  const from = builderAt + BUILDER_KEY.length;
  if (builderAt < 0 || text.startsWith(ZERO_BYTES32, from)) return { signatureType, builder: '' };
  const builder = bytes.toString('latin1', from, from + ZERO_BYTES32.length);
  return { signatureType, builder: isBytes32(builder) ? builder : '' };
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** All fields of a tail; undefined if it is not a signed order's. */
function parsedTail(tail: Uint8Array | undefined) {
  const { salt, signer, signatureType, tokenId, metadata, builder, signature } = readTexts(tail);
  if (!isText(salt) || !isText(signer) || !isText(tokenId) || !isText(metadata)) return undefined;
  if (!isText(builder) || !isText(signature) || !isSignatureType(signatureType)) return undefined;
  return { salt, signer, signatureType, tokenId, metadata, builder, signature } as const;
}

/** The signed content of an order in the journal; undefined if the command lacks it. */
export function signedOrderOf(command: CommandOf<'PlaceOrder'>): StoredOrder | undefined {
  const tail = parsedTail(command.tail);
  if (tail === undefined) return undefined;
  const { signature, ...signed } = tail;
  const order: SignableOrder = {
    ...signed,
    maker: command.maker,
    side: command.side as Side, // the layout bounds it to 0..1
    makerAmount: command.makerAmountMicro,
    takerAmount: command.takerAmountMicro,
    timestamp: command.timestampMs,
  };
  return { order, signature };
}
