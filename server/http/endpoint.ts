// What an endpoint is: the row type of the one table in endpoints.ts, and what its handler gets and gives.
// Handlers are thin: they read the request through wire/, ask views or submit commands, and answer through wire/.
import type { Caller } from '../auth/caller.ts';
import type { Services } from '../services.ts';
import type { Dialect } from '../wire/dialect.ts';
import type { EndpointSchema } from './schema.ts';
import type { ThrottleGroup } from './throttleTable.ts';

export type Method = 'GET' | 'POST' | 'DELETE' | 'PUT' | 'PATCH';

/**
 * Who may call: anybody; a wallet signature; an API key; either of these; an API key or a read-only key (address and
 * key alone); anybody, but who sends an API key, be it a builder's, is known by it; the operator's bearer token; whoever
 * watches the exchange, by the token for that or the operator's, where others than this machine can reach it; anybody,
 * but only in development.
 */
export type AuthLevel =
  | 'none'
  | 'l1'
  | 'l2'
  | 'l1-or-l2'
  | 'l2-or-builder'
  | 'l2-read'
  | 'builder'
  | 'admin'
  | 'watch'
  | 'dev';

/** A request, read whole before its handler runs. */
export interface HttpRequest {
  /** As on the request line, which is what is signed: a HEAD is served by the endpoint of GET. */
  readonly method: Method | 'HEAD';
  /** Path without the query, as sent. */
  readonly path: string;
  /** Values of the `{name}` parts of the endpoint's path, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Raw body, empty when there is none; gone once the handler first waits, which its JSON is not. */
  readonly body: Uint8Array;
  /** Value of a header by its lower-case name, '' when absent. */
  readonly header: (name: string) => string;
  /** The body as JSON; throws BadRequest when it is none. Undefined for an empty body. */
  readonly json: () => unknown;
  /** What this function makes of the JSON; done once, however often it is asked for. */
  readonly parsed: <T>(parse: (json: unknown) => T) => T;
  /** The clock at arrival, ms: what credentials are held against. The exchange's own time is `services.exchange.now()`. */
  readonly nowMs: number;
  readonly ip: string;
}

/** What a handler works with besides the request. */
export interface Context {
  readonly services: Services;
  /** Field names and number formats of this request, picked once at the door. */
  readonly dialect: Dialect;
  /** Who calls; throws a defect on endpoints without authentication. */
  readonly caller: () => Caller;
}

/** A reply: 200 with this JSON text unless it says otherwise. */
export interface Reply {
  readonly status?: number;
  /** Ready JSON text, bytes of it, or pieces of bytes that the door puts together; none is ever changed. */
  readonly body: string | Uint8Array | readonly Uint8Array[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Is called once the body is not read any more, if it was sent at all. */
  readonly onSent?: (() => void) | undefined;
}

/** A reply that takes long to make: each step is some milliseconds of work, and the door lets others pass between two of them. */
export type ReplySteps = Generator<undefined, Reply>;

export type Handler = (request: HttpRequest, context: Context) => Reply | ReplySteps | Promise<Reply>;

export interface Endpoint {
  readonly method: Method;
  /** Path with `{name}` parts, from the root. */
  readonly path: string;
  readonly auth: AuthLevel;
  /** Whether only listed addresses may call, where there is an allowlist. */
  readonly isAllowlisted?: boolean;
  /** Which rows of the throttle table count this request. */
  readonly throttle: ThrottleGroup;
  /** Section of the specification that rules it: for whoever changes the endpoint, never shown to its callers. */
  readonly section: string;
  /** One sentence for the documentation. */
  readonly summary: string;
  /** What it takes and answers: /openapi.json is made of it, and tests hold every request and reply against that. */
  readonly schema: EndpointSchema;
  readonly handler: Handler;
  /** Reads the body's fields before anybody is authenticated, where the interface has that order of checks. */
  readonly parse?: (json: unknown) => unknown;
  /** Text of the 400 to a body that is not JSON, where the interface names one; otherwise the reply says what is wrong. */
  readonly badBodyText?: string;
}
