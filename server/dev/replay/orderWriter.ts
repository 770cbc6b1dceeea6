// Writes signed orders: turns level and side in the first token's terms into the body of POST /order, for either token.
// Called by the market's player for each order. A bid for the first token at p and an offer of the second at 1 − p are the
// same liquidity; the caller chooses which of the two is sent.
import { complementPips, Side } from '../../../engine/index.ts';
import type { OrderDomain } from '../../auth/orderDigest.ts';
import { clientAmounts, isWholeCents, signedBody } from '../clientOrder.ts';
import type { BookSide } from './flowFile.ts';
import { TICK_PIPS } from './markets.ts';
import type { Trader } from './wallets.ts';

/** An intended order, in the first token's terms. */
export interface OrderIntent {
  /** B buys the first token (or sells the second), A the reverse. */
  readonly side: BookSide;
  readonly pricePips: number;
  readonly lots: number;
  /** True when it names the second token. */
  readonly isSecondToken: boolean;
  readonly orderType: 'GTC' | 'FOK';
}

/** Side and price in the order's own token. */
function ownTerms({ side, pricePips, isSecondToken }: OrderIntent): { readonly isBuy: boolean; readonly pips: number } {
  return { isBuy: (side === 'B') !== isSecondToken, pips: isSecondToken ? complementPips(pricePips) : pricePips };
}

/** Whether the order can ask for exactly its lots: a FOK BUY is signed in whole cents. */
export function isExact(intent: OrderIntent): boolean {
  const { isBuy, pips } = ownTerms(intent);
  return intent.orderType !== 'FOK' || !isBuy || isWholeCents(intent.lots, pips);
}

export class OrderWriter {
  private readonly domain: OrderDomain;
  private lastSalt: number;

  /** @param firstSalt salts count up from here; an order's id also covers its time, so runs never collide */
  constructor(domain: OrderDomain, firstSalt: number) {
    this.domain = domain;
    this.lastSalt = firstSalt;
  }

  /** The request's body for one order of this wallet. */
  write(intent: OrderIntent, tokens: readonly [string, string], trader: Trader): unknown {
    const { isBuy, pips } = ownTerms(intent);
    const side = isBuy ? Side.BUY : Side.SELL;
    const takesOnly = intent.orderType === 'FOK';
    this.lastSalt += 1;
    return signedBody(
      {
        salt: this.lastSalt,
        address: trader.address,
        tokenId: tokens[intent.isSecondToken ? 1 : 0],
        amounts: clientAmounts({ side, pips, lots: intent.lots, tickPips: TICK_PIPS, takesOnly }),
        side,
        timestampMs: Date.now(),
        apiKey: trader.credentials.apiKey,
        orderType: intent.orderType,
        postOnly: false,
      },
      trader.privateKey,
      this.domain,
    );
  }
}
