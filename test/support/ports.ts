// A port for a server that is stopped and started again while its clients go on. Used by the tests of restarts and of the
// command line. It only asks the system for a free port and does not hold it.
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that systems hand out themselves, so that nobody takes the port while the server is down. */
const PORTS = { from: 20_000, to: 30_000 } as const;

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.from, PORTS.to);
    if (await isFree(port)) return port;
  }
}
