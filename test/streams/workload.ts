// A seeded flow of commands over many markets for the tests of the streams: orders near the middle that rest, cross and
// sweep, cancels of one order, of a market and of everything, and now and then a change of a tick or a minimum. Also the
// commands that create its world. Everything follows from the seed.
import { ApiKeyKind, type Command, encodeCommand, MarketField, OrderType } from '../../engine/index.ts';
import { deriveCredentials } from '../../server/auth/apiKeys.ts';
import { uuidOfKeyId } from '../../server/auth/keyIds.ts';
import { randomOf } from '../pipeline/workload.ts';
import { digest } from '../support/commandParts.ts';
import { buyCommand, ownerCommands } from '../support/commands.ts';
import { wordOf } from '../support/hex.ts';
import { PLAIN_TERMS } from '../support/plainTerms.ts';

const OWNERS = 8;

export const ownerOf = (index: number): string => digest(`stream owner ${index}`, 20);
export const keyIdOf = (index: number): string => digest(`stream key ${index}`, 16);
/**
 * An owner's credentials for the user channel: no server derives this
 * key, but its secret and passphrase are derived as a server does.
 */
export function authOf(serverSecret: Uint8Array, index: number) {
  const identity = { kind: ApiKeyKind.TRADING, owner: ownerOf(index), nonce: 0, generation: 0 };
  const { secret, passphrase } = deriveCredentials(serverSecret, identity);
  return { apiKey: uuidOfKeyId(keyIdOf(index)), secret, passphrase };
}

export const conditionOf = (market: number): string => wordOf(0xc0de0000 + market);
/** The id of a token as clients know it. */
export const tokenOf = (market: number, outcome: number): string => String(1_000_000 + market * 2 + outcome);

/** Markets first, one command each, then owners with money. */
export function foundingCommands(markets: number): Uint8Array[] {
  const commands: Command[] = [];
  for (let market = 0; market < markets; market += 1) {
    commands.push({
      ...{ type: 'CreateMarket', eventNumber: 0, conditionId: conditionOf(market) },
      ...{ firstToken: wordOf(1_000_000 + market * 2), secondToken: wordOf(1_000_001 + market * 2) },
      ...{ ...PLAIN_TERMS, negRisk: market & 1, autoTick: market & 1, feeRate: (market % 3) * 100, minOrderLots: 100 },
      tail: Buffer.from(JSON.stringify({ slug: `stream-${market}`, question: `Does market ${market} stream?` })),
    });
  }
  for (let index = 0; index < OWNERS; index += 1) {
    commands.push(...ownerCommands({ owner: ownerOf(index), keyId: keyIdOf(index) }, 1e14));
  }
  return commands.map(encodeCommand);
}

export class StreamWorkload {
  private readonly random: (below: number) => number;
  private readonly markets: number;
  private readonly seed: number;
  private readonly placed: { readonly id: string; readonly trader: number }[] = [];
  private number = 0;

  constructor(seed: number, markets: number) {
    this.seed = seed;
    this.markets = markets;
    this.random = randomOf(seed);
  }

  /** The next command, signed now (`nowMs`). */
  next(nowMs: number): Uint8Array {
    const { random } = this;
    this.number += 1;
    const kind = random(1_000);
    const marketIndex = random(this.markets);
    const trader = random(OWNERS);
    const who = { owner: ownerOf(trader), keyId: keyIdOf(trader) };
    if (kind < 690) return encodeCommand(this.order(marketIndex, trader, nowMs));
    if (kind < 985) return encodeCommand(this.cancel());
    if (kind < 993) return encodeCommand({ type: 'CancelMarket', ...who, marketIndex, outcome: random(3) });
    if (kind < 994) return encodeCommand({ type: 'CancelAll', ...who });
    const mask = kind < 997 ? MarketField.TICK : MarketField.MIN_ORDER;
    const terms = { ...PLAIN_TERMS, tickPips: [10, 100][random(2)], minOrderLots: 100 + random(50) };
    return encodeCommand({ type: 'UpdateMarket', marketIndex, mask, ...terms });
  }

  private order(marketIndex: number, trader: number, nowMs: number): Command {
    const { random } = this;
    const orderId = digest(`${this.seed}/${this.number}`, 32);
    this.placed.push({ id: orderId, trader });
    if (this.placed.length > 4_096) this.placed.splice(0, 2_048);
    const outcome = random(2);
    // Everybody buys: BUYs of the two tokens match when their prices add up to one, which needs no shares beforehand.
    const pips = 100 * (random(10) === 0 ? 50 + random(6) : 35 + random(15));
    const lots = 200 + random(800);
    const orderType = random(8) === 7 ? OrderType.FAK : OrderType.GTC;
    const buyer = { owner: ownerOf(trader), keyId: keyIdOf(trader) };
    return {
      ...buyCommand(buyer, { orderId, marketIndex, outcome, pips, lots, timestampMs: nowMs }),
      orderType,
    };
  }

  private cancel(): Command {
    const found = this.placed[this.random(this.placed.length || 1)];
    const { id, trader } = found ?? { id: digest('none', 32), trader: 0 };
    return { type: 'CancelOrders', owner: ownerOf(trader), keyId: keyIdOf(trader), items: [id] };
  }
}
