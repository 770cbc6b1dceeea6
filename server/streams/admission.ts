// Who may open a socket: by the host that is asked for, and by how many the address has open. Asked by the hub at each
// upgrade, and told by it of sockets that open and close. What a socket may do once it is open is not its business.
import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import type { ServerConfig } from '../config/config.ts';
import { type AddressReader, forwardedReader } from '../http/allowlist.ts';
import { BadRequest } from '../http/errors.ts';
import { type HostGuard, hostGuard } from '../http/host.ts';
import { remoteAddressOf } from '../http/request.ts';
import { networkOf } from '../http/throttle.ts';

/** Why no socket is opened. */
interface Refusal {
  /** As HTTP writes it, with its text. */
  readonly status: string;
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

  /** The network that a request comes from, as trusted proxies say. */
  networkOf(res: HttpResponse, req: HttpRequest): string {
    const peer = remoteAddressOf(res, false);
    return networkOf(this.readForwarded?.(peer, req) ?? peer);
  }

  /** Why a socket from this network is not opened; undefined where it may be. */
  refusal(req: HttpRequest, ip: string): Refusal | undefined {
    try {
      this.guardHost?.(req.getHeader('host'));
    } catch (error) {
      if (!(error instanceof BadRequest)) throw error;
      return { status: '421 Misdirected Request', sentence: error.message };
    }
    if (this.isClosed) return { status: '503 Service Unavailable', sentence: 'the exchange is stopping' };
    const { connectionsPerIpMax } = this;
    if ((this.countByIp.get(ip) ?? 0) < connectionsPerIpMax) return undefined;
    const sentence = `${connectionsPerIpMax} sockets are open from this address, the most that one may have`;
    return { status: '429 Too Many Requests', sentence };
  }

  opened(ip: string): void {
    this.countByIp.set(ip, (this.countByIp.get(ip) ?? 0) + 1);
  }

  ended(ip: string): void {
    const left = (this.countByIp.get(ip) ?? 1) - 1;
    if (left === 0) this.countByIp.delete(ip);
    else this.countByIp.set(ip, left);
  }

  /** From now on every socket is refused. */
  close(): void {
    this.isClosed = true;
  }
}
