// The one function that every request passes: Host, route, an operator's token, the body, its JSON, credentials, handler,
// reply. app.ts registers it with uWebSockets. No exception may leave it, since one would end the process silently: a
// BadRequest becomes its reply, closed storage or an unavailable historian a 503, and anything else a 503 and an orderly
// stop.

import type { HttpResponse, HttpRequest as UwsRequest } from 'uWebSockets.js';
import type { Caller } from '../auth/caller.ts';
import { GONE_STATUS } from '../metrics/requests.ts';
import type { Services } from '../services.ts';
import { BadRequest } from '../wire/badRequest.ts';
import { type Dialect, pickDialect } from '../wire/dialect.ts';
import { outageRefusal, RETRY_SECONDS, replyError, unavailable } from '../wire/rejections.ts';
import { type AddressGuard, type AddressReader, addressGuard, forwardedReader } from './allowlist.ts';
import { publishAnswered } from './answered.ts';
import { type Authenticator, makeAuthenticator } from './authenticate.ts';
import { bodyTooLarge, EMPTY_BODY, readBody, requireJsonContentType } from './body.ts';
import { BodyTurns } from './bodyTurns.ts';
import { preflightHeaders } from './cors.ts';
import type { Context, Endpoint, Method, Reply, ReplySteps } from './endpoint.ts';
import { HeldBytes } from './heldBytes.ts';
import { type HostGuard, hostGuard } from './host.ts';
import { inTurns } from './inTurns.ts';
import { httpLimits } from './limits.ts';
import { LongReply } from './longReply.ts';
import { BodyParts, lengthOf, PART_BYTES, sendableBody } from './replyBody.ts';
import { copyHeaders, liveHeaders, ReceivedRequest, type RequestParts, remoteAddressOf } from './request.ts';
import { makeRouter, type PathEntry, type Router } from './router.ts';
import { statusLine } from './statusLine.ts';
import { CHANNEL_PATHS, streamPaths } from './streamPaths.ts';
import { isCountedByAddress, Throttle } from './throttle.ts';
import { addressOfVisit, Turn, Visit } from './visit.ts';

/** Bytes of the headers that nearly every reply has: uWebSockets would convert a string each time. */
const bytesOf = (text: string): ArrayBuffer => new TextEncoder().encode(text).slice().buffer;
const CONTENT_TYPE = bytesOf('content-type');
const JSON_TYPE = bytesOf('application/json; charset=utf-8');
const ALLOW_ORIGIN = bytesOf('access-control-allow-origin');
/** Lets pages read a reply's own headers, Retry-After and X-Sequence among them, which are hidden from them by default. */
const EXPOSE_HEADERS = bytesOf('access-control-expose-headers');
const ANY = bytesOf('*');
const SEQUENCE = bytesOf('x-sequence');
const RETRY = { 'retry-after': String(RETRY_SECONDS.unavailable) };

/** The text of a 404. Stream paths are not in the table; a plain request for one may come from a proxy that strips upgrades. */
function notFoundText(path: string): string {
  if (streamPaths.some(([streamPath]) => streamPath === path))
    return 'not found: streams accept WebSocket connections only, and this request does not ask for an upgrade';
  if (!path.startsWith('/ws/')) return 'not found';
  return `not found: the streams are ${CHANNEL_PATHS.market} and ${CHANNEL_PATHS.user}`;
}

/** The context of a request. Handlers may destructure it, so its functions do not use `this`. */
function contextOf(services: Services, dialect: Dialect, known: Caller | undefined): Context {
  const caller = (): Caller => {
    if (known === undefined)
      throw new Error('this endpoint has no authentication, but its handler asked for the caller');
    return known;
  };
  return { services, dialect, caller, hasCaller: known !== undefined };
}

