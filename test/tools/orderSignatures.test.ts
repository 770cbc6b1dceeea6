// The count of orders whose signatures a verification of the journal has checked. journalTools.test.ts covers the checks
// themselves.
import { expect, test } from 'vitest';
import { encodeCommand } from '../../engine/index.ts';
import { chainContracts } from '../../server/auth/contracts.ts';
import { orderHasher } from '../../server/auth/orderDigest.ts';
import { SignatureCheck } from '../../server/tools/orderSignatures.ts';

const ADDRESS = `0x${'11'.repeat(20)}`;
const CHAIN_ID = 137;

test('an order for a market that does not exist is not counted as checked', () => {
  const check = new SignatureCheck(orderHasher(chainContracts(CHAIN_ID)));
  const zeros = `0x${'00'.repeat(32)}`;
  const signed = { salt: '1', signer: ADDRESS, tokenId: '1', metadata: zeros, builder: zeros, signatureType: 0 };
  const command = encodeCommand({
    ...{ type: 'PlaceOrder', orderId: zeros, keyId: `0x${'00'.repeat(16)}`, maker: ADDRESS, owner: ADDRESS },
    ...{ marketIndex: 7, outcome: 0, side: 0, orderType: 0, flags: 0, makerAmountMicro: 1, takerAmountMicro: 1 },
    ...{ timestampMs: 1, expirationS: 0, tail: Buffer.from(JSON.stringify({ ...signed, signature: '0x' })) },
  });
  check.checkRecord({ sequence: 1, command, events: new Uint8Array() });
  expect(check.orderCount).toBe(0);
});
