// Checks the signatures of the orders in a journal: each order's id must be the digest of what was signed, and the
// signature its owner's. Called by the verification of a journal, record by record. It must be given the chain and the
// contracts that the orders were signed for; a journal does not contain them.

import {
  COMMAND_AT,
  type CommandOf,
  commandLayouts,
  decodeCommand,
  decodeEvents,
  type JournalRecord,
  reasonOf,
} from '../../engine/index.ts';
import { bytesToHex } from '../auth/hex.ts';
import type { OrderHasher } from '../auth/orderDigest.ts';
import { verifyOrderSignature } from '../auth/orderSignature.ts';
import { decimalOfHex } from '../auth/uint256.ts';
import { signedOrderOf } from '../views/storedOrders.ts';

/** An order in the journal differs from what its owner signed. */
class SignatureWrong extends Error {
  override readonly name = 'SignatureWrong';
  readonly sequence: number;

  constructor(sequence: number, orderId: string, reason: string) {
    super(`The order ${orderId} at sequence ${sequence} is not as its owner signed it: ${reason}`);
    this.sequence = sequence;
  }
}

interface MarketFacts {
  readonly negRisk: boolean;
  /** Decimal token ids. */
  readonly tokens: readonly [string, string];
}

/** Checks the orders of a journal. It must be shown every record in order, from the first. */
export class SignatureCheck {
  /** Orders checked so far. */
  orderCount = 0;
  private readonly hasher: OrderHasher;
  private readonly markets: MarketFacts[] = [];

  constructor(hasher: OrderHasher) {
    this.hasher = hasher;
  }

  /** @throws SignatureWrong */
  checkRecord({ sequence, command: bytes, events }: Pick<JournalRecord, 'sequence' | 'command' | 'events'>): void {
    const type = bytes[COMMAND_AT.type];
    if (type === commandLayouts.CreateMarket.type) this.addMarkets(events);
    if (type !== commandLayouts.PlaceOrder.type) return;
    const command = decodeCommand(bytes);
    if (command.type !== 'PlaceOrder') return;
    const market = this.markets[command.marketIndex];
    if (market === undefined) return; // the core has refused the order: there is no such market
    const reason = this.faultOf(command, market);
    if (reason !== undefined) throw new SignatureWrong(sequence, command.orderId, reason);
    this.orderCount += 1;
  }

  private addMarkets(events: Uint8Array): void {
    for (const event of decodeEvents(events)) {
      if (event.type !== 'MarketCreated') continue;
      const tokens = [decimalOfHex(event.firstToken), decimalOfHex(event.secondToken)] as const;
      this.markets[event.marketIndex] = { negRisk: event.negRisk === 1, tokens };
    }
  }

  private faultOf(command: CommandOf<'PlaceOrder'>, market: MarketFacts): string | undefined {
    const { owner, orderId } = command;
    const signed = signedOrderOf(command);
    if (signed === undefined) return 'what was signed is not there.';
    const { order, signature } = signed;
    if (order.tokenId !== market.tokens[command.outcome]) return `it was signed for the token ${order.tokenId}.`;
    try {
      const digest = this.hasher.digest(order, market.negRisk);
      const domain = this.hasher.domain(market.negRisk);
      if (bytesToHex(digest) !== orderId)
        return `its id should be ${bytesToHex(digest)} on chain ${domain.chainId} and its contracts.`;
      const check = verifyOrderSignature(order, digest, signature, domain);
      if (!check.ok) return check.reason;
      return check.signer === owner ? undefined : `${check.signer} signed it, and its owner is ${owner}.`;
    } catch (error) {
      return reasonOf(error);
    }
  }
}
