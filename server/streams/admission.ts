// Decides whether a client may open a socket, by the host it names and the number of sockets open from its address. The hub
// asks at each upgrade and reports sockets that open and close. What an open socket may do is decided elsewhere.
import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import type { ServerConfig } from '../config/config.ts';
import { type AddressReader, forwardedReader } from '../http/allowlist.ts';
import { type HostGuard, hostGuard } from '../http/host.ts';
import { remoteAddressOf } from '../http/request.ts';
import { networkOf } from '../lib/networks.ts';
import { BadRequest } from '../wire/badRequest.ts';

/** Why an upgrade is refused. */
interface Refusal {
  readonly status: 421 | 429 | 503;
  readonly sentence: string;
}

export class Admission {
  private readonly connectionsPerIpMax: number;
  private readonly countByIp = new Map<string, number>();
  private readonly guardHost: HostGuard | undefined;
  private readonly readForwarded: AddressReader | undefined;
  private isClosed = false;

  constructor(config: ServerConfig) {
    this.connectionsPerIpMax = config.streams.connectionsPerIpMax;
    this.guardHost = hostGuard(config);
    this.readForwarded = forwardedReader(config);
  }

  /** The network from which a request comes, as reported by trusted proxies. */
  networkOf(res: HttpResponse, req: HttpRequest): string {
    const peer = remoteAddressOf(res, false);
    return networkOf(this.readForwarded?.(peer, req) ?? peer);
  }

  /** Why a socket from this network is refused; undefined if it may open. */
  refusal(req: HttpRequest, ip: string): Refusal | undefined {
    try {
      this.guardHost?.(req.getHeader('host'));
    } catch (error) {
      if (!(error instanceof BadRequest)) throw error;
      return { status: 421, sentence: error.message };
    }
    if (this.isClosed) return { status: 503, sentence: 'the exchange is stopping' };
    const { connectionsPerIpMax } = this;
    if ((this.countByIp.get(ip) ?? 0) < connectionsPerIpMax) return undefined;
    return { status: 429, sentence: `too many sockets: one address may have at most ${connectionsPerIpMax} open` };
  }

  opened(ip: string): void {
    this.countByIp.set(ip, (this.countByIp.get(ip) ?? 0) + 1);
  }

  ended(ip: string): void {
    const left = (this.countByIp.get(ip) ?? 1) - 1;
    if (left === 0) this.countByIp.delete(ip);
    else this.countByIp.set(ip, left);
  }

  /** Refuses every socket from now on. */
  close(): void {
    this.isClosed = true;
  }
}
