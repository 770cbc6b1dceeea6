// A WebSocket with a memory for tests: the received messages, the close, and a way to wait for later messages. Timing never
// decides: a wait ends when its condition holds, or with the test.
import { once } from 'node:events';
import WebSocket from 'ws';
import { StreamReader } from './reader.ts';

export class TestSocket {
  readonly reader = new StreamReader();
  readonly frames: string[] = [];
  closed: { readonly code: number; readonly reason: string } | undefined;
  readonly ws: WebSocket;
  private waiting: (() => void)[] = [];

  private constructor(ws: WebSocket) {
    this.ws = ws;
    this.reader.kept = [];
    ws.on('message', (data: Buffer) => {
      const text = data.toString('utf8');
      this.frames.push(text);
      this.reader.receive(text);
      this.wake();
    });
    ws.on('close', (code: number, reason: Buffer) => {
      this.closed = { code, reason: reason.toString('utf8') };
      this.wake();
    });
    ws.on('error', () => this.wake());
  }

  static async open(url: string, path: string, options?: WebSocket.ClientOptions): Promise<TestSocket> {
    const ws = new WebSocket(url.replace('http', 'ws') + path, options);
    const socket = new TestSocket(ws);
    await once(ws, 'open');
    return socket;
  }

  send(message: unknown): void {
    this.ws.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  /** Resolves when the condition holds. */
  async until(condition: (socket: TestSocket) => boolean): Promise<void> {
    while (!condition(this)) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** Events of a kind, in the order of their arrival. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server sends is what tests are about
  events(type: string): any[] {
    return (this.reader.kept ?? []).filter((event) => event.event_type === type);
  }

  async close(): Promise<void> {
    if (this.closed !== undefined) return;
    this.ws.close();
    await this.until(({ closed }) => closed !== undefined);
  }

  private wake(): void {
    const { waiting } = this;
    this.waiting = [];
    for (const resolve of waiting) resolve();
  }
}
