// A subscriber that never gives up: it follows its markets through the proxy, reconnects after every cut with the numbers
// that it has, and records every fault. Used by the chaos test.
import WebSocket from 'ws';
import { type StreamEvent, StreamReader } from './reader.ts';

const RETRY_MS = 25;

export class ChaosSubscriber {
  readonly reader = new StreamReader();
  /** Events of the user channel by their number: none may be repeated or left out. */
  readonly userEvents: StreamEvent[] = [];
  private readonly url: string;
  private readonly message: object;
  private ws: WebSocket | undefined;
  private isClosed = false;
  private waiting: (() => void)[] = [];

  constructor(url: string, message: object) {
    this.url = url;
    this.message = message;
    this.connect();
  }

  async until(condition: (reader: StreamReader) => boolean): Promise<void> {
    while (!condition(this.reader)) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  close(): void {
    this.isClosed = true;
    this.ws?.terminate();
  }

  private connect(): void {
    if (this.isClosed) return;
    const ws = new WebSocket(this.url);
    this.ws = ws;
    ws.on('open', () => {
      const resume = [...this.reader.sequences].map(([stream_id, sequence]) => ({ stream_id, sequence }));
      ws.send(JSON.stringify({ ...this.message, resume }));
    });
    ws.on('message', (data: Buffer) => {
      for (const event of this.reader.receive(data.toString('utf8'))) {
        if (event.event_type === 'order' || event.event_type === 'trade') this.userEvents.push(event);
      }
      const { waiting } = this;
      this.waiting = [];
      for (const resolve of waiting) resolve();
    });
    ws.on('error', () => {});
    ws.on('close', () => setTimeout(() => this.connect(), RETRY_MS));
  }
}
