// Interface B.3 and B.3a: a signature is valid for the one order, type, wallet, chain and contract that it was made for,
// and in one form. A difference in a single place is refused, and nothing comes to rest; the right order is then accepted.
import { concatHex, domainSeparator, type Hex, size } from 'viem';
import { expect, test } from 'vitest';
import { ZERO_BYTES32 } from '../../server/auth/hex.ts';
import type { SignableOrder } from '../../server/auth/orderDigest.ts';
import { asHex, typedDataOf } from '../auth/orders.ts';
import { world } from './ownWorld.ts';
import {
  exchangeV2,
  expectRefusal,
  expectToRest,
  market,
  negRiskAdapter,
  negRiskExchangeV2,
  ORDER_TYPE,
  orderFrom,
  post,
  SIGNATURE_REFUSED,
  type Signing,
  sign,
  thief,
  victim,
  walletOfType,
  walletsOf,
} from './thiefAndVictim.ts';
import { createMarket, deriver, signatureTypes } from './world.ts';

const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const pairs = signatureTypes.flatMap((signed) =>
  signatureTypes.filter((sent) => sent !== signed).map((sent) => ({ signed, sent })),
);

test.each(pairs)('a signature of type $signed is rejected as type $sent', async ({ signed, sent }) => {
  const order = orderFrom(thief.owner, walletOfType(thief.owner, signed), signed);
  const signature = await sign(order, thief.account);
  expectRefusal(await post(thief, { ...order, signatureType: sent }, signature), /^(maker|the order signer|invalid)/);
  // Also where wallet and signer match the type that is sent, so that only the signature is wrong.
  const fitting = orderFrom(thief.owner, walletOfType(thief.owner, sent), sent, { salt: order.salt });
  const sentOrder = { ...fitting, timestamp: order.timestamp };
  expectRefusal(await post(thief, sentOrder, signature), SIGNATURE_REFUSED);
  // And where the order that is sent was signed, but in the form of the other type.
  const otherForm = await sign({ ...sentOrder, signatureType: signed }, thief.account);
  expectRefusal(await post(thief, sentOrder, otherForm), SIGNATURE_REFUSED);
  await expectToRest(thief, await post(thief, sentOrder, await sign(sentOrder, thief.account)), sentOrder.maker);
});

test('an order with any signed field changed after signing is rejected', async () => {
  for (const type of signatureTypes) {
    const order = orderFrom(thief.owner, walletOfType(thief.owner, type), type);
    const signature = await sign(order, thief.account);
    const changes: readonly Partial<SignableOrder>[] = [
      { salt: Number(order.salt) + 1_000_000 },
      { tokenId: market.no },
      { makerAmount: 3_100_000 },
      { takerAmount: 20_000_000 },
      { side: 1 },
      { timestamp: order.timestamp + 1 },
      { metadata: `0x${'1'.repeat(64)}` },
      { builder: `0x${'1'.repeat(64)}` },
    ];
    for (const change of changes) {
      expectRefusal(await post(thief, { ...order, ...change }, signature), SIGNATURE_REFUSED, Object.keys(change));
    }
    // The maker: changed to every other wallet of the owner, and to those of somebody else.
    for (const [maker] of [...walletsOf(thief.owner), ...walletsOf(victim.owner)]) {
      if (maker === order.maker) continue;
      const changed = { ...order, maker, ...(type === 3 && { signer: maker }) };
      expectRefusal(await post(thief, changed, signature), /^(maker address not allowed|invalid signature)/, maker);
    }
  }
  // Both deposit forms are type 3, so only the signature tells them apart.
  const { depositBeacon, depositUups } = deriver.derivedWallets(thief.owner);
  const order = orderFrom(thief.owner, depositBeacon, 3);
  const moved = { ...order, maker: depositUups, signer: depositUups };
  expectRefusal(await post(thief, moved, await sign(order, thief.account)), SIGNATURE_REFUSED);
});

test('an order for a wallet of the caller is rejected if another key signed it', async () => {
  for (const [wallet, type] of walletsOf(thief.owner)) {
    const order = orderFrom(thief.owner, wallet, type);
    expectRefusal(await post(thief, order, await sign(order, victim.account)), SIGNATURE_REFUSED, type);
  }
});

