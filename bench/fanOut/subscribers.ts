// The sockets of the streams bench, thousands in one process. They shake hands, subscribe, answer pings and count bytes,
// nothing else, so they cost the same beside either server. One more socket, on a real client, times trades and echoes.
// Started by streams.ts.
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import WebSocket from 'ws';
import { PING_PAYLOAD } from '../../server/streams/readerCheck.ts';
import { percentile } from '../lib/statistics.ts';
import { answerQuestions } from '../lib/talk.ts';
import { FrameScan, pongTo } from './frameScan.ts';
import { type ClientQuestion, sharedMs, type Watched } from './question.ts';

const CONNECTING_AT_ONCE = 100;
const QUIET_MS = 400;
/** A pass with fewer reads is followed by a pause of PASS_PAUSE_MS. */
const READS_A_PASS = 64;
const PASS_PAUSE_MS = 1;
const SLEEP_CELL = new Int32Array(new SharedArrayBuffer(4));
/** Every socket reads into the same buffer, whose content nobody uses: a read costs no memory and little else. */
const READ_BUFFER = Buffer.alloc(256 * 1024);

/** The exchange's pings are the only ones in a bench: a two-byte head and their payload. */
const PING_BYTES = 2 + PING_PAYLOAD.length;
const PONG = pongTo(PING_PAYLOAD);

let sockets: Socket[] = [];
let scan = new FrameScan(0);
let received = new Float64Array(0);
/** Three numbers an arrival, where delays are measured: the socket, its bytes so far, the time. */
let arrivals: number[] = [];
/** Reads since the last pass. */
let readCount = 0;
let isInPasses = false;
/** Bytes that each socket is to receive, the number of sockets that have not yet, and what waits for them. */
let targetBytes = Number.POSITIVE_INFINITY;
let socketsBelowTarget = 0;
let onTargetReached: (() => void) | undefined;
/** When a socket last received bytes. */
let lastMs = 0;
let closedCount = 0;
let watcher: WebSocket | undefined;
let watched: { tradesMs: number[]; echoMs: number[] } = { tradesMs: [], echoMs: [] };
let pinger: NodeJS.Timeout | undefined;
process.once('disconnect', () => process.exit(0));

/** A masked text frame of a client, with a zero mask. */
function frameOf(text: string): Buffer {
  const payload = Buffer.from(text);
  const head = payload.length < 126 ? Buffer.from([0x81, 0x80 | payload.length]) : Buffer.alloc(4);
  if (payload.length >= 126) {
    head.writeUInt16BE(0x81fe, 0);
    head.writeUInt16BE(payload.length, 2);
  }
  return Buffer.concat([head, Buffer.alloc(4), payload]);
}

/** Counts bytes that a socket has received. */
function countBytes(index: number, bytes: number): void {
  readCount += 1;
  const before = received[index];
  received[index] = before + bytes;
  if (!isInPasses) {
    lastMs = sharedMs();
    arrivals.push(index, before + bytes, lastMs);
  }
  if (before < targetBytes && before + bytes >= targetBytes) {
    socketsBelowTarget -= 1;
    if (socketsBelowTarget === 0) onTargetReached?.();
  }
}

function open(port: number, index: number, message: string, isPaused: boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    let isUpgraded = false;
    const socket = connect({
      port,
      host: '127.0.0.1',
      onread: {
        buffer: READ_BUFFER,
        callback: (bytes) => {
          const from = isUpgraded ? 0 : READ_BUFFER.indexOf('\r\n\r\n') + 4;
          const pings = scan.pingsIn(index, READ_BUFFER, from, bytes);
          if (!isUpgraded) upgraded();
          else if (bytes !== pings * PING_BYTES) countBytes(index, bytes - pings * PING_BYTES);
          if (pings > 0) socket.write(PONG);
          return true;
        },
      },
    });
    const upgraded = (): void => {
      isUpgraded = true;
      socket.write(frameOf(message));
      if (isPaused) setTimeout(() => socket.pause(), QUIET_MS);
      resolve();
    };
    sockets[index] = socket;
    socket.once('error', reject);
    socket.once('close', () => {
      reject(new Error('The server closed a socket instead of opening it.')); // no effect on one that was open
      if (sockets[index] !== socket) return;
      closedCount += 1;
      onTargetReached?.();
    });
    const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n';
    socket.write(
      `GET /ws/market HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${key}\r\n`,
    );
  });
}

