// Starts a server and takes it down again: opens its services, makes the first start of a development, serves them. Called by
// cli.ts, and by tests in their own process. It prints nothing and never ends the process: what is fatal is thrown as such.
import { errorOf, withDeadline } from '../engine/index.ts';
import { firstStart } from './dev/firstStart.ts';
import { type House, startHouse, timerSchedule, withdrawHouse } from './dev/house/index.ts';
import { type HttpServer, requireFreePort, serveHttp } from './http/app.ts';
import type { Endpoint } from './http/endpoint.ts';
import { endpoints as everyEndpoint } from './http/endpoints.ts';
import { watchServer } from './metrics/watch.ts';
import {
  closeServices,
  failOnStorage,
  feedOf,
  type OpenOptions,
  type OwnServices,
  openServices,
} from './openServices.ts';
import type { Services } from './services.ts';
import { StreamHub } from './streams/hub.ts';
import { Views } from './views/index.ts';

interface StartOptions extends OpenOptions {
  /** The whole table unless given. */
  readonly endpoints?: readonly Endpoint[];
  /** Whether development plants its catalog and credits its wallets on a fresh journal; true unless given. */
  readonly hasFirstStart?: boolean;
}

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly services: Services;
  /** Stops accepting, answers what is in progress, makes it durable, ends. Safe to call again. */
  stop(): Promise<void>;
}

/** How long (ms) a stop waits for the historian and the maker of snapshots: without them the next start only has more to read. */
const FOLLOWERS_MS_MAX = 1_500;

/**
 * Starts a server as configured; when this resolves, it answers.
 * @throws FatalError with a sentence when the port, the data directory or the clock does not allow it
 */
export async function startServer(options: StartOptions): Promise<RunningServer> {
  const { config, endpoints = everyEndpoint, hasFirstStart = true, onFatal } = options;
  await requireFreePort(config.host, config.port);
  const views = new Views();
  const streams = feedOf(views, config);
  const services = await openServices(options, views, streams);
  try {
    if (config.mode === 'development' && hasFirstStart) await firstStart(services);
    const onDefect = (error: unknown): void => onFatal(errorOf(error));
    const hub = new StreamHub(streams, services, onDefect);
    const http = await serveHttp(services, endpoints, onDefect, (app) => hub.attach(app));
    watchServer({ ...services, hub, door: http.door });
    services.catalog.ready(services.exchange.now()).catch(onDefect);
    const house = await openHouse(services);
    const name = config.host.includes(':') ? `[${config.host}]` : config.host;
    let stopped: Promise<void> | undefined;
    return {
      url: `http://${name}:${http.port}`,
      port: http.port,
      services,
      stop: () => {
        stopped ??= takeDown({ services, hub, http, house });
        return stopped;
      },
    };
  } catch (error) {
    await closeServices(services);
    failOnStorage(error);
    throw error;
  }
}

/** Starts the house; where there is to be none, takes out of the books what an earlier start of it left there. */
async function openHouse(services: Services): Promise<House | undefined> {
  const { config, exchange, log } = services;
  if (config.mode !== 'development') return undefined;
  if (config.house !== 'none') {
    const schedule = timerSchedule(() => exchange.now());
    return startHouse({ services, mode: config.house, seed: config.seed, schedule });
  }
  const count = exchange.isFresh ? 0 : await withdrawHouse(services);
  if (count > 0) log.info({ count }, 'The orders that the house had left were cancelled.');
  return undefined;
}

interface Served {
  readonly services: OwnServices;
  readonly hub: StreamHub;
  readonly http: HttpServer;
  readonly house: House | undefined;
}

/** Stops what is served, and then what it is served from. */
async function takeDown({ services, hub, http, house }: Served): Promise<void> {
  const { exchange, historian, snapshots, recoverers } = services;
  const houseStopped = house?.stop(); // waited for last: what it waits for is answered when the exchange closes
  await http.drain();
  // First, since it reads the journal that the exchange closes; a disk that hangs must not keep it all from stopping.
  const followers = Promise.all([historian.close(), snapshots.close()]);
  await withDeadline(followers, FOLLOWERS_MS_MAX);
  await exchange.close();
  await hub.close();
  http.close();
  await recoverers.close();
  await houseStopped;
  // A process that exits while a thread of it is in LMDB waits for ever: whoever stops us ends it when that takes too long.
  if (!exchange.isLeftOpen) await followers;
}