test('a wrapped signature is valid only for its own wallet, domain, order and type string', async () => {
  const { depositBeacon, depositUups } = deriver.derivedWallets(thief.owner);
  const foreign = deriver.derivedWallets(victim.owner).depositBeacon;
  const otherDomain = domainSeparator({
    domain: typedDataOf(orderFrom(thief.owner, depositBeacon, 3), 137, negRiskExchangeV2).domain,
  });
  const signings: readonly Signing[] = [
    { wrapper: { verifyingContract: asHex(foreign) } },
    { wrapper: { verifyingContract: asHex(depositUups) } },
    { wrapper: { verifyingContract: asHex(thief.owner) } },
    { wrapper: { name: 'depositWallet' } },
    { wrapper: { version: '2' } },
    { wrapper: { chainId: 80_002n } },
    { wrapper: { salt: asHex(`0x${'1'.repeat(64)}`) } },
    { separator: otherDomain },
    { separator: asHex(ZERO_BYTES32) },
    { contentsHash: asHex(ZERO_BYTES32) },
    { contentsHash: asHex(`0x${'1'.repeat(64)}`) },
    { typeText: ORDER_TYPE.replace('uint256 salt', 'uint256 sale') },
    { typeText: ORDER_TYPE.replace('Order(', 'Other(') },
    { typeText: `${ORDER_TYPE} ` },
    { typeText: ORDER_TYPE.slice(1) },
    { typeText: '' },
    { typeLength: 0 },
    { typeLength: 185 },
    { typeLength: 65_535 },
    { inner: (signature) => `0x${signature.slice(4)}` },
    { inner: (signature) => concatHex([signature, '0x00']) },
    { inner: () => `0x${'0'.repeat(130)}` },
  ];
  for (const signing of signings) {
    const order = orderFrom(thief.owner, depositBeacon, 3);
    expectRefusal(await post(thief, order, await sign(order, thief.account, signing)), SIGNATURE_REFUSED, signing);
  }
  const order = orderFrom(thief.owner, depositBeacon, 3);
  const wrapped = await sign(order, thief.account);
  expect(size(wrapped)).toBe(317);
  const plain = await thief.account.signTypedData(typedDataOf(order, 137, exchangeV2));
  const ofOther = await sign(orderFrom(thief.owner, depositBeacon, 3), thief.account);
  const joined = concatHex([`0x${ofOther.slice(2, 132)}`, `0x${wrapped.slice(132)}`]);
  for (const signature of [plain, ofOther, joined, `${wrapped}00`, wrapped.slice(0, -2), `0x00${wrapped.slice(2)}`]) {
    expectRefusal(await post(thief, order, signature), SIGNATURE_REFUSED, size(asHex(signature)));
  }
  await expectToRest(thief, await post(thief, order, wrapped), depositBeacon);
});

test('an order signed for another chain or contract is rejected', async () => {
  const signings: readonly Signing[] = [
    { chainId: 1 },
    { chainId: 80_002 },
    { chainId: 31_337 },
    { exchange: negRiskExchangeV2 },
    { exchange: negRiskAdapter },
    { exchange: `0x${'0'.repeat(40)}` },
    { exchange: `0x${'1'.repeat(40)}` },
  ];
  for (const type of signatureTypes) {
    for (const signing of signings) {
      const order = orderFrom(thief.owner, walletOfType(thief.owner, type), type);
      expectRefusal(await post(thief, order, await sign(order, thief.account, signing)), SIGNATURE_REFUSED, signing);
    }
  }
});

test('neg-risk markets accept only signatures for their own contract; ordinary ones reject them', async () => {
  const negRisk = await createMarket(world.url, { negRisk: true });
  for (const type of signatureTypes) {
    const wallet = walletOfType(thief.owner, type);
    const order = orderFrom(thief.owner, wallet, type, { tokenId: negRisk.yes });
    expectRefusal(await post(thief, order, await sign(order, thief.account)), SIGNATURE_REFUSED, type);
    const right = await sign(order, thief.account, { exchange: negRiskExchangeV2 });
    // The same signature with the token of an ordinary market.
    expectRefusal(await post(thief, { ...order, tokenId: market.yes }, right), SIGNATURE_REFUSED, type);
    await expectToRest(thief, await post(thief, order, right), wallet);
  }
});

/** The other signature that satisfies the same curve equation: s replaced by the curve order minus s, v flipped. */
function highTwin(signature: Hex): Hex {
  const s = CURVE_ORDER - BigInt(`0x${signature.slice(66, 130)}`);
  const v = signature.slice(130) === '1b' ? '1c' : '1b';
  return `0x${signature.slice(2, 66)}${s.toString(16).padStart(64, '0')}${v}`;
}

test('a signature has one valid form: high s, other v and other lengths are rejected', async () => {
  const forms: readonly ((signature: Hex) => Hex)[] = [
    highTwin,
    (signature) => `0x${signature.slice(2, 130)}${signature.slice(130) === '1b' ? '1c' : '1b'}`,
    (signature) => `0x${signature.slice(2, 130)}${signature.slice(130) === '1b' ? '00' : '01'}`,
    (signature) => `0x${signature.slice(2, 130)}25`,
    (signature) => `0x${signature.slice(2, 130)}`,
    (signature) => `${signature}00`,
    (signature) => `0x${'0'.repeat(64)}${signature.slice(66)}`,
    (signature) => `0x${signature.slice(2, 66)}${'0'.repeat(64)}${signature.slice(130)}`,
    (signature) => `0x${CURVE_ORDER.toString(16)}${signature.slice(66)}`,
  ];
  for (const type of signatureTypes) {
    const order = orderFrom(thief.owner, walletOfType(thief.owner, type), type);
    for (const inner of forms) {
      expectRefusal(await post(thief, order, await sign(order, thief.account, { inner })), SIGNATURE_REFUSED, inner);
    }
    const right = await sign(order, thief.account);
    const upper = `0x${right.slice(2).toUpperCase()}`;
    await expectToRest(thief, await post(thief, order, upper), order.maker);
    // Once the order is placed, no other form of the signature places it again.
    expectRefusal(await post(thief, order, await sign(order, thief.account, { inner: highTwin })), SIGNATURE_REFUSED);
    expectRefusal(await post(thief, order, right), /Duplicated/);
  }
});
