// Interface B.3 and B.3a from the thief's side: an order for a wallet that is not the caller's, or that the caller's key did
// not sign as it stands, is refused in every way that can be tried, and nothing comes to rest. Signatures are made by viem,
// so that each can be wrong in one place alone. With each kind of refusal goes the right order that is taken.
import { Chain, getContractConfig } from '@polymarket/clob-client-v2';
import { concatHex, domainSeparator, type Hex, hashStruct, numberToHex, size, stringToHex } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SignableOrder } from '../../server/auth/orderDigest.ts';
import { walletDeriver } from '../../server/auth/wallets.ts';
import { asHex, typedDataOf, wrappedTypedDataOf } from '../auth/orders.ts';
import { world } from './ownWorld.ts';
import {
  admin,
  createMarket,
  giveShares,
  type Market,
  newTrader,
  type RawReply,
  raw,
  Side,
  signedRaw,
  type Trader,
  take,
} from './world.ts';

const { exchangeV2, negRiskExchangeV2, negRiskAdapter } = getContractConfig(Chain.POLYGON);
const ZERO_BYTES32 = `0x${'0'.repeat(64)}`;
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const ORDER_TYPE =
  'Order(uint256 salt,address maker,address signer,uint256 tokenId,uint256 makerAmount,uint256 takerAmount,' +
  'uint8 side,uint8 signatureType,uint256 timestamp,bytes32 metadata,bytes32 builder)';

type SignatureType = SignableOrder['signatureType'];
const signatureTypes: readonly SignatureType[] = [0, 1, 2, 3];
const deriver = walletDeriver();

let market: Market;
let thief: Trader;
let victim: Trader;
beforeAll(async () => {
  market = await createMarket(world.url);
});
beforeEach(async () => {
  [thief, victim] = [await newTrader(world.url), await newTrader(world.url)];
});
// Whatever a test leaves open it names and cancels itself.
afterEach(async () => {
  for (const trader of [thief, victim]) expect(await trader.client.getOpenOrders()).toEqual([]);
});

/** Every wallet of an owner with the signature type that trades from it. */
function walletsOf(owner: string): readonly (readonly [string, SignatureType])[] {
  const { proxy, safe, depositBeacon, depositUups } = deriver.derivedWallets(owner);
  return [
    [owner, 0],
    [proxy, 1],
    [safe, 2],
    [depositBeacon, 3],
    [depositUups, 3],
  ];
}

const walletOfType = (owner: string, type: SignatureType): string => walletsOf(owner)[type][0];

let salt = 0;
/** Ten shares at 0.30 from a wallet, as its owner would make the order. */
function orderFrom(owner: string, maker: string, signatureType: SignatureType, change: Partial<SignableOrder> = {}) {
  salt += 1;
  const order: SignableOrder = {
    salt,
    maker,
    signer: signatureType === 3 ? maker : owner,
    tokenId: market.yes,
    makerAmount: 3_000_000,
    takerAmount: 10_000_000,
    side: 0,
    signatureType,
    timestamp: Date.now(),
    metadata: ZERO_BYTES32,
    builder: ZERO_BYTES32,
  };
  return { ...order, ...change };
}

/** For which chain and contract, and for type 3 for which wallet, a signature is made. */
interface Signing {
  readonly chainId?: number;
  readonly exchange?: string;
  /** Changes what the key behind a deposit wallet signs. */
  readonly wrapper?: object;
  /** Replaces parts of a wrapped signature after it was made. */
  readonly separator?: Hex;
  readonly contentsHash?: Hex;
  readonly typeText?: string;
  readonly typeLength?: number;
  readonly inner?: (signature: Hex) => Hex;
}

