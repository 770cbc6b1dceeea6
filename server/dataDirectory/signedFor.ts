// Warns if a journal's latest order was signed for a chain other than the configured one: a journal does not name its
// chain, and an exchange started for a wrong one refuses every order without a reason that clients could see. An order's id
// reveals the chain, since it is the digest of what was signed. Called by openServices.ts once the exchange is open; it
// never prevents a start.
import { decodeCommand, JournalReader } from '../../engine/index.ts';
import { type ChainContracts, STOCK_CHAINS } from '../auth/contracts.ts';
import { bytesToHex } from '../auth/hex.ts';
import { orderHasher } from '../auth/orderDigest.ts';
import type { Services } from '../services.ts';
import { type StoredOrder, signedOrderOf } from '../views/storedOrders.ts';

/** Number of last records that are searched for an order. */
const RECORDS_MAX = 1_000;

interface FoundOrder extends StoredOrder {
  readonly orderId: string;
  readonly marketIndex: number;
}

async function latestOrder(dataDir: string, lastSequence: number): Promise<FoundOrder | undefined> {
  const reader = new JournalReader(dataDir);
  let found: FoundOrder | undefined;
  try {
    for (const records of reader.read(Math.max(1, lastSequence - RECORDS_MAX + 1))) {
      for (const { command: bytes } of records) {
        const command = decodeCommand(bytes);
        if (command.type !== 'PlaceOrder') continue;
        const { orderId, marketIndex } = command;
        const signed = signedOrderOf(command);
        if (signed !== undefined) found = { ...signed, orderId, marketIndex };
      }
    }
  } finally {
    await reader.close();
  }
  return found;
}

const isFor = (contracts: ChainContracts, { order, orderId }: FoundOrder, negRisk: boolean): boolean =>
  bytesToHex(orderHasher(contracts).digest(order, negRisk)) === orderId;

type Parts = Pick<Services, 'config' | 'views' | 'exchange' | 'log'>;

/** Warns if the latest order was signed for a chain or contracts other than the configured ones. */
export async function warnOfOtherContracts({ config, views, exchange, log }: Parts): Promise<void> {
  const { dataDir, contracts } = config;
  if (dataDir === undefined) return;
  let other: ChainContracts | undefined;
  try {
    const found = await latestOrder(dataDir, exchange.durableSequence);
    if (found === undefined) return;
    const market = views.markets.byIndex(found.marketIndex);
    if (market === undefined || isFor(contracts, found, market.negRisk)) return;
    other = STOCK_CHAINS.find((chain) => isFor(chain, found, market.negRisk));
  } catch (error) {
    log.debug({ err: error }, 'The contracts of the latest order cannot be determined.'); // the start needs none of it
    return;
  }
  const signed = other === undefined ? 'another chain or other contracts' : `chain ${other.chainId}`;
  const here = `this exchange uses chain ${contracts.chainId} with the exchange contract ${contracts.exchange}`;
  log.warn(
    `The latest order was signed for ${signed}, but ${here}: clients that still sign as before are refused (401, 400).`,
  );
}
