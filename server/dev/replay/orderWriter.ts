// Writes signed orders: level and side in the first token's terms become the body of POST /order, for either token.
// Called by the market's player for each order. A bid for the first token at p and an offer of the second at 1 − p are
// the same liquidity; which of the two is sent is the caller's choice.
import { ZERO_BYTES32 } from '../../auth/hex.ts';
import type { OrderDomain } from '../../auth/orderDigest.ts';
import { signOrder } from '../../auth/orderSignature.ts';
import type { BookSide } from './flowFile.ts';
import type { Trader } from './wallets.ts';

/** What an order is to do, in the first token's terms. */
export interface OrderIntent {
  /** B buys the first token (or sells the second), A the reverse. */
  readonly side: BookSide;
  readonly pricePips: number;
  readonly lots: number;
  /** True when it names the second token. */
  readonly isSecondToken: boolean;
  readonly orderType: 'GTC' | 'FOK';
}

const PIPS_PER_UNIT = 10_000;
const MICRO_PER_LOT = 10_000;

export class OrderWriter {
  readonly #domain: OrderDomain;
  #lastSalt: number;

  /** @param firstSalt salts count up from here; the id of an order also holds its time, so that runs never collide */
  constructor(domain: OrderDomain, firstSalt: number) {
    this.#domain = domain;
    this.#lastSalt = firstSalt;
  }

  /** The request's body for one order of this wallet. */
  write(intent: OrderIntent, tokens: readonly [string, string], trader: Trader): unknown {
    const isBuy = (intent.side === 'B') !== intent.isSecondToken;
    const pricePips = intent.isSecondToken ? PIPS_PER_UNIT - intent.pricePips : intent.pricePips;
    const moneyMicro = intent.lots * pricePips;
    const sharesMicro = intent.lots * MICRO_PER_LOT;
    this.#lastSalt++;
    const order = {
      salt: this.#lastSalt,
      maker: trader.address,
      signer: trader.address,
      tokenId: tokens[intent.isSecondToken ? 1 : 0],
      makerAmount: isBuy ? moneyMicro : sharesMicro,
      takerAmount: isBuy ? sharesMicro : moneyMicro,
      side: isBuy ? (0 as const) : (1 as const),
      signatureType: 0 as const,
      timestamp: Date.now(),
      metadata: ZERO_BYTES32,
      builder: ZERO_BYTES32,
    };
    const signature = signOrder(order, trader.privateKey, this.#domain);
    return {
      order: {
        ...order,
        makerAmount: String(order.makerAmount),
        takerAmount: String(order.takerAmount),
        side: isBuy ? 'BUY' : 'SELL',
        timestamp: String(order.timestamp),
        expiration: '0',
        signature,
      },
      owner: trader.credentials.apiKey,
      orderType: intent.orderType,
      deferExec: false,
      postOnly: false,
    };
  }
}