/** Signs as the official client does for the order's type, but for what `signing` changes. */
async function sign(order: SignableOrder, account: PrivateKeyAccount, signing: Signing = {}): Promise<Hex> {
  const { chainId = 137, exchange = exchangeV2, typeText = ORDER_TYPE, inner = (signature) => signature } = signing;
  const plain = typedDataOf(order, chainId, exchange);
  if (order.signatureType !== 3) return inner(await account.signTypedData(plain));
  const wrapped = wrappedTypedDataOf(order, chainId, exchange);
  const made = await account.signTypedData({ ...wrapped, message: { ...wrapped.message, ...signing.wrapper } });
  const { types, message, primaryType } = plain;
  return concatHex([
    inner(made),
    signing.separator ?? domainSeparator({ domain: plain.domain }),
    signing.contentsHash ?? hashStruct({ types, data: message, primaryType }),
    stringToHex(typeText),
    numberToHex(signing.typeLength ?? typeText.length, { size: 2 }),
  ]);
}

function bodyOf(order: SignableOrder, signature: string, owner: string) {
  const { makerAmount, takerAmount, timestamp, side } = order;
  const texts = { makerAmount: String(makerAmount), takerAmount: String(takerAmount), timestamp: String(timestamp) };
  const sent = { ...order, ...texts, side: side === 0 ? 'BUY' : 'SELL', expiration: '0', signature };
  return { order: sent, owner, orderType: 'GTC', postOnly: false, deferExec: false };
}

/** Posts under the trader's API key. */
const post = (trader: Trader, order: SignableOrder, signature: string, owner = trader.apiKey): Promise<RawReply> =>
  signedRaw(trader, 'POST', '/order', bodyOf(order, signature, owner));

function expectRefusal({ status, json }: RawReply, error: RegExp, label: unknown = ''): void {
  expect([status, json.error], `${label}: ${JSON.stringify(json)}`).toEqual([400, expect.stringMatching(error)]);
}

/** Expects an order to rest from this wallet, and cancels it. */
async function expectToRest(trader: Trader, { status, json }: RawReply, maker: string): Promise<void> {
  expect([status, json.success, json.status], JSON.stringify(json)).toEqual([200, true, 'live']);
  expect((await trader.client.getOrder(json.orderID)).maker_address.toLowerCase()).toBe(maker);
  const canceled = await signedRaw(trader, 'DELETE', '/order', { orderID: json.orderID });
  expect(canceled.json.canceled).toEqual([json.orderID]);
}

const bind = (owner: string, wallet: string, type: SignatureType) =>
  admin(world.url, 'PATCH', `/admin/accounts/${owner}`, { bind: { wallet, type } });

const NO_WALLET = /^maker address not allowed/;
const NO_SIGNER = /^the order signer address has to be/;
const NO_SIGNATURE = /^invalid signature$/;

test('each derived wallet trades with its own signature type and with no other', async () => {
  for (const [wallet, ownType] of walletsOf(thief.owner)) {
    for (const type of signatureTypes) {
      const order = orderFrom(thief.owner, wallet, type);
      const reply = await post(thief, order, await sign(order, thief.account));
      if (type === ownType) await expectToRest(thief, reply, wallet);
      else expectRefusal(reply, NO_WALLET, `${wallet} as type ${type}`);
    }
  }
});

test('wallets of types 1, 2 and 3 trade, and what they buy is theirs', async () => {
  for (const type of [1, 2, 3] as const) {
    const wallet = walletOfType(thief.owner, type);
    const order = orderFrom(thief.owner, wallet, type);
    expect((await post(thief, order, await sign(order, thief.account))).json.status).toBe('live');
    await giveShares(world.url, victim, market.yes, '10');
    const sold = await take(victim, market, Side.SELL, market.yes, 10, 0.3);
    expect(sold).toMatchObject({ status: 'matched', makingAmount: '10', takingAmount: '3' });
    const query = `?asset_type=CONDITIONAL&token_id=${market.yes}&signature_type=${type}`;
    const shares = await signedRaw(thief, 'GET', '/balance-allowance', undefined, query);
    expect(shares.json.balance).toBe('10000000');
  }
});

