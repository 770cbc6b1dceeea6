// A request in progress, and the turn of the loop that it arrived in: what is known about it so far, and whether its client
// is still connected. Created and changed by handle.ts; nothing here sends a reply.
import type { HttpResponse } from 'uWebSockets.js';
import { networkOf } from '../lib/networks.ts';
import type { IncomingBody } from './body.ts';
import type { Endpoint } from './endpoint.ts';
import { httpLimits } from './limits.ts';
import type { LongReply } from './longReply.ts';
import { type ReceivedRequest, remoteAddressOf } from './request.ts';

/** The replies that one turn of the loop has given to requests that arrived in it. */
export class Turn {
  replyCount = 0;
  replyBytes = 0;

  get isFull(): boolean {
    return this.replyCount >= httpLimits.turnRepliesMax || this.replyBytes >= httpLimits.turnReplyBytesMax;
  }
}

export class Visit {
  readonly res: HttpResponse;
  readonly turn: Turn;
  readonly beganMs = performance.now();
  /** The client has disconnected; `res` must not be used any more. */
  isAborted = false;
  isAnswered = false;
  /** uWebSockets' request object is still valid. */
  isLive = true;
  isHead = false;
  /** Pages of any origin may read the reply. */
  isOpen = true;
  /** The endpoint and the request, once known. */
  endpoint: Endpoint | undefined;
  request: ReceivedRequest | undefined;
  /** The client's address according to trusted proxies; undefined without them. */
  forwardedAddress: string | undefined;
  /** The throttle has counted it, or must not count it. */
  isCounted = false;
  /** Its body, while it is being received in parts. */
  incomingBody: IncomingBody | undefined;
  /** Its reply, while it is being sent in parts. */
  long: LongReply | undefined;

  constructor(res: HttpResponse, turn: Turn) {
    this.res = res;
    this.turn = turn;
  }

  /** The client's network; ask while it is connected. */
  get network(): string {
    return networkOf(addressOfVisit(this));
  }
}

/** The address of a request's client: according to trusted proxies, else the connection's peer. */
export const addressOfVisit = ({ forwardedAddress, res, isAborted }: Visit): string =>
  forwardedAddress ?? remoteAddressOf(res, isAborted);