/** A server's entry point: every request goes through `handle`. */
export class Door {
  private readonly services: Services;
  private readonly onDefect: (error: unknown) => void;
  private readonly route: Router;
  private readonly authenticator: Authenticator;
  private readonly guardHost: HostGuard | undefined;
  readonly throttle: Throttle | undefined;
  private readonly readForwarded: AddressReader | undefined;
  private readonly guardAddress: AddressGuard | undefined;
  /** Requests in progress. */
  visitCount = 0;
  private readonly incomingBodies = new HeldBytes(httpLimits.incomingBodiesBytesMax);
  private readonly bodyTurns = new BodyTurns();
  private readonly longReplies = new HeldBytes(httpLimits.longRepliesBytesMax);
  private turn: Turn | undefined;
  /** The last sequence sent, with its text. */
  private sentSequence = { sequence: 0, text: '0' };
  private isStopping = false;
  private onIdle: (() => void) | undefined;

  /**
   * @param endpoints the whole table
   * @param onDefect called once for each defect, after its reply; it must stop the process in an orderly way
   */
  constructor(services: Services, endpoints: readonly Endpoint[], onDefect: (error: unknown) => void) {
    this.services = services;
    this.onDefect = onDefect;
    this.route = makeRouter(endpoints);
    this.authenticator = makeAuthenticator(services);
    this.guardHost = hostGuard(services.config);
    const { isThrottled, rates } = services.config;
    this.throttle = isThrottled ? new Throttle(rates, services.exchange) : undefined;
    this.readForwarded = forwardedReader(services.config);
    this.guardAddress = addressGuard(services.config);
  }

