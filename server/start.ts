// Starts and stops a server: opens its services, performs development mode's first start, serves them. Called by run.ts, and by
// tests in their own process. It prints nothing and never ends the process: fatal conditions are thrown as FatalError.
import { errorOf, withDeadline } from '../engine/index.ts';
import { firstStart } from './dev/firstStart.ts';
import { type House, startHouse, timerSchedule, withdrawHouse } from './dev/house/index.ts';
import { type HttpServer, requireFreePort, serveHttp } from './http/app.ts';
import type { Endpoint } from './http/endpoint.ts';
import { endpoints as everyEndpoint } from './http/endpoints.ts';
import {
  closeServices,
  failOnStorage,
  feedOf,
  type OpenOptions,
  type OwnServices,
  openServices,
} from './openServices.ts';
import type { Services } from './services.ts';
import type { StreamFeed } from './streams/feed.ts';
import { StreamHub } from './streams/hub.ts';
import { Views } from './views/index.ts';
import { watchServer } from './watch.ts';

interface StartOptions extends OpenOptions {
  /** The endpoints to serve; the whole table by default. */
  readonly endpoints?: readonly Endpoint[];
  /** Whether development mode seeds its catalog and credits its wallets on a fresh journal; true by default. */
  readonly hasFirstStart?: boolean;
}

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly services: Services;
  /** Stops accepting requests, answers those in progress, makes them durable, and ends. Safe to call again. */
  stop(): Promise<void>;
}

/** How long (ms) a stop waits for the historian and the snapshot maker; without them the next start only reads more. */
const FOLLOWERS_MS_MAX = 1_500;

/**
 * Starts a server as configured; it answers once this resolves.
 * @throws FatalError with a sentence if the port, the data directory or the clock prevents it
 */
export async function startServer(options: StartOptions): Promise<RunningServer> {
  const { config, endpoints = everyEndpoint, hasFirstStart = true, onFatal } = options;
  await requireFreePort(config.host, config.port);
  const views = new Views();
  const streams = feedOf(views, config);
  const services = await openServices(options, views, streams);
  try {
    if (config.mode === 'development' && hasFirstStart) await firstStart(services);
    const served = await serve(services, streams, endpoints, (error) => onFatal(errorOf(error)));
    const { port } = served.http;
    const name = config.host.includes(':') ? `[${config.host}]` : config.host;
    let stopped: Promise<void> | undefined;
    return {
      url: `http://${name}:${port}`,
      port,
      services,
      stop: () => {
        stopped ??= takeDown(served);
        return stopped;
      },
    };
  } catch (error) {
    await closeServices(services);
    failOnStorage(error);
    throw error;
  }
}

interface Served {
  readonly services: OwnServices;
  readonly hub: StreamHub;
  readonly http: HttpServer;
  readonly house: House | undefined;
}

/** Listens, and starts the house. On failure nothing listens any more; the services are still open. */
async function serve(
  services: OwnServices,
  streams: StreamFeed,
  endpoints: readonly Endpoint[],
  onDefect: (error: unknown) => void,
): Promise<Served> {
  const hub = new StreamHub(streams, services, onDefect);
  let http: HttpServer | undefined;
  try {
    http = await serveHttp(services, endpoints, onDefect, (app) => hub.attach(app));
    watchServer({ ...services, hub, door: http.door });
    services.catalog.ready(services.exchange.now()).catch(onDefect);
    return { services, hub, http, house: await openHouse(services) };
  } catch (error) {
    await http?.drain();
    await hub.close();
    http?.close();
    throw error;
  }
}

/** Starts the house; if it is disabled, cancels the orders that an earlier start of it left in the books. */
async function openHouse(services: Services): Promise<House | undefined> {
  const { config, exchange, log } = services;
  if (config.mode !== 'development') return undefined;
  if (config.house !== 'none') {
    const schedule = timerSchedule(() => exchange.now());
    return startHouse({ services, mode: config.house, seed: config.seed, schedule });
  }
  const count = exchange.isFresh ? 0 : await withdrawHouse(services);
  if (count > 0) log.info({ count }, 'The remaining orders of the house were cancelled.');
  return undefined;
}

/** Stops serving, then closes the services. */
async function takeDown({ services, hub, http, house }: Served): Promise<void> {
  const { exchange, historian, snapshots, recoverers } = services;
  const houseStopped = house?.stop(); // awaited last: closing the exchange answers what it waits for
  await http.drain();
  // First, since they read the journal that the exchange closes; with a deadline, since a hanging disk must not block the stop.
  const followers = Promise.all([historian.close(), snapshots.close()]);
  await withDeadline(followers, FOLLOWERS_MS_MAX);
  try {
    await exchange.close();
  } finally {
    // Also if the exchange fails to close: sockets are closed with a reason, and threads end.
    await hub.close();
    http.close();
    await recoverers.close();
    await houseStopped;
    // A process that exits while one of its threads is in LMDB hangs forever; the caller kills it if that takes too long.
    if (!exchange.isLeftOpen) await followers;
  }
}
