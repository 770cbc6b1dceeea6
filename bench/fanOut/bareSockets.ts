// uWebSockets.js without an exchange, for the yardsticks of the streams bench: an app whose sockets subscribe to one topic,
// the file of frames that the exchange published, and a function that listens. Called by publisher.ts and exchange.ts.

import { App, type TemplatedApp, us_socket_local_port } from 'uWebSockets.js';
import { readFileSync, writeFileSync } from 'node:fs';

/** The one topic of the bare app. */
export const BARE_TOPIC = 'all';

/** Subscribes every socket to the one topic. Whatever a client sends is answered, which tells it that it is subscribed. */
export function bareApp(): TemplatedApp {
  return App().ws('/*', {
    maxBackpressure: 64 * 1024 * 1024,
    idleTimeout: 120,
    open: (socket) => {
      socket.subscribe(BARE_TOPIC);
    },
    message: (socket) => {
      socket.send('settled', false, false);
    },
  });
}

/** Listens on a free port of the loopback address and resolves with the port. */
export function listen(app: TemplatedApp): Promise<number> {
  return new Promise((resolve) => {
    app.listen('127.0.0.1', 0, (socket) => {
      // Both are sockets; the package's types give them different names.
      if (socket !== false)
        resolve(us_socket_local_port(socket as unknown as Parameters<typeof us_socket_local_port>[0]));
    });
  });
}

/** Bytes on the wire of a text frame with a payload of this many bytes. */
export const wireBytes = (payload: number): number => payload + (payload < 126 ? 2 : payload < 65_536 ? 4 : 10);

/** Writes the frames, each preceded by a line with its length. */
export function writeFrames(file: string, frames: readonly Buffer[]): void {
  writeFileSync(file, Buffer.concat(frames.flatMap((frame) => [Buffer.from(`${frame.length}\n`), frame])));
}

export function readFrames(file: string): Buffer[] {
  const bytes = readFileSync(file);
  const frames: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(0x0a, at);
    const length = Number(bytes.toString('latin1', at, end));
    frames.push(bytes.subarray(end + 1, end + 1 + length));
    at = end + 1 + length;
  }
  return frames;
}