test('no wallet of somebody else trades, whatever type is claimed and whoever is named as signer', async () => {
  for (const [wallet] of walletsOf(victim.owner)) {
    for (const type of signatureTypes) {
      for (const signer of [thief.owner, victim.owner, wallet]) {
        const order = orderFrom(thief.owner, wallet, type, { signer });
        const reply = await post(thief, order, await sign(order, thief.account));
        expectRefusal(reply, /^(maker address not allowed|the order signer address)/, `${wallet} ${type} ${signer}`);
      }
    }
  }
});

test('a wallet that is bound to an owner trades for it with the bound type, and for nobody else', async () => {
  for (const type of [1, 2, 3] as const) {
    const wallet = privateKeyToAccount(generatePrivateKey()).address.toLowerCase();
    const early = orderFrom(victim.owner, wallet, type);
    expectRefusal(await post(victim, early, await sign(early, victim.account)), NO_WALLET, 'before it is bound');
    await bind(victim.owner, wallet, type);
    await admin(world.url, 'POST', '/admin/deposits', { address: wallet, amount: '100' });
    for (const claimed of signatureTypes) {
      const stolen = orderFrom(thief.owner, wallet, claimed);
      expectRefusal(await post(thief, stolen, await sign(stolen, thief.account)), /belongs to another owner/, claimed);
      const own = orderFrom(victim.owner, wallet, claimed);
      const reply = await post(victim, own, await sign(own, victim.account));
      if (claimed === type) await expectToRest(victim, reply, wallet);
      else expectRefusal(reply, NO_WALLET, `bound as ${type}, claimed as ${claimed}`);
    }
    // A signature of the thief's does not help the victim's own order either.
    const forged = orderFrom(victim.owner, wallet, type);
    expectRefusal(await post(victim, forged, await sign(forged, thief.account)), NO_SIGNATURE);
  }
});

test('a wallet that was bound away is its former owner’s no longer, and its open orders are gone', async () => {
  for (const type of [1, 2, 3] as const) {
    const wallet = walletOfType(thief.owner, type);
    const open = orderFrom(thief.owner, wallet, type);
    const resting = await post(thief, open, await sign(open, thief.account));
    expect(resting.json.status).toBe('live');
    await bind(victim.owner, wallet, type);
    expect((await thief.client.getOrder(resting.json.orderID)).status).toMatch(/CANCELED|INVALID/i);
    const order = orderFrom(thief.owner, wallet, type);
    expectRefusal(await post(thief, order, await sign(order, thief.account)), /belongs to another owner/, type);
    const query = `?asset_type=COLLATERAL&signature_type=${type}`;
    expect((await signedRaw(thief, 'GET', '/balance-allowance', undefined, query)).json.balance).toBe('0');
    const taken = orderFrom(victim.owner, wallet, type);
    await expectToRest(victim, await post(victim, taken, await sign(taken, victim.account)), wallet);
  }
});

test('a derived wallet that was bound away before its deriver came stays the one’s it was bound to', async () => {
  const key = generatePrivateKey();
  const wallet = walletOfType(privateKeyToAccount(key).address.toLowerCase(), 2);
  await bind(victim.owner, wallet, 2);
  const late = await newTrader(world.url, 0, key);
  await admin(world.url, 'POST', '/admin/deposits', { address: wallet, amount: '100' });
  const order = orderFrom(victim.owner, wallet, 2);
  await expectToRest(victim, await post(victim, order, await sign(order, victim.account)), wallet);
  const stolen = orderFrom(late.owner, wallet, 2);
  expectRefusal(await post(late, stolen, await sign(stolen, late.account)), /belongs to another owner/);
});

test('maker and signer do not change places', async () => {
  for (const [wallet, type] of walletsOf(thief.owner).slice(1)) {
    const swapped = orderFrom(thief.owner, thief.owner, type, { signer: wallet });
    expectRefusal(await post(thief, swapped, await sign(swapped, thief.account)), NO_SIGNER, `type ${type}`);
    if (type === 3) continue; // one address is both
    const right = orderFrom(thief.owner, wallet, type);
    const signature = await sign(right, thief.account);
    const later = { ...right, maker: right.signer, signer: right.maker };
    expectRefusal(await post(thief, later, signature), NO_SIGNER, `type ${type}, after signing`);
  }
});

