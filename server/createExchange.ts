// An exchange inside a program of somebody's own, such as the tests of a bot: what `npm start` runs, in memory and without a process.
// Written for others to import (README, "In your own tests"). It prints nothing and never ends the process.
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
  /** Stops it; safe to call again. Rejects with the error that has stopped it before, if one has. */
  close(): Promise<void>;
}

/** The configuration of an exchange that is one program's own: on a free port, quiet, in memory, unless the settings say otherwise. */
export function ownConfig(settings: GivenSettings): ServerConfig {
  const config = resolveGiven({ port: 0, house: false, logLevel: 'silent', ...settings });
  return settings.dataDir === undefined ? { ...config, dataDir: undefined } : config;
}

/**
 * Starts an exchange for development, with the catalog and the wallets of `npm start`; when this resolves, it answers.
 * @param settings by the keys of the configuration file; on a free port, without house liquidity and with nothing on disk unless said
 * @param clock the exchange's time, such as the engine's VirtualClock; the system's unless given
 * @throws FatalError with a sentence for a setting that is not allowed, a taken port, or a data directory that cannot be used
 */
export async function createExchange(settings: GivenSettings = {}, clock?: Clock): Promise<OwnExchange> {
  const config = ownConfig(settings);
  let fatal: Error | undefined;
  const onFatal = (error: Error): void => {
    fatal ??= error;
  };
  const server = await startServer({ config, env: {}, onFatal, ...(clock && { clock }) });
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
