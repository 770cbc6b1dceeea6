// A loader for HTTP/1.1: many keep-alive connections, one request at a time on each, requests prepared as bytes. Closed
// loop (the next request follows the answer) for throughput, open loop (requests at intended times, latency counted from
// these) for percentiles. Used by loader.ts. Of a response it parses only status, length and body.
import { connect, type Socket } from 'node:net';
import { percentile } from '../lib/statistics.ts';

/** The outcome of a run's requests. */
export interface LoadResult {
  readonly requests: number;
  /** Answers with status 200 whose body passed the check. */
  readonly good: number;
  readonly seconds: number;
  /** The first answer that was not good, as text. */
  readonly firstBad: string | undefined;
  /** From the intended (open loop) or actual (closed loop) send time, ms. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const READ_BYTES = 16_384;
const HEAD_END = Buffer.from('\r\n\r\n');
const LENGTH_NAME = Buffer.from('content-length: ');
/** Offset of the status digits in `HTTP/1.1 200`. */
const STATUS_AT = 9;

type OnAnswer = (connection: Connection, status: number, answer: Buffer) => void;

/** One keep-alive connection; it assembles answers from the chunks that arrive. */
class Connection {
  /** When the current request was sent, or was due to be sent, ms. */
  sentAtMs = 0;
  private readonly socket: Socket;
  private readonly onAnswer: OnAnswer;
  private pending: Buffer = Buffer.alloc(0);

  constructor(port: number, onAnswer: OnAnswer, onConnected: () => void, onError: (error: Error) => void) {
    this.onAnswer = onAnswer;
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    const callback = (bytes: number): boolean => {
      this.read(buffer.subarray(0, bytes));
      return true;
    };
    this.socket = connect({ host: '127.0.0.1', port, noDelay: true, onread: { buffer, callback } }, onConnected);
    this.socket.on('error', onError);
    this.socket.on('close', () => onError(new Error('The server closed a connection before all answers had come.')));
  }

  send(request: Uint8Array): void {
    this.socket.write(request);
  }

  close(): void {
    this.socket.destroy();
  }

  private read(piece: Buffer): void {
    const bytes = this.pending.length === 0 ? piece : Buffer.concat([this.pending, piece]);
    const headEnd = bytes.indexOf(HEAD_END);
    const bodyAt = headEnd + HEAD_END.length;
    if (headEnd < 0 || bytes.length < bodyAt + bodyLength(bytes, headEnd)) {
      this.pending = Buffer.from(bytes);
      return;
    }
    this.pending = Buffer.alloc(0);
    const status = Number.parseInt(bytes.toString('latin1', STATUS_AT, STATUS_AT + 3), 10);
    this.onAnswer(this, status, bytes.subarray(bodyAt));
  }
}

/** The Content-Length in an answer's head, in any letter case; 0 without one. */
function bodyLength(bytes: Buffer, headEnd: number): number {
  const head = bytes.subarray(0, headEnd);
  let at = head.indexOf('Content-Length: ');
  if (at < 0) at = Buffer.from(head.toString('latin1').toLowerCase()).indexOf(LENGTH_NAME);
  if (at < 0) return 0;
  let length = 0;
  for (let i = at + LENGTH_NAME.length; i < headEnd && bytes[i] >= 48 && bytes[i] <= 57; i += 1) {
    length = length * 10 + bytes[i] - 48;
  }
  return length;
}

/** Opens the connections, passes them to `start`, and resolves when `finished` does. @throws when a connection ends before */
function withConnections(
  port: number,
  count: number,
  onAnswer: OnAnswer,
  start: (connections: readonly Connection[]) => void,
  finished: Promise<void>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let connected = 0;
    const onConnected = (): void => {
      connected += 1;
      if (connected === count) start(connections);
    };
    const connections = Array.from({ length: count }, () => new Connection(port, onAnswer, onConnected, reject));
    finished.then(() => {
      for (const connection of connections) connection.close();
      resolve();
    }, reject);
  });
}

/** Counts answers and their latencies; `finished` resolves with the last one. */
class Tally {
  readonly finished: Promise<void>;
  good = 0;
  answers = 0;
  firstBad: string | undefined;
  private readonly latenciesMs: Float64Array;
  private readonly mark: Buffer;
  private finish: () => void = () => {};

  constructor(requests: number, mark: string) {
    this.latenciesMs = new Float64Array(requests);
    this.mark = Buffer.from(mark);
    this.finished = new Promise((resolve) => {
      this.finish = resolve;
    });
  }

  take(status: number, body: Buffer, latencyMs: number): void {
    this.latenciesMs[this.answers] = latencyMs;
    this.answers += 1;
    if (status === 200 && body.includes(this.mark)) this.good += 1;
    else this.firstBad ??= `${status} ${body.toString('utf8').slice(0, 300)}`;
    if (this.answers === this.latenciesMs.length) this.finish();
  }

  result(seconds: number): LoadResult {
    const sorted = this.latenciesMs.toSorted();
    const { good, firstBad } = this;
    const p50Ms = percentile(sorted, 0.5);
    return { requests: sorted.length, good, seconds, firstBad, p50Ms, p99Ms: percentile(sorted, 0.99) };
  }
}

/** Each connection sends its next request as soon as the previous one is answered. A good answer's body contains `mark`. */
export async function runClosedLoop(
  port: number,
  connectionCount: number,
  requests: readonly Uint8Array[],
  mark: string,
): Promise<LoadResult> {
  const tally = new Tally(requests.length, mark);
  let next = 0;
  let startMs = 0;
  const sendNext = (connection: Connection): void => {
    if (next === requests.length) return;
    connection.sentAtMs = performance.now();
    connection.send(requests[next]);
    next += 1;
  };
  const onAnswer: OnAnswer = (connection, status, body) => {
    tally.take(status, body, performance.now() - connection.sentAtMs);
    sendNext(connection);
  };
  const start = (connections: readonly Connection[]): void => {
    startMs = performance.now();
    for (const connection of connections) sendNext(connection);
  };
  await withConnections(port, connectionCount, onAnswer, start, tally.finished);
  return tally.result((performance.now() - startMs) / 1000);
}

/**
 * Sends requests at a steady rate, however fast the answers come; a request that finds no free connection waits, and its
 * wait counts as latency.
 */
export async function runOpenLoop(
  port: number,
  connectionCount: number,
  requests: readonly Uint8Array[],
  mark: string,
  requestsPerSecond: number,
): Promise<LoadResult> {
  const tally = new Tally(requests.length, mark);
  const intervalMs = 1000 / requestsPerSecond;
  const free: Connection[] = [];
  let next = 0;
  let startMs = 0;
  const sendDue = (): void => {
    const due = Math.min(requests.length, Math.floor((performance.now() - startMs) / intervalMs) + 1);
    while (next < due) {
      const connection = free.shift(); // in turn: the server closes one that is idle for some seconds
      if (connection === undefined) return;
      connection.sentAtMs = startMs + next * intervalMs;
      connection.send(requests[next]);
      next += 1;
    }
  };
  const onAnswer: OnAnswer = (connection, status, body) => {
    tally.take(status, body, performance.now() - connection.sentAtMs);
    free.push(connection);
    sendDue();
  };
  const tick = (): void => {
    sendDue();
    if (next < requests.length) setImmediate(tick);
  };
  const start = (connections: readonly Connection[]): void => {
    free.push(...connections);
    startMs = performance.now();
    tick();
  };
  await withConnections(port, connectionCount, onAnswer, start, tally.finished);
  return tally.result((performance.now() - startMs) / 1000);
}
