// Encoded orders for the durability bench, as they come out of verification: none is refused and nearly all rest, so every
// record is one order and its events. It signs nothing: the engine never looks at a signature.
import { type Command, encodeCommand } from '../../engine/index.ts';
import { SeededRandom } from '../lib/seededRandom.ts';

const OWNERS = 200;
const MARKETS = 20;
const FUNDS_MICRO = 1_000_000_000_000;

const hex = (value: number, bytes: number): string => `0x${value.toString(16).padStart(bytes * 2, '0')}`;
const ownerOf = (index: number): string => hex(0x1000 + index, 20);
const keyOf = (index: number): string => hex(0x2000 + index, 16);
const text = new TextEncoder();

/** A typical tail of an order: a salt, a token and a signature. */
const TAIL = text.encode(
  JSON.stringify({
    salt: '123456789012',
    signer: ownerOf(1),
    signatureType: 0,
    tokenId: '7'.repeat(77),
    metadata: hex(0, 32),
    builder: hex(0, 32),
    signature: hex(1, 65),
  }),
);

/** Commands that create the market, wallets and funds that the orders need. */
export function foundingCommands(): readonly Uint8Array[] {
  const commands: Command[] = [
    { type: 'CreateEvent', negRisk: 0, tail: text.encode('{"slug":"bench","title":"Bench"}') },
  ];
  for (let market = 0; market < MARKETS; market += 1) {
    commands.push({
      ...{ type: 'CreateMarket', eventNumber: 1, status: 1, negRisk: 0, autoTick: 0, feeExponent: 1, tickPips: 100 },
      ...{
        conditionId: hex(market + 1, 32),
        firstToken: hex(1_000 + market, 32),
        secondToken: hex(2_000 + market, 32),
      },
      ...{ feeRate: 0, minOrderLots: 1, delaySeconds: 0, minMarketableBuyMicro: 0 },
      tail: text.encode(`{"slug":"bench-${market}","question":"Bench ${market}?"}`),
    });
  }
  for (let index = 0; index < OWNERS; index += 1) {
    const owner = ownerOf(index);
    commands.push({
      type: 'CreateApiKey',
      owner,
      keyId: keyOf(index),
      nonce: 0,
      generation: 0,
      kind: 0,
      items: [owner],
    });
    commands.push({ type: 'Deposit', wallet: owner, owner, amountMicro: FUNDS_MICRO, isFaucet: 0 });
  }
  return commands.map(encodeCommand);
}

/** `count` orders below the middle of the books, stamped with `nowMs`. */
export function restingOrders(count: number, seed: number, nowMs: number): readonly Uint8Array[] {
  const random = new SeededRandom(seed);
  return Array.from({ length: count }, (_, number) => {
    const index = random.below(OWNERS);
    const owner = ownerOf(index);
    const [lots, pips] = [500 + random.below(500), 100 * (1 + random.below(45))];
    return encodeCommand({
      ...{ type: 'PlaceOrder', orderId: hex(seed * 1e8 + number + 1, 32), keyId: keyOf(index), maker: owner, owner },
      ...{ marketIndex: random.below(MARKETS), outcome: random.below(2), side: 0, orderType: 0, flags: 0 },
      ...{ makerAmountMicro: lots * pips, takerAmountMicro: lots * 10_000, timestampMs: nowMs, expirationS: 0 },
      tail: TAIL,
    });
  });
}
