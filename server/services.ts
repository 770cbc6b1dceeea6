// The services that the server's parts share: built once at start-up (openServices.ts) and passed to every route in its
// context. This file only declares them; it never builds or changes them.
import type { Logger } from 'pino';
import type { RunningExchange } from '../engine/index.ts';
import type { ChainContracts } from './auth/contracts.ts';
import type { OrderHasher } from './auth/orderDigest.ts';
import type { Recoverers } from './auth/recoverers.ts';
import type { Turns } from './auth/turns.ts';
import type { WalletDeriver } from './auth/wallets.ts';
import type { Catalog } from './catalog/index.ts';
import type { ServerConfig } from './config/config.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { Views } from './views/index.ts';
import type { Historian } from './wire/historyQueries.ts';

/** The services of a running server. */
export interface Services {
  readonly exchange: RunningExchange;
  readonly views: Views;
  /** Events and markets as listed, sorted and searched. */
  readonly catalog: Catalog;
  /** Histories of trades, positions and finished orders, kept by a separate thread. */
  readonly historian: Historian;
  readonly config: ServerConfig;
  /** The server's secret, from which API credentials derive. Never logged. */
  readonly secret: Uint8Array;
  readonly contracts: ChainContracts;
  /** Computes order digests under the configured chain and contracts. */
  readonly orderHasher: OrderHasher;
  /** Derives an owner's wallets under the configured factories. */
  readonly wallets: WalletDeriver;
  /** Recovers the signers of orders; driven by `turns`. */
  readonly recoverers: Recoverers;
  readonly turns: Turns;
  readonly metrics: Metrics;
  readonly log: Logger;
}
