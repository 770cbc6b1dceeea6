// A whole server inside the test's own process, on a free port, with nothing on disk unless a folder is given. Used by
// tests that want real sockets and access to exchange and views; those that need signals or crashes use process.ts.
import type { Clock, RunningExchange } from '../../engine/index.ts';
import type { ServerConfig } from '../../server/config/config.ts';
import { ownConfig } from '../../server/createExchange.ts';
import { creditCommand, type DevelopmentWallet, developmentWallets } from '../../server/dev/wallets.ts';
import type { Endpoint } from '../../server/http/endpoint.ts';
import type { Services } from '../../server/services.ts';
import { startServer } from '../../server/start.ts';

interface TestServerOptions {
  /** Differences from a quiet development configuration in memory. */
  readonly config?: Partial<ServerConfig>;
  readonly clock?: Clock;
  /** An endpoint table that replaces the full one. */
  readonly endpoints?: readonly Endpoint[];
  /** Also plants the seed catalog; false by default. */
  readonly hasSeed?: boolean;
  /** Called for a defect. Without it a defect fails the test. */
  readonly onFatal?: (error: Error) => void;
}

export interface TestServer {
  readonly url: string;
  readonly port: number;
  readonly exchange: RunningExchange;
  readonly services: Services;
  /** The ten development wallets; each is credited together with all wallets derived from it. */
  readonly wallets: readonly DevelopmentWallet[];
  close(): Promise<void>;
}

/** Starts a server and credits the ten wallets. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const config: ServerConfig = { ...ownConfig({}), ...options.config };
  const { clock, endpoints, hasSeed = false } = options;
  const unexpected: Error[] = [];
  const onFatal = options.onFatal ?? ((error: Error) => unexpected.push(error));
  const server = await startServer({
    config,
    env: {},
    onFatal,
    hasFirstStart: hasSeed,
    ...(clock && { clock }),
    ...(endpoints && { endpoints }),
  });
  const { services, url, port } = server;
  const { exchange } = services;
  const wallets = developmentWallets(services.wallets);
  if (!hasSeed && exchange.isFresh) {
    await Promise.all(wallets.map(({ address }) => exchange.submit(creditCommand(address, services.wallets))));
  }
  const close = async (): Promise<void> => {
    await server.stop();
    if (unexpected.length > 0) throw unexpected[0];
  };
  return { url, port, exchange, services, wallets, close };
}