/**
 * Reads the sockets in passes, and sleeps a moment after a pass that found little, even if more arrives. A write to a
 * socket that another process of the machine waits on wakes that process, which costs the writer as much as the write, and
 * happens more often the slower the writer is.
 */
function readPass(): void {
  if (readCount < READS_A_PASS) Atomics.wait(SLEEP_CELL, 0, 0, PASS_PAUSE_MS);
  readCount = 0;
  if (isInPasses) setImmediate(readPass);
}

async function connectAll(question: Extract<ClientQuestion, { kind: 'connect' }>): Promise<void> {
  const { port, count, message, isPaused } = question;
  isInPasses = false;
  const former = sockets;
  sockets = [];
  closedCount = 0;
  for (const socket of former) socket.destroy();
  received = new Float64Array(count);
  scan = new FrameScan(count);
  for (let from = 0; from < count; from += CONNECTING_AT_ONCE) {
    const some = Array.from({ length: Math.min(CONNECTING_AT_ONCE, count - from) }, (_, at) => from + at);
    await Promise.all(some.map((index) => open(port, index, message, isPaused)));
  }
  lastMs = sharedMs();
  while (sharedMs() - lastMs < QUIET_MS) await sleep(50);
  received.fill(0);
  arrivals = [];
  targetBytes = Number.POSITIVE_INFINITY;
  isInPasses = question.isInPasses;
  if (isInPasses) readPass();
}

async function awaitBytes(bytes: number): Promise<number> {
  targetBytes = bytes;
  socketsBelowTarget = received.reduce((sum, at) => sum + (at < bytes ? 1 : 0), 0);
  if (socketsBelowTarget > 0 && closedCount === 0) {
    await new Promise<void>((resolve) => {
      onTargetReached = resolve;
    });
  }
  return closedCount;
}

/** The time from publication to the arrival of the last byte, for every socket and frame: p50 and p99. */
function delays(frameBytes: readonly number[], publishedMs: readonly number[]): readonly [number, number] {
  const next = new Uint32Array(received.length);
  const ends: number[] = [];
  frameBytes.reduce((sum, bytes) => {
    ends.push(sum + bytes);
    return sum + bytes;
  }, 0);
  const found: number[] = [];
  for (let at = 0; at < arrivals.length; at += 3) {
    const index = arrivals[at];
    while (next[index] < ends.length && arrivals[at + 1] >= ends[next[index]]) {
      found.push(arrivals[at + 2] - publishedMs[next[index]]);
      next[index] += 1;
    }
  }
  const sorted = Float64Array.from(found).sort();
  return [percentile(sorted, 0.5), percentile(sorted, 0.99)];
}

function watch(port: number, message: string): Promise<void> {
  watched = { tradesMs: [], echoMs: [] };
  const ws = new WebSocket(`ws://127.0.0.1:${port}/ws/market`);
  watcher = ws;
  let pingMs = 0;
  pinger = setInterval(() => {
    if (pingMs !== 0 || ws.readyState !== WebSocket.OPEN) return;
    pingMs = sharedMs();
    ws.send('PING');
  }, 60);
  return new Promise((resolve) => {
    ws.on('open', () => {
      ws.send(message);
      setTimeout(resolve, QUIET_MS);
    });
    ws.on('message', (data: Buffer) => {
      const nowMs = sharedMs();
      const text = data.toString('latin1');
      if (text === 'PONG') {
        watched.echoMs.push(nowMs - pingMs);
        pingMs = 0;
        return;
      }
      for (let at = text.indexOf('"last_trade_price",'); at >= 0; at = text.indexOf('"last_trade_price",', at + 1)) {
        watched.tradesMs.push(nowMs);
      }
    });
  });
}

function stopWatch(): Watched {
  clearInterval(pinger);
  watcher?.terminate();
  return watched;
}

answerQuestions(async (asked) => {
  const question = asked as ClientQuestion; // only streams.ts asks
  switch (question.kind) {
    case 'connect':
      return connectAll(question);
    case 'await':
      return awaitBytes(question.bytes);
    case 'delays':
      return delays(question.frameBytes, question.publishedMs);
    case 'watch':
      return watch(question.port, question.message);
    default:
      return stopWatch();
  }
});
