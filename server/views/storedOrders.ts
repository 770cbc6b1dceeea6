// Orders of the journal as their owners signed them: the command has some of the fields, its tail the others
// (commands/orderIntake.ts writes both). Called by the tools and checks that read a journal; the views themselves keep only
// what they show.
import { type CommandOf, Side } from '../../engine/index.ts';
import { isSignatureType, type SignableOrder } from '../auth/orderDigest.ts';
import { readTexts } from './texts.ts';

const isText = (value: unknown): value is string => typeof value === 'string';

/** The fields in the command's tail; undefined if it is not a signed order's tail. */
function readTail(tail: Uint8Array | undefined) {
  const { salt, signer, signatureType, tokenId, metadata, builder, signature } = readTexts(tail);
  if (!isText(salt) || !isText(signer) || !isText(tokenId) || !isText(metadata)) return undefined;
  if (!isText(builder) || !isText(signature) || !isSignatureType(signatureType)) return undefined;
  return { salt, signer, signatureType, tokenId, metadata, builder, signature } as const;
}

/** An order as its owner signed it. */
export interface StoredOrder {
  readonly order: SignableOrder;
  readonly signature: string;
}

/** The signed content of an order in the journal; undefined if the command lacks it. */
export function signedOrderOf(command: CommandOf<'PlaceOrder'>): StoredOrder | undefined {
  const tail = readTail(command.tail);
  if (tail === undefined) return undefined;
  const { signature, ...signed } = tail;
  const order: SignableOrder = {
    ...signed,
    maker: command.maker,
    side: command.side === Side.BUY ? 0 : 1,
    makerAmount: command.makerAmountMicro,
    takerAmount: command.takerAmountMicro,
    timestamp: command.timestampMs,
  };
  return { order, signature };
}
