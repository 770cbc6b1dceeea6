// A request on its way through the door, and the turn of the loop that it arrived in: what is known of it so far, and whether its
// client is still there. Made and changed by handle.ts; nothing here answers anybody.
import type { HttpResponse } from 'uWebSockets.js';
import type { Gathering } from './body.ts';
import type { Endpoint } from './endpoint.ts';
import { httpLimits } from './limits.ts';
import type { LongReply } from './longReply.ts';
import { type ReceivedRequest, remoteAddressOf } from './request.ts';

/** What one turn of the loop has answered to requests that arrived in it. */
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
  /** The client has gone: nothing may be done with `res` any more. */
  isAborted = false;
  isAnswered = false;
  /** uWebSockets' request object still lives. */
  isLive = true;
  isHead = false;
  /** A page of any origin may read the reply. */
  isOpen = true;
  /** What was asked of which endpoint, as far as it is known. */
  endpoint: Endpoint | undefined;
  request: ReceivedRequest | undefined;
  /** Where it comes from, as trusted proxies say; undefined without them. */
  forwardedAddress: string | undefined;
  /** The throttle counted it, or is not to. */
  isCounted = false;
  /** Its body, while it comes in parts. */
  gathering: Gathering | undefined;
  /** Its reply, while it is sent in parts. */
  long: LongReply | undefined;

  constructor(res: HttpResponse, turn: Turn) {
    this.res = res;
    this.turn = turn;
  }
}

/** Where a request comes from: as trusted proxies say, else the peer of its connection. */
export const clientAddressOf = ({ forwardedAddress, res, isAborted }: Visit): string =>
  forwardedAddress ?? remoteAddressOf(res, isAborted);
