// An exchange inside another program, such as a bot's tests: what `npm start` runs, but in memory and without a process of its
// own. For other projects to import (README, "In your own tests"). It prints nothing and never ends the process.
import type { Clock } from '../engine/index.ts';
import { resolveGiven, type ServerConfig } from './config/config.ts';
import type { GivenSettings } from './config/settings.ts';
import { type DevelopmentWallet, developmentWallets } from './dev/wallets.ts';
import { startServer } from './start.ts';

/** A running exchange. */
export interface OwnExchange {
  /** The host to give to clients, such as `http://127.0.0.1:50123`. */
  readonly url: string;
  /** The bearer token of `/admin`. */
  readonly adminToken: string;
  /** The ten funded wallets, with their private keys and the addresses derived from them. */
  readonly wallets: readonly DevelopmentWallet[];
  /** Stops the exchange; safe to call again. Rejects with the fatal error if one stopped it before. */
  close(): Promise<void>;
}

/**
 * The configuration of an embedded exchange: a free port, quiet, in memory, unless the settings say otherwise. One that is
 * undefined says nothing, so that programs can pass on what they may have been given.
 */
export function ownConfig(settings: GivenSettings): ServerConfig {
  const given: GivenSettings = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  const config = resolveGiven({ port: 0, house: false, logLevel: 'silent', ...given });
  return settings.dataDir === undefined ? { ...config, dataDir: undefined } : config;
}

/**
 * Starts a development exchange with the catalog and the wallets of `npm start`; it answers once this resolves.
 * @param settings by the keys of the configuration file; by default a free port, no house liquidity and nothing on disk
 * @param clock the exchange's time, such as the engine's VirtualClock; by default the system clock
 * @throws FatalError with a sentence for an invalid setting, a taken port, or an unusable data directory
 */
export async function createExchange(settings: GivenSettings = {}, clock?: Clock): Promise<OwnExchange> {
  const config = ownConfig(settings);
  let fatal: Error | undefined;
  const onFatal = (error: Error): void => {
    fatal ??= error;
  };
  const server = await startServer({ config, env: {}, onFatal, clock });
  return {
    url: server.url,
    adminToken: config.adminToken,
    wallets: developmentWallets(server.services.wallets),
    close: async () => {
      await server.stop();
      if (fatal !== undefined) throw fatal;
    },
  };
}
