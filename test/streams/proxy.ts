// A wire that can be cut, stalled and slowed down: every incoming connection is joined to the exchange, at its current
// port. Used by the chaos test.
import { connect, createServer, type Server, type Socket } from 'node:net';

interface Joint {
  readonly client: Socket;
  readonly exchange: Socket;
  delayMs: number;
}

export class ChaosProxy {
  /** The port on which the exchange listens now. */
  target = 0;
  cutCount = 0;
  stallCount = 0;
  delayCount = 0;
  private readonly server: Server;
  private readonly joints = new Set<Joint>();

  private constructor() {
    this.server = createServer((client) => this.join(client));
  }

  static async open(): Promise<ChaosProxy> {
    const proxy = new ChaosProxy();
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    const address = this.server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** Cuts a connection at any point of its data; false if there is none. */
  cut(pick: (below: number) => number): boolean {
    const joint = this.pick(pick);
    if (joint === undefined) return false;
    this.cutCount += 1;
    joint.client.destroy();
    joint.exchange.destroy();
    return true;
  }

  /** Lets nothing through for a while. */
  stall(pick: (below: number) => number, ms: number): void {
    const joint = this.pick(pick);
    if (joint === undefined) return;
    this.stallCount += 1;
    joint.exchange.pause();
    setTimeout(() => joint.exchange.resume(), ms);
  }

  /** Delays every chunk from now on. */
  delay(pick: (below: number) => number, ms: number): void {
    const joint = this.pick(pick);
    if (joint === undefined) return;
    this.delayCount += 1;
    joint.delayMs = Math.max(joint.delayMs, ms);
  }

  close(): void {
    this.server.close();
    for (const { client, exchange } of this.joints) {
      client.destroy();
      exchange.destroy();
    }
  }

  private pick(pick: (below: number) => number): Joint | undefined {
    return this.joints.size === 0 ? undefined : [...this.joints][pick(this.joints.size)];
  }

  private join(client: Socket): void {
    const exchange = connect(this.target, '127.0.0.1');
    const joint: Joint = { client, exchange, delayMs: 0 };
    this.joints.add(joint);
    client.setNoDelay(true);
    exchange.setNoDelay(true);
    client.on('data', (bytes) => exchange.write(bytes));
    exchange.on('data', (bytes) => {
      if (joint.delayMs === 0) client.write(bytes);
      else setTimeout(() => client.write(bytes), joint.delayMs);
    });
    for (const [one, other] of [
      [client, exchange],
      [exchange, client],
    ]) {
      one.on('error', () => {});
      one.on('close', () => {
        other.destroy();
        this.joints.delete(joint);
      });
    }
  }
}