  /** Refuses requests from now on. Resolves when those in progress are answered, or after `msMax`. */
  async drain(msMax: number): Promise<void> {
    this.isStopping = true;
    if (this.visitCount === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, msMax);
      this.onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  readonly handle = (res: HttpResponse, req: UwsRequest): void => {
    const visit = new Visit(res, this.presentTurn());
    this.visitCount += 1;
    res.onAborted(() => {
      visit.isAborted = true;
      visit.incomingBody?.gone();
      if (!visit.isAnswered) this.count(visit, GONE_STATUS);
      if (visit.long === undefined) this.leave(visit);
      else visit.long.gone();
    });
    try {
      this.receive(visit, req);
    } catch (error) {
      this.fail(visit, error);
    }
    visit.isLive = false;
  };

  private presentTurn(): Turn {
    if (this.turn === undefined) {
      this.turn = new Turn();
      setImmediate(() => {
        this.turn = undefined;
      });
    }
    return this.turn;
  }

  /** Does everything that needs uWebSockets' request object, which becomes invalid when this returns. */
  private receive(visit: Visit, req: UwsRequest): void {
    const method = req.getCaseSensitiveMethod();
    const path = req.getUrl();
    visit.isHead = method === 'HEAD';
    this.guardHost?.(req.getHeader('host'));
    const route = this.route(path);
    if (route === undefined) throw new BadRequest(notFoundText(path), { status: 404 });
    const { entry, params } = route;
    visit.isOpen = entry.isOpen;
    if (this.isStopping) throw unavailable('the exchange is stopping');
    if (method === 'OPTIONS') {
      this.send(visit, preflight(entry, req.getHeader('access-control-request-headers')));
      return;
    }
    // The method may be any text; an unknown one is simply not found.
    const endpoint = entry.byMethod.get(visit.isHead ? 'GET' : (method as Method));
    if (endpoint === undefined) throw methodNotAllowed(method, path, entry);
    visit.endpoint = endpoint;
    // Also without throttle and allowlist: long replies are built in turns, one network after the other.
    visit.forwardedAddress = this.readForwarded?.(remoteAddressOf(visit.res, visit.isAborted), req);
    if (isCountedByAddress(endpoint, req)) this.countAddress(visit, endpoint);
    if (endpoint.isAllowlisted === true) this.guardAddress?.(addressOfVisit(visit));

    const isFramed = req.getHeader('content-length') !== '' || req.getHeader('transfer-encoding') !== '';
    const header = isFramed ? copyHeaders(req) : liveHeaders(req, () => visit.isLive);
    this.authenticator.admit(endpoint, header);
    const nowMs = this.services.exchange.clockMs();
    const requestMethod = visit.isHead ? 'HEAD' : endpoint.method;
    const parts: RequestParts = { method: requestMethod, path, queryText: req.getQuery(), params, header, nowMs };
    if (isFramed) this.receiveBody(visit, endpoint, parts);
    else this.serve(visit, endpoint, parts, EMPTY_BODY);
  }

  private receiveBody(visit: Visit, endpoint: Endpoint, parts: RequestParts): void {
    const declared = parts.header('content-length');
    const declaredBytes = Number(declared === '' ? Number.NaN : declared);
    if (declaredBytes > httpLimits.bodyBytesMax) throw bodyTooLarge(declaredBytes);
    if (declaredBytes !== 0) requireJsonContentType(parts.header('content-type'));
    visit.incomingBody = readBody(
      visit.res,
      this.incomingBodies,
      this.bodyTurns,
      (body) => {
        try {
          this.serve(visit, endpoint, parts, body);
        } catch (error) {
          this.fail(visit, error);
        }
      },
      (refusal) => this.fail(visit, refusal),
    );
  }

  /** Serves a completely received request: JSON, caller, handler. */
  private serve(visit: Visit, endpoint: Endpoint, parts: RequestParts, body: Uint8Array): void {
    const address = (): string => remoteAddressOf(visit.res, visit.isAborted);
    const request = new ReceivedRequest(parts, body, address, endpoint.badBodyText);
    visit.request = request;
    // Before authentication, so that a malformed body is reported first (spec, order of checks).
    if (endpoint.method !== 'GET') request.json();
    if (endpoint.parse !== undefined) request.parsed(endpoint.parse);
    const dialect = pickDialect(parts.path, parts.header);
    const caller = this.authenticator.callerOf(endpoint, request);
    if (!visit.isCounted) this.countCaller(visit, endpoint, caller);
    const result = endpoint.handler(request, contextOf(this.services, dialect, caller));
    if (!(result instanceof Promise)) this.build(visit, result);
    else result.then((made) => this.build(visit, made)).catch((error: unknown) => this.fail(visit, error));
  }

  /** Sends a reply, or builds it in turns and sends it then. */
  private build(visit: Visit, made: Reply | ReplySteps): void {
    if (visit.isAborted) return;
    const reply = inTurns(made, visit);
    if (reply instanceof Promise) {
      visit.request = undefined; // only the steps remain, and they may wait for long
      reply.then(
        (whole) => {
          if (whole !== undefined) this.send(visit, whole);
        },
        (error: unknown) => this.fail(visit, error),
      );
    } else this.send(visit, reply);
  }

  private countAddress(visit: Visit, { throttle }: Endpoint): void {
    visit.isCounted = true;
    if (this.throttle === undefined || visit.isAborted) return;
    this.throttle.count(throttle, visit.network);
  }

  /** Counts by API key, or by address if the endpoint has no caller. Authenticated operators are not counted. */
  private countCaller(visit: Visit, endpoint: Endpoint, caller: Caller | undefined): void {
    visit.isCounted = true;
    if (this.throttle === undefined || endpoint.throttle === 'operator') return;
    if (caller === undefined) this.countAddress(visit, endpoint);
    else this.throttle.count(endpoint.throttle, caller.apiKey);
  }

  /** Counts a request that fails before its caller is known against its address. */
  private countFailure(visit: Visit, error: unknown): unknown {
    const { endpoint } = visit;
    if (!(error instanceof BadRequest) || endpoint === undefined || visit.isCounted) return error;
    try {
      this.countAddress(visit, endpoint);
      return error;
    } catch (refusal) {
      return refusal;
    }
  }

  /** Replies to a thrown error. */
  private fail(visit: Visit, thrown: unknown): void {
    const error = this.countFailure(visit, thrown);
    if (error instanceof BadRequest) {
      const { status, headers, endsConnection } = error;
      this.send(visit, { status, body: error.body(), headers, endsConnection });
      return;
    }
    const refusal = outageRefusal(error);
    if (refusal !== undefined) {
      this.fail(visit, replyError(refusal));
      return;
    }
    this.services.log.fatal({ err: error }, 'A request met a defect; the exchange stops.');
    const body = JSON.stringify({ error: 'the exchange stopped because of an internal defect; see its log' });
    this.send(visit, { status: 503, body, headers: RETRY });
    setImmediate(this.onDefect, error);
  }

  /**
   * Answers now, or in the next turn of the loop once this one has answered enough. Otherwise everything that a pipelining
   * connection sent would be answered at once, into memory and while others wait. uWebSockets closes a connection that
   * sends a request while an answer to it is pending, so deferring ends such a burst; honest clients never pipeline, and
   * their reply is only a moment later.
   */
  private send(visit: Visit, reply: Reply): void {
    if (visit.isAborted || visit.isAnswered) return;
    const { turn } = visit;
    const length = lengthOf(reply.body);
    if (turn === this.turn) {
      if (turn.isFull) {
        setImmediate(() => this.send(visit, reply));
        return;
      }
      turn.replyCount += 1;
      turn.replyBytes += length;
    }
    visit.isAnswered = true;
    this.count(visit, reply.status ?? 200);
    publishAnswered(visit.endpoint, visit.request, reply);
    visit.res.cork(() => this.write(visit, reply, length));
    if (visit.long === undefined) this.leave(visit);
    else if (!visit.long.isEnded) this.longReplies.hold(visit.long, visit.long.bytes);
  }

  /**
   * Writes status, headers and body, or the first part of a long body. Call it corked.
   * @param length of the body (lengthOf)
   */
  private write(visit: Visit, { status = 200, body, headers, endsConnection, onSent }: Reply, length: number): void {
    const { res } = visit;
    if (status !== 200) res.writeStatus(statusLine(status));
    if (headers?.['content-type'] === undefined) res.writeHeader(CONTENT_TYPE, JSON_TYPE);
    res.writeHeader(SEQUENCE, this.sequenceText());
    if (visit.isOpen) {
      res.writeHeader(ALLOW_ORIGIN, ANY);
      res.writeHeader(EXPOSE_HEADERS, ANY);
    }
    for (const name in headers) res.writeHeader(name, headers[name]);
    if (visit.isHead && endsConnection === true) {
      res.end('', true); // endWithoutBody would leave the connection open
    } else if (visit.isHead) {
      // endWithoutBody(length) would write the same header, but leaves the connection unresponsive to the next request.
      res.writeHeader('content-length', String(typeof body === 'string' ? Buffer.byteLength(body) : length));
      res.endWithoutBody();
    } else if (length > PART_BYTES) {
      const long = new LongReply(res, new BodyParts(body), () => {
        this.longReplies.release(long);
        onSent?.();
        this.endVisit();
      });
      visit.long = long;
      visit.request = undefined; // its body would be held until the reader is done
      long.begin();
      return;
    } else res.end(sendableBody(body), endsConnection);
    onSent?.();
  }

  private count({ endpoint, beganMs }: Visit, status: number): void {
    this.services.metrics.requests.answered(endpoint, status, performance.now() - beganMs);
  }

  /** The last durable sequence; a reply never shows anything after it. */
  private sequenceText(): string {
    const { durableSequence } = this.services.exchange;
    if (durableSequence !== this.sentSequence.sequence)
      this.sentSequence = { sequence: durableSequence, text: String(durableSequence) };
    return this.sentSequence.text;
  }

  /** Called when a visit is answered and when its client disconnects; only the first call counts. */
  private leave(visit: Visit): void {
    if (!visit.isAborted || !visit.isAnswered) this.endVisit();
  }

  private endVisit(): void {
    this.visitCount -= 1;
    if (this.visitCount === 0) this.onIdle?.();
  }
}

function preflight(entry: PathEntry, requestedHeaders: string): Reply {
  const headers = { allow: entry.allowed.join(', ') };
  const more = entry.isOpen ? preflightHeaders(entry.allowed, requestedHeaders) : {};
  return { body: '{}', headers: { ...headers, ...more } };
}

function methodNotAllowed(method: string, path: string, entry: PathEntry): BadRequest {
  const allow = entry.allowed.join(', ');
  return new BadRequest(`${method} is not allowed on ${path}; allowed methods: ${allow}`, {
    status: 405,
    headers: { allow },
  });
}
