// The check of the orders in a journal against what their owners signed: whoever writes the journal cannot change an order, give
// it to somebody else or make one up unnoticed.
import { expect, test } from 'vitest';
import { Exchange } from '../../engine/core/index.ts';
import { type Command, type CommandOf, EventWriter, encodeCommand, Side } from '../../engine/index.ts';
import { chainContracts } from '../../server/auth/contracts.ts';
import { bytesToHex, ZERO_BYTES32 } from '../../server/auth/hex.ts';
import { orderHasher, type SignableOrder, SignatureType } from '../../server/auth/orderDigest.ts';
import { signOrder } from '../../server/auth/orderSignature.ts';
import { addressOfPrivateKey } from '../../server/auth/secp256k1.ts';
import { SignatureCheck } from '../../server/tools/orderSignatures.ts';
import { orderTailText } from '../../server/views/storedOrders.ts';
import { wordOf } from '../support/hex.ts';
import { PLAIN_TERMS } from '../support/plainTerms.ts';

const ADDRESS = `0x${'11'.repeat(20)}`;
const CHAIN_ID = 137;
const hasher = orderHasher(chainContracts(CHAIN_ID));
const [KEY, OTHER_KEY] = [`0x${'01'.repeat(32)}`, `0x${'02'.repeat(32)}`];
const [OWNER, OTHER] = [KEY, OTHER_KEY].map(addressOfPrivateKey);

/** A check that has seen two markets: a plain one with the tokens 1 and 2, and a neg-risk one with 3 and 4. */
function checkOfTwoMarkets(): SignatureCheck {
  const check = new SignatureCheck(hasher);
  const exchange = new Exchange();
  for (const negRisk of [0, 1]) {
    const [firstToken, secondToken] = [wordOf(1 + 2 * negRisk), wordOf(2 + 2 * negRisk)];
    const ids = { conditionId: wordOf(100 + negRisk), firstToken, secondToken };
    const command = encodeCommand({ type: 'CreateMarket', eventNumber: 0, ...ids, ...PLAIN_TERMS, negRisk });
    const writer = new EventWriter();
    writer.begin();
    exchange.apply(1_000, command, writer);
    writer.finish();
    check.checkRecord({ sequence: negRisk + 1, command, events: writer.bytes.slice(0, writer.length) });
  }
  return check;
}

/** An order for a token, signed by a key for a market's contract. */
function signedCommand(tokenId: string, marketIndex: 0 | 1, key = KEY, more: Partial<SignableOrder> = {}) {
  const [signer, negRisk] = [addressOfPrivateKey(key), marketIndex === 1];
  const order: SignableOrder = {
    ...{ salt: '7', maker: signer, signer, tokenId, makerAmount: 500_000, takerAmount: 1_000_000, side: Side.BUY },
    ...{ signatureType: SignatureType.EOA, timestamp: 1_000, metadata: ZERO_BYTES32, builder: ZERO_BYTES32 },
    ...more,
  };
  const signature = signOrder(order, key, hasher.domain(negRisk));
  const command: CommandOf<'PlaceOrder'> = {
    ...{ type: 'PlaceOrder', orderId: bytesToHex(hasher.digest(order, negRisk)), keyId: `0x${'00'.repeat(16)}` },
    ...{ maker: order.maker, owner: order.maker, marketIndex, outcome: 0, side: order.side, orderType: 0, flags: 0 },
    ...{ makerAmountMicro: order.makerAmount, takerAmountMicro: order.takerAmount, timestampMs: order.timestamp },
    ...{ expirationS: 0, tail: Buffer.from(orderTailText({ ...order, signature })) },
  };
  return command;
}

/** Checks commands; returns the number of orders that passed. */
function passed(...commands: readonly Command[]): number {
  const check = checkOfTwoMarkets();
  for (const command of commands) {
    check.checkRecord({ sequence: 3, command: encodeCommand(command), events: new Uint8Array() });
  }
  return check.orderCount;
}

test('orders as their owners signed them pass, each under the contract of its market', () => {
  const second = { ...signedCommand('2', 0), outcome: 1 };
  expect(passed(signedCommand('1', 0), second, signedCommand('3', 1))).toBe(3);
});

test('an order that was changed, or that another key signed, is found', () => {
  const mine = signedCommand('1', 0);
  const theirs = signedCommand('1', 0, OTHER_KEY);
  const forged = signedCommand('1', 0, OTHER_KEY, { maker: OWNER, signer: OWNER });
  const changed: readonly (readonly [object, string | RegExp])[] = [
    [{ outcome: 1 }, 'it was signed for the token 1.'],
    [{ marketIndex: 1 }, 'it was signed for the token 1.'],
    [{ ...signedCommand('3', 0), marketIndex: 1 }, `on chain ${CHAIN_ID} and its contracts.`],
    [{ side: Side.SELL }, 'its id should be'],
    [{ makerAmountMicro: 500_001 }, 'its id should be'],
    [{ takerAmountMicro: 999_999 }, 'its id should be'],
    [{ timestampMs: 1_001 }, 'its id should be'],
    [{ maker: OTHER }, 'its id should be'],
    [{ owner: OTHER }, `${OWNER} signed it, and its owner is ${OTHER}.`],
    [{ ...theirs, owner: OWNER }, `${OTHER} signed it, and its owner is ${OWNER}.`],
    [forged, `The signature was made by ${OTHER}; the order names ${OWNER} as its signer.`],
    [{ tail: Buffer.from('{}') }, 'what was signed is not there.'],
  ];
  for (const [change, reason] of changed) {
    expect(() => passed({ ...mine, ...change }), JSON.stringify(change)).toThrow(reason);
    expect(() => passed({ ...mine, ...change })).toThrow('at sequence 3 is not as its owner signed it: ');
  }
});

test('an order for a market that does not exist is not counted as checked', () => {
  const check = new SignatureCheck(hasher);
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
