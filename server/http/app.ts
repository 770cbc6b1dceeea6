// The uWebSockets app: one route that passes every request to the Door; starts and stops listening. Started by start.ts. It
// never listens on a port that another process uses, and must be closed before its thread ends.
import type { TemplatedApp, us_listen_socket } from 'uWebSockets.js';
import { fatal } from '../process/fatal.ts';
import type { Services } from '../services.ts';
import type { Endpoint } from './endpoint.ts';
import { Door } from './handle.ts';
import { httpLimits } from './limits.ts';
import { bindErrorOf, portHolder } from './portHolder.ts';
import { App, us_listen_socket_close, us_socket_local_port } from './uws.ts';

/** A listening server. */
export interface HttpServer {
  /** The entry point of every request. */
  readonly door: Pick<Door, 'visitCount' | 'throttle'>;
  /** The port it listens on, also if the configuration left the choice to the system. */
  readonly port: number;
  /** Accepts no new connections and waits for the requests in progress, a few seconds at most. */
  drain(): Promise<void>;
  /** Closes every connection. The server must not be used afterwards. */
  close(): void;
}

/** @throws FatalError (port) if the address cannot be listened on, with a remedy */
export async function requireFreePort(host: string, port: number): Promise<void> {
  const code = await bindErrorOf(host, port);
  if (code !== undefined) fatal('port', bindFaultText(host, port, code));
}

/** Says why an address cannot be listened on; `code` is the system's, such as EADDRINUSE. */
export function bindFaultText(host: string, port: number, code: string): string {
  switch (code) {
    case 'EADDRINUSE': {
      const holder = portHolder(port);
      const who = holder === undefined ? 'another process' : `process ${holder.pid} (${holder.command})`;
      return `Port ${port} on ${host} is in use by ${who}. Stop it, or choose another port with --port.`;
    }
    case 'EACCES':
      return `Port ${port} needs privileges that this process does not have. Choose a port above 1023 with --port.`;
    case 'EMFILE':
    case 'ENFILE': {
      const whose = code === 'EMFILE' ? 'this process (ulimit -n)' : 'the whole system (fs.file-max)';
      return `Cannot listen on port ${port}: the open-file limit of ${whose} is exhausted. Raise it.`;
    }
    default:
      return `Cannot listen on ${host} port ${port} (${code}). Choose another address with --host.`;
  }
}

function listenOn(app: TemplatedApp, host: string, port: number): Promise<us_listen_socket> {
  return new Promise((resolve, reject) => {
    const done = (socket: us_listen_socket | false): void => {
      if (socket !== false) resolve(socket);
      else reject(new Error(`listening on ${host} port ${port} failed although the port was free before`));
    };
    // Without the library's option for an exclusive port: that option also refuses, for a minute, the port of a server that
    // has just closed its clients' sockets. requireFreePort has already checked for other listeners.
    app.listen(host, port, done);
  });
}

/**
 * Starts serving the endpoints.
 * @param onDefect called after the reply to a request that met a defect; it must stop the process in an orderly way
 * @param attach adds further services to the app before it listens
 * @throws FatalError (port) if the address cannot be listened on
 */
export async function serveHttp(
  services: Services,
  endpoints: readonly Endpoint[],
  onDefect: (error: unknown) => void,
  attach: (app: TemplatedApp) => void = () => {},
): Promise<HttpServer> {
  const { host, port } = services.config;
  await requireFreePort(host, port);
  const door = new Door(services, endpoints, onDefect);
  const app = App();
  attach(app);
  app.any('/*', door.handle);
  const socket = await listenOn(app, host, port);
  let isListening = true;
  const stopListening = (): void => {
    if (isListening) us_listen_socket_close(socket);
    isListening = false;
  };
  return {
    door,
    port: us_socket_local_port(socket as unknown as Parameters<typeof us_socket_local_port>[0]), // both are sockets
    drain: () => {
      stopListening();
      return door.drain(httpLimits.drainMsMax);
    },
    close: () => {
      isListening = false;
      app.close();
    },
  };
}
