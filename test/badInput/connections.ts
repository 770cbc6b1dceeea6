// Many requests over a few raw keep-alive connections, cheaper than any client of Node: the fuzz of bad input sends a
// hundred thousand. One request is in flight on each connection. It reports what no client should see: a connection that
// ends, a reply that never comes.
import { connect, type Socket } from 'node:net';
import { parseReply } from '../support/client.ts';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** How long a reply may take before it counts as hung; no test waits for this. */
const ANSWER_MS_MAX = 30_000;
/** The exchange closes connections that were idle for ten seconds, so nothing is sent over one that may be about to close. */
const IDLE_MS_MAX = 5_000;

function bytesOf({ method, path, headers, body }: Request): Buffer {
  let head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n`;
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
  if (body !== undefined) head += `Content-Length: ${body.length}\r\n`;
  const start = Buffer.from(`${head}\r\n`, 'latin1');
  return body === undefined ? start : Buffer.concat([start, body]);
}

/** One connection with one request at a time. Like other clients' connections it is reopened after a long idle time. */
class Connection {
  private readonly port: number;
  private socket: Socket;
  private received: Buffer = Buffer.alloc(0);
  private sentMs = Date.now();
  private resolve: ((answer: Answer) => void) | undefined;
  private reject: ((error: Error) => void) | undefined;

  constructor(port: number) {
    this.port = port;
    this.socket = this.open();
  }

  ask(request: Request): Promise<Answer> {
    if (this.socket.destroyed || Date.now() - this.sentMs > IDLE_MS_MAX) {
      this.socket.destroy();
      this.socket = this.open();
    }
    this.sentMs = Date.now();
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
      this.socket.write(bytesOf(request));
    });
  }

  /** Fails the request in flight if it was sent too long ago. */
  checkDeadline(): void {
    if (Date.now() - this.sentMs > ANSWER_MS_MAX) this.fail(new Error(`no answer within ${ANSWER_MS_MAX} ms`));
  }

  destroy(): void {
    this.socket.destroy();
  }

  private open(): Socket {
    const socket = connect(this.port, '127.0.0.1');
    const fail = (error: Error): void => {
      if (socket === this.socket) this.fail(error);
    };
    this.received = Buffer.alloc(0);
    socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      this.received = this.received.length === 0 ? chunk : Buffer.concat([this.received, chunk]);
      const reply = parseReply(this.received, true)?.reply;
      if (reply === undefined) return;
      this.received = Buffer.alloc(0);
      this.resolve?.(reply);
      this.resolve = undefined;
    });
    socket.on('error', fail);
    socket.on('close', () => fail(new Error('the server ended the connection without an answer')));
    return socket;
  }

  private fail(error: Error): void {
    if (this.resolve !== undefined) this.reject?.(error);
    this.resolve = undefined;
  }
}

/** A few connections that share a list of requests. */
export class Connections {
  private readonly all: readonly Connection[];
  private readonly watch: NodeJS.Timeout;

  constructor(port: number, count: number) {
    this.all = Array.from({ length: count }, () => new Connection(port));
    this.watch = setInterval(() => {
      for (const connection of this.all) connection.checkDeadline();
    }, 1_000);
  }

  /**
   * Sends `count` requests as fast as connections become free.
   * @param make the request of that number, made when it is sent
   * @param onAnswer called with each answer; throws when it is not an expected one
   * @throws what onAnswer throws, or why there was no answer, with the request's number
   */
  async run<Made extends Request>(
    count: number,
    make: (index: number) => Made,
    onAnswer: (answer: Answer, made: Made, index: number) => void,
  ): Promise<void> {
    let next = 0;
    const work = async (connection: Connection): Promise<void> => {
      while (next < count) {
        const index = next;
        next += 1;
        const made = make(index);
        const answer = await connection.ask(made).catch((cause: unknown) => {
          const shown = `${made.method} ${made.path} ${made.body?.toString('latin1').slice(0, 600) ?? ''}`;
          throw new Error(`request ${index} was not answered: ${shown}`, { cause });
        });
        onAnswer(answer, made, index);
      }
    };
    await Promise.all(this.all.map(work));
  }

  close(): void {
    clearInterval(this.watch);
    for (const connection of this.all) connection.destroy();
  }
}
