// Request rates: counts each client's requests under the rows of the table, and refuses those in excess. Called by
// handle.ts for every request when rates are limited. A refused request is not counted. Memory is bounded for any number of
// clients: above the limit, those silent longest are forgotten first.
import type { HttpRequest as UwsRequest } from 'uWebSockets.js';
import { isWalletSigned, readAuthHeaders } from '../auth/headers.ts';
import {
  type RateWindow,
  rowsOfGroup,
  rowText,
  type ThrottleGroup,
  type ThrottleRates,
  type ThrottleRow,
  throttleRowNames,
} from '../config/throttleTable.ts';
import { BadRequest } from '../wire/badRequest.ts';
import type { Endpoint } from './endpoint.ts';
import { httpLimits } from './limits.ts';
import { type FullWindow, SlidingWindows } from './slidingWindows.ts';

/** One client's counters, by row number; created when a row first counts the client. */
type Counters = (SlidingWindows | undefined)[];

/** A row that admits no request at present. */
interface FullRow extends FullWindow {
  /** The row's number. */
  readonly row: number;
}

/**
 * Recent clients, in two generations. A client found in the old generation moves to the young one. When the young one is
 * full, or as old as the longest window, it becomes the old one, and the clients left in the previous old one are
 * forgotten.
 */
class Clients {
  private readonly longestMs: number;
  private young = new Map<string, Counters>();
  private old = new Map<string, Counters>();
  private youngBytes = 0;
  private rotatedMs = Number.NEGATIVE_INFINITY;

  constructor(longestMs: number) {
    this.longestMs = longestMs;
  }

  get count(): number {
    return this.young.size + this.old.size;
  }

  of(client: string, nowMs: number): Counters {
    const known = this.young.get(client);
    if (known !== undefined) return known;
    const counters = this.old.get(client) ?? []; // looked up before the old generation may be dropped
    this.old.delete(client);
    const isFull = this.young.size >= httpLimits.throttledClientsMax / 2;
    if (isFull || nowMs - this.rotatedMs >= this.longestMs) this.rotate(nowMs);
    this.young.set(client, counters);
    let bytes = 0;
    for (const windows of counters) bytes += windows?.ringBytes ?? 0;
    this.grew(bytes, nowMs);
    return counters;
  }

  /** Call when rings were created or grew. */
  grew(bytes: number, nowMs: number): void {
    this.youngBytes += bytes;
    if (this.youngBytes >= httpLimits.throttleRingBytesMax / 2) this.rotate(nowMs);
  }

  private rotate(nowMs: number): void {
    this.old = this.young;
    this.young = new Map();
    this.youngBytes = 0;
    this.rotatedMs = nowMs;
  }
}

/** The clocks that a throttle reads. */
interface ThrottleClocks {
  /** Monotonic time, for measuring windows: setting the clock back must not lengthen them. */
  elapsedMs(): number;
  /** The wall clock, for telling clients when to retry. */
  clockMs(): number;
}

/** Counts requests of clients under the rows of the table. */
export class Throttle {
  private readonly clocks: ThrottleClocks;
  private readonly rates: readonly (readonly RateWindow[])[];
  private readonly clients: Clients;
  /** Refused requests, by row number. */
  private readonly refusedCounts: Float64Array;
  private readonly rowsOf = new Map<ThrottleGroup, readonly number[]>();

  constructor(rates: ThrottleRates, clocks: ThrottleClocks) {
    this.clocks = clocks;
    this.rates = throttleRowNames.map((row) => rates[row]);
    this.refusedCounts = new Float64Array(this.rates.length);
    this.clients = new Clients(Math.max(...this.rates.flat().map(({ windowMs }) => windowMs)));
  }

  /** Number of remembered clients. */
  get clientCount(): number {
    return this.clients.count;
  }

  /** Number of requests that each row has refused. */
  get refusals(): readonly (readonly [ThrottleRow, number])[] {
    return throttleRowNames.map((row, index) => [row, this.refusedCounts[index]]);
  }

  /**
   * Counts a client's request under every row of a group, or under none if one of them is full.
   * @param client an API key, or the network of an address
   * @throws BadRequest 429 with headers that say when to retry
   */
  count(group: ThrottleGroup, client: string): void {
    const atMs = this.clocks.elapsedMs();
    const counters = this.clients.of(client, atMs);
    const rows = this.rowNumbers(group);
    let full: FullRow | undefined;
    for (const row of rows) {
      const window = counters[row]?.fullAt(atMs);
      if (window !== undefined && (full === undefined || window.freeAtMs > full.freeAtMs)) {
        full = { ...window, row };
      }
    }
    if (full !== undefined) throw this.refusal(full, full.freeAtMs - atMs);
    for (const row of rows) this.admit(counters, row, atMs);
  }

  private admit(counters: Counters, row: number, atMs: number): void {
    let windows = counters[row];
    let bytes = 0;
    if (windows === undefined) {
      windows = new SlidingWindows(this.rates[row]);
      counters[row] = windows;
    } else bytes = windows.ringBytes;
    windows.admit(atMs);
    if (windows.ringBytes !== bytes) this.clients.grew(windows.ringBytes - bytes, atMs);
  }

  private rowNumbers(group: ThrottleGroup): readonly number[] {
    let rows = this.rowsOf.get(group);
    if (rows === undefined) {
      rows = rowsOfGroup(group).map((row) => throttleRowNames.indexOf(row));
      this.rowsOf.set(group, rows);
    }
    return rows;
  }

  private refusal({ row, window }: FullRow, waitMs: number): BadRequest {
    const seconds = Math.max(Math.ceil(waitMs / 1000), 1);
    const { requestsMax, windowMs } = window;
    this.refusedCounts[row] += 1;
    const policy = this.rates[row].map((each) => `${each.requestsMax};w=${each.windowMs / 1000}`).join(', ');
    const headers = {
      'retry-after': String(seconds),
      'ratelimit-limit': String(requestsMax),
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(seconds),
      'ratelimit-policy': policy,
      'poly-ratelimit-remaining': '0',
      'poly-ratelimit-reset': String(Math.ceil((this.clocks.clockMs() + waitMs) / 1000)),
      'poly-ratelimit-tier': 'Standard',
    };
    const rate = `${requestsMax} requests in ${windowMs / 1000} s`;
    const name = rowText(throttleRowNames[row]);
    const text = `Too Many Requests: the limit for ${name} is ${rate}; try again in ${seconds} s`;
    return new BadRequest(text, { status: 429, headers });
  }
}

/**
 * Whether a request is counted by address before it is examined any further.
 * @param req uWebSockets' request, still valid
 */
export function isCountedByAddress({ auth, throttle }: Endpoint, req: Pick<UwsRequest, 'getHeader'>): boolean {
  if (throttle === 'operator') return false;
  // Whoever signs: a wallet may have many keys, each with rates of its own, and what it creates stays in memory for good.
  if (throttle === 'keys') return true;
  // Recovering a signer costs much more than counting.
  if (auth === 'l1-or-l2') return isWalletSigned(readAuthHeaders((name) => req.getHeader(name)));
  return auth === 'none' || auth === 'l1' || auth === 'dev';
}
