// The row type of the endpoint table in endpoints.ts, and the inputs and outputs of its handlers. Handlers are thin: they
// parse the request through wire/, ask views or submit commands, and answer through wire/.
import type { Caller } from '../auth/caller.ts';
import type { ThrottleGroup } from '../config/throttleTable.ts';
import type { Services } from '../services.ts';
import type { Dialect } from '../wire/dialect.ts';
import type { EndpointSchema } from '../wire/schemas/endpointSchema.ts';

export type Method = 'GET' | 'POST' | 'DELETE' | 'PUT' | 'PATCH';

/**
 * The authentication of an endpoint, in the order of the type: none; a wallet signature; an API key; either of these; an
 * API key or a builder key; an API key or a read-only key (address and key alone); none, but a key of any kind, if sent,
 * identifies the caller; the operator's bearer token; the metrics token or the operator's, but none if only this machine
 * can reach the exchange and no metrics token is set; none, but in development only.
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

/** A header's value by its lower-case name, '' if absent. */
export type HeaderReader = (name: string) => string;

/** A request, completely read before its handler runs. */
export interface HttpRequest {
  /** As in the request line, since that is signed; GET endpoints also serve HEAD. */
  readonly method: Method | 'HEAD';
  /** Path without the query, as sent. */
  readonly path: string;
  /** Values of the `{name}` parts of the endpoint's path, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Raw body, empty if there is none. Invalid once the handler first awaits; its JSON stays valid. */
  readonly body: Uint8Array;
  readonly header: HeaderReader;
  /** The body as JSON, undefined if it is empty; throws BadRequest if it is not JSON. */
  readonly json: () => unknown;
  /** The JSON as converted by this function, which runs only once however often it is requested. */
  readonly parsed: <T>(parse: (json: unknown) => T) => T;
  /** The clock at arrival, ms, against which credentials are checked. The exchange's own time is `services.exchange.now()`. */
  readonly nowMs: number;
  readonly ip: string;
}

/** A handler's environment besides the request. */
export interface Context {
  readonly services: Services;
  /** Field names and number formats of this request, chosen once in handle.ts. */
  readonly dialect: Dialect;
  /** The caller; throws a defect on endpoints without authentication. */
  readonly caller: () => Caller;
  /** Whether there is a caller, where a key need not be sent. */
  readonly hasCaller: boolean;
}

/** A reply: status 200 and JSON by default. */
export interface Reply {
  readonly status?: number;
  /** JSON text, its bytes, or pieces of bytes that are joined on sending; none is ever modified. */
  readonly body: string | Uint8Array | readonly Uint8Array[];
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether the connection ends with it. */
  readonly endsConnection?: boolean;
  /** Called once the body is no longer read, if it was sent at all. */
  readonly onSent?: (() => void) | undefined;
}

/** A reply that takes long to build: each step is a few milliseconds of work, and other requests run between steps. */
export type ReplySteps = Generator<undefined, Reply>;

export type Handler = (request: HttpRequest, context: Context) => Reply | ReplySteps | Promise<Reply | ReplySteps>;

export interface Endpoint {
  readonly method: Method;
  /** Path with `{name}` parts, from the root. */
  readonly path: string;
  readonly auth: AuthLevel;
  /** Whether only listed addresses may call, where there is an allowlist. */
  readonly isAllowlisted?: boolean;
  /** The rows of the throttle table that count this request. */
  readonly throttle: ThrottleGroup;
  /** The section of the specification that defines it: for maintainers, never shown to callers. */
  readonly section: string;
  /** One sentence for the documentation. */
  readonly summary: string;
  /** Its input and output: /openapi.json is built from it, and tests check every request and reply against it. */
  readonly schema: EndpointSchema;
  readonly handler: Handler;
  /** Parses the body's fields before authentication, where the interface requires that order of checks. */
  readonly parse?: (json: unknown) => unknown;
  /** Text of the 400 for a body that is not JSON, where the interface fixes one; otherwise the reply says what is wrong. */
  readonly badBodyText?: string;
}