const pairs = signatureTypes.flatMap((signed) =>
  signatureTypes.filter((sent) => sent !== signed).map((sent) => ({ signed, sent })),
);

test.each(pairs)('a signature of type $signed is none of type $sent', async ({ signed, sent }) => {
  const order = orderFrom(thief.owner, walletOfType(thief.owner, signed), signed);
  const signature = await sign(order, thief.account);
  expectRefusal(await post(thief, { ...order, signatureType: sent }, signature), /^(maker|the order signer|invalid)/);
  // Also where wallet and signer are made to fit the type that is sent, so that the signature alone is wrong.
  const fitting = orderFrom(thief.owner, walletOfType(thief.owner, sent), sent, { salt: order.salt });
  const sentOrder = { ...fitting, timestamp: order.timestamp };
  expectRefusal(await post(thief, sentOrder, signature), NO_SIGNATURE);
  // And where the order that is sent was signed, in the form of the other type.
  const otherForm = await sign({ ...sentOrder, signatureType: signed }, thief.account);
  expectRefusal(await post(thief, sentOrder, otherForm), NO_SIGNATURE);
  await expectToRest(thief, await post(thief, sentOrder, await sign(sentOrder, thief.account)), sentOrder.maker);
});

test('a signed order is good under no other key and for no other owner', async () => {
  for (const type of signatureTypes) {
    const order = orderFrom(victim.owner, walletOfType(victim.owner, type), type);
    const signature = await sign(order, victim.account);
    expectRefusal(await post(thief, order, signature, victim.apiKey), /^the order owner has to be/, type);
    expectRefusal(await post(thief, order, signature), type === 3 ? NO_WALLET : NO_SIGNER, type);
    expectRefusal(await post(victim, order, signature, thief.apiKey), /^the order owner has to be/, type);
    const body = bodyOf(order, signature, victim.apiKey);
    const unsigned = await raw(world.url, 'POST', '/order', body, { POLY_ADDRESS: victim.owner });
    expect(unsigned.status).toBe(401);
    // What the victim itself has placed cannot be placed once more, by anybody.
    const placed = await post(victim, order, signature);
    expect(placed.json.status).toBe('live');
    expectRefusal(await post(victim, order, signature), /Duplicated/, type);
    expectRefusal(await post(thief, order, signature), type === 3 ? NO_WALLET : NO_SIGNER, type);
    expect((await victim.client.cancelAll()).canceled).toEqual([placed.json.orderID]);
    expectRefusal(await post(victim, order, signature), /Duplicated/, type);
  }
});

test('in a batch the stolen orders are refused one by one, and the caller’s own is taken', async () => {
  const own = orderFrom(thief.owner, thief.owner, 0);
  const bodies = [bodyOf(own, await sign(own, thief.account), thief.apiKey)];
  for (const [wallet, type] of walletsOf(victim.owner)) {
    const signed = orderFrom(victim.owner, wallet, type);
    bodies.push(bodyOf(signed, await sign(signed, victim.account), thief.apiKey));
    const forged = orderFrom(thief.owner, wallet, type);
    bodies.push(bodyOf(forged, await sign(forged, thief.account), thief.apiKey));
  }
  const { status, json } = await signedRaw(thief, 'POST', '/orders', bodies);
  expect([status, json.length, json[0].status]).toEqual([200, bodies.length, 'live']);
  for (const { orderID, errorMsg } of json.slice(1)) {
    expect([orderID, errorMsg]).toEqual(['', expect.stringMatching(/^(maker address not allowed|the order signer)/)]);
  }
  expect((await thief.client.cancelAll()).canceled).toEqual([json[0].orderID]);
});

