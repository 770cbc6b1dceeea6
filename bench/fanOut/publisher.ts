// The yardstick of the streams' bench: uWebSockets.js alone, which publishes the very frames that the exchange published,
// one a turn of the loop, to every socket. Started by streams.ts.

import { App, us_socket_local_port } from 'uWebSockets.js';
import { readFileSync } from 'node:fs';
import { answerQuestions } from '../lib/talk.ts';
import { costNow, type Published, type ServerQuestion, sharedMs } from './question.ts';

const app = App();
let framesFile = '';
process.once('disconnect', () => process.exit(0));

function start(file: string): Promise<number> {
  framesFile = file;
  app.ws('/*', {
    maxBackpressure: 64 * 1024 * 1024,
    idleTimeout: 120,
    open: (socket) => {
      socket.subscribe('all');
    },
    message: (socket) => {
      socket.send('settled', false, false);
    },
  });
  return new Promise((resolve) => {
    app.listen('127.0.0.1', 0, (socket) => {
      // Both are sockets; the package's types name them apart.
      if (socket !== false)
        resolve(us_socket_local_port(socket as unknown as Parameters<typeof us_socket_local_port>[0]));
    });
  });
}

function readFrames(): Buffer[] {
  const bytes = readFileSync(framesFile);
  const frames: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(0x0a, at);
    const length = Number(bytes.toString('latin1', at, end));
    frames.push(bytes.subarray(end + 1, end + 1 + length));
    at = end + 1 + length;
  }
  return frames;
}

async function publish(): Promise<Published> {
  const frames = readFrames();
  const publishedMs: number[] = [];
  for (const frame of frames) {
    publishedMs.push(sharedMs());
    app.publish('all', frame, false, false);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { frameBytes: frames.map(({ length }) => length), publishedMs, messages: 0 };
}

answerQuestions(async (asked) => {
  const question = asked as ServerQuestion; // only streams.ts asks
  if (question.kind === 'start') return start(question.framesFile);
  return question.kind === 'publish' ? publish() : costNow();
});
