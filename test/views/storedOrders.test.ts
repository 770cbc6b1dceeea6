// The tail of an order's command: what the writer puts there, the scan of the views and the reading of a journal give back, for
// any order. It is in the log for ever, so its text is fixed.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeCommand, encodeCommand } from '../../engine/index.ts';
import { ZERO_BYTES32 } from '../../server/auth/hex.ts';
import type { SignableOrder } from '../../server/auth/orderDigest.ts';
import { orderTailText, scannedTail, signedOrderOf } from '../../server/views/storedOrders.ts';
import { arbitraryOrder } from '../auth/orders.ts';

const signatures = fc
  .uint8Array({ minLength: 1, maxLength: 400, size: 'max' })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);

/** A tail whose two scanned fields have no meaning. */
const WITHOUT_MEANING = '{"signatureType":4,"builder":"0x"}';

/** The command of an order with this tail, as the log gives it back. */
function commandOf({ maker, side, makerAmount, takerAmount, timestamp }: SignableOrder, tail: Uint8Array) {
  const amounts = {
    makerAmountMicro: makerAmount,
    takerAmountMicro: takerAmount,
    timestampMs: timestamp,
    expirationS: 0,
  };
  const place = { marketIndex: 0, outcome: 0, side, orderType: 0, flags: 0 };
  const ids = { orderId: ZERO_BYTES32, keyId: `0x${'00'.repeat(16)}`, maker, owner: maker };
  const command = decodeCommand(encodeCommand({ type: 'PlaceOrder', ...ids, ...place, ...amounts, tail }));
  if (command.type !== 'PlaceOrder') throw new Error(`a ${command.type} was read instead of the order`);
  return command;
}

test('scan and reader of the tail give back any order as it was signed', () => {
  fc.assert(
    fc.property(arbitraryOrder, signatures, (order, signature) => {
      const tail = Buffer.from(orderTailText({ ...order, signature }), 'latin1');
      const { signatureType, builder } = order;
      expect(scannedTail(tail)).toEqual({ signatureType, builder: builder === ZERO_BYTES32 ? '' : builder });
      expect(signedOrderOf(commandOf(order, tail))).toEqual({
        order: { ...order, salt: String(order.salt) },
        signature,
      });
    }),
  );
});

test('the text of a tail is as journals have it', () => {
  const order = { salt: 7, signer: '0x51', signatureType: 2, tokenId: '9', metadata: '0x3e', builder: '0xb1' } as const;
  expect(orderTailText({ ...order, signature: '0x5160' })).toBe(
    '{"salt":"7","signer":"0x51","signatureType":2,"tokenId":"9","metadata":"0x3e","builder":"0xb1","signature":"0x5160"}',
  );
});

test('a tail that is not that of a signed order gives the scan nothing, and the reader no order', () => {
  const [order] = fc.sample(arbitraryOrder, 1);
  const cutOff = orderTailText({ ...order, signature: '0x' }).slice(0, -1);
  for (const text of ['', '{}', '[]', WITHOUT_MEANING, cutOff]) {
    expect(signedOrderOf(commandOf(order, Buffer.from(text))), text).toBeUndefined();
  }
  expect(scannedTail(undefined)).toEqual({ signatureType: 0, builder: '' });
  expect(scannedTail(Buffer.from(WITHOUT_MEANING))).toEqual({ signatureType: 0, builder: '' });
});