test('nothing that is signed can be changed after signing', async () => {
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
      expectRefusal(await post(thief, { ...order, ...change }, signature), NO_SIGNATURE, Object.keys(change));
    }
    // The maker: to every other wallet of the owner, and to those of somebody else.
    for (const [maker] of [...walletsOf(thief.owner), ...walletsOf(victim.owner)]) {
      if (maker === order.maker) continue;
      const changed = { ...order, maker, ...(type === 3 && { signer: maker }) };
      expectRefusal(await post(thief, changed, signature), /^(maker address not allowed|invalid signature)/, maker);
    }
  }
  // Both deposit forms are type 3, so that there the signature alone tells them apart.
  const { depositBeacon, depositUups } = deriver.derivedWallets(thief.owner);
  const order = orderFrom(thief.owner, depositBeacon, 3);
  const moved = { ...order, maker: depositUups, signer: depositUups };
  expectRefusal(await post(thief, moved, await sign(order, thief.account)), NO_SIGNATURE);
});

test('somebody else’s signature makes no order of the caller’s', async () => {
  for (const [wallet, type] of walletsOf(thief.owner)) {
    const order = orderFrom(thief.owner, wallet, type);
    expectRefusal(await post(thief, order, await sign(order, victim.account)), NO_SIGNATURE, type);
  }
});

test('a wrapped signature is for its wallet, its domain, its order and its type string alone', async () => {
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
    expectRefusal(await post(thief, order, await sign(order, thief.account, signing)), NO_SIGNATURE, signing);
  }
  const order = orderFrom(thief.owner, depositBeacon, 3);
  const wrapped = await sign(order, thief.account);
  expect(size(wrapped)).toBe(317);
  const plain = await thief.account.signTypedData(typedDataOf(order, 137, exchangeV2));
  const ofOther = await sign(orderFrom(thief.owner, depositBeacon, 3), thief.account);
  const joined = concatHex([`0x${ofOther.slice(2, 132)}`, `0x${wrapped.slice(132)}`]);
  for (const signature of [plain, ofOther, joined, `${wrapped}00`, wrapped.slice(0, -2), `0x00${wrapped.slice(2)}`]) {
    expectRefusal(await post(thief, order, signature), NO_SIGNATURE, size(asHex(signature)));
  }
  await expectToRest(thief, await post(thief, order, wrapped), depositBeacon);
});

test('an order signed for another chain or another contract is not valid', async () => {
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
      expectRefusal(await post(thief, order, await sign(order, thief.account, signing)), NO_SIGNATURE, signing);
    }
  }
});

test('a neg-risk market takes signatures for its own contract, and an ordinary one none of them', async () => {
  const negRisk = await createMarket(world.url, { negRisk: true });
  for (const type of signatureTypes) {
    const wallet = walletOfType(thief.owner, type);
    const order = orderFrom(thief.owner, wallet, type, { tokenId: negRisk.yes });
    expectRefusal(await post(thief, order, await sign(order, thief.account)), NO_SIGNATURE, type);
    const right = await sign(order, thief.account, { exchange: negRiskExchangeV2 });
    // The same signature with the token of an ordinary market.
    expectRefusal(await post(thief, { ...order, tokenId: market.yes }, right), NO_SIGNATURE, type);
    await expectToRest(thief, await post(thief, order, right), wallet);
  }
});

/** The other signature that the same curve equation allows: s taken from the order, v turned over. */
function highTwin(signature: Hex): Hex {
  const s = CURVE_ORDER - BigInt(`0x${signature.slice(66, 130)}`);
  const v = signature.slice(130) === '1b' ? '1c' : '1b';
  return `0x${signature.slice(2, 66)}${s.toString(16).padStart(64, '0')}${v}`;
}

test('a signature has one form: its twin with a high s is refused, and so are other ways to write it', async () => {
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
      expectRefusal(await post(thief, order, await sign(order, thief.account, { inner })), NO_SIGNATURE, inner);
    }
    const right = await sign(order, thief.account);
    const upper = `0x${right.slice(2).toUpperCase()}`;
    await expectToRest(thief, await post(thief, order, upper), order.maker);
    // Once placed, no other form of the signature brings it back.
    expectRefusal(await post(thief, order, await sign(order, thief.account, { inner: highTwin })), NO_SIGNATURE);
    expectRefusal(await post(thief, order, right), /Duplicated/);
  }
});
