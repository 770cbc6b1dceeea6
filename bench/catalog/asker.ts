// One keep-alive connection that requests a path and reads the response to its last byte, as cheaply as Node can: the
// exchange and the loopback are timed, not a client that decodes text. Used by the catalog bench alone. Of a response it
// parses only the status, the length and the body.
import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const READ_BYTES = 262_144;

export class Asker {
  private readonly socket: Socket;
  private readonly host: string;
  private readonly pieces: Buffer[] = [];
  private bytes = 0;
  /** Length of the whole response in bytes; 0 until its head has arrived. */
  private wanted = 0;
  private head = '';
  private onAnswer: ((status: number) => void) | undefined;
  private onError: ((error: Error) => void) | undefined;

  constructor(url: string) {
    const { hostname, port, host } = new URL(url);
    this.host = host;
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    const callback = (bytes: number): boolean => {
      this.read(buffer.subarray(0, bytes));
      return true;
    };
    this.socket = connect({ host: hostname, port: Number(port), noDelay: true, onread: { buffer, callback } });
    this.socket.on('error', (error) => this.onError?.(error));
    this.socket.on('close', () => this.onError?.(new Error(`${url} closed the connection instead of answering.`)));
  }

  /** Resolves with the time from the request to the last byte of the response (ms). @throws for a status other than 200 */
  async time(path: string): Promise<number> {
    const startedMs = performance.now();
    const status = await new Promise<number>((resolve, reject) => {
      this.onAnswer = resolve;
      this.onError = reject;
      if (this.socket.destroyed) reject(new Error(`${this.host} has closed the connection.`));
      this.socket.write(`GET ${path} HTTP/1.1\r\nhost: ${this.host}\r\n\r\n`);
    });
    const tookMs = performance.now() - startedMs;
    if (status !== 200) throw new Error(`GET ${path} answered ${status}`);
    return tookMs;
  }

  /** The value of a header of the latest response; undefined when the response lacks it. */
  header(name: string): string | undefined {
    return new RegExp(`^${name}: (.*)$`, 'im').exec(this.head)?.[1].trim();
  }

  private read(piece: Buffer): void {
    this.bytes += piece.length;
    if (this.wanted === 0) {
      this.pieces.push(Buffer.from(piece));
      const head = Buffer.concat(this.pieces);
      const headEnd = head.indexOf(HEAD_END);
      if (headEnd < 0) return;
      this.head = head.toString('latin1', 0, headEnd);
      this.wanted = headEnd + HEAD_END.length + Number(this.header('content-length') ?? 0);
    }
    if (this.bytes < this.wanted) return;
    const status = Number(this.head.slice(9, 12));
    this.pieces.length = 0;
    this.bytes = 0;
    this.wanted = 0;
    this.onAnswer?.(status);
  }
}
