// A request as its handler sees it. Made by handle.ts while uWebSockets' own object is alive: with a body all headers
// are copied (the body arrives later), without one they are read where they lie until the handler first waits.
import type { HttpResponse, HttpRequest as UwsRequest } from 'uWebSockets.js';
import { parseJson } from './body.ts';
import type { HttpRequest } from './endpoint.ts';
import { BadRequest } from './errors.ts';

/** A header's value by its lower-case name, '' when absent. */
type HeaderReader = (name: string) => string;

/** Copies every header; throws BadRequest when one that frames the body is given twice. */
export function copyHeaders(req: UwsRequest): HeaderReader {
  const pairs: string[] = [];
  let lengthCount = 0;
  req.forEach((name, value) => {
    if (name === 'content-length') lengthCount += 1;
    pairs.push(name, value);
  });
  if (lengthCount > 1) throw new BadRequest(`Content-Length is given ${lengthCount} times; send it once`);
  return (name) => {
    const at = pairs.indexOf(name);
    // A value can equal a name: names stand at even places.
    for (let index = at; index >= 0; index = pairs.indexOf(name, index + 1)) {
      if (index % 2 === 0) return pairs[index + 1];
    }
    return '';
  };
}

/** Reads headers where they lie, as long as `isLive` says that the request is still being handled in its own call. */
export function liveHeaders(req: UwsRequest, isLive: () => boolean): HeaderReader {
  return (name) => {
    if (!isLive()) throw new Error(`header ${name} was asked for after the handler's first wait`);
    return req.getHeader(name);
  };
}

/** What the request line and the door know of a request. */
export interface RequestParts {
  readonly method: HttpRequest['method'];
  readonly path: string;
  /** Raw text after the question mark. */
  readonly queryText: string;
  readonly params: Readonly<Record<string, string>>;
  readonly header: HeaderReader;
  readonly nowMs: number;
}

/** The request of one endpoint; query, address and JSON are made only when somebody asks. */
export class ReceivedRequest implements HttpRequest {
  readonly method: HttpRequest['method'];
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly header: HeaderReader;
  readonly nowMs: number;
  readonly body: Uint8Array;
  private readonly queryText: string;
  private readonly remoteAddress: () => string;
  private parsedQuery: URLSearchParams | undefined;
  private parsedJson: { readonly value: unknown } | undefined;
  private read: { readonly parse: unknown; readonly value: unknown } | undefined;

  constructor(parts: RequestParts, body: Uint8Array, remoteAddress: () => string) {
    this.method = parts.method;
    this.path = parts.path;
    this.params = parts.params;
    this.header = parts.header;
    this.nowMs = parts.nowMs;
    this.queryText = parts.queryText;
    this.body = body;
    this.remoteAddress = remoteAddress;
  }

  get query(): URLSearchParams {
    this.parsedQuery ??= new URLSearchParams(this.queryText);
    return this.parsedQuery;
  }

  get ip(): string {
    return this.remoteAddress();
  }

  /** Bound, since handlers may take the request apart. */
  readonly json = (): unknown => {
    this.parsedJson ??= { value: this.body.length === 0 ? undefined : parseJson(this.body) };
    return this.parsedJson.value;
  };

  readonly parsed = <T>(parse: (json: unknown) => T): T => {
    if (this.read?.parse !== parse) this.read = { parse, value: parse(this.json()) };
    return this.read.value as T; // what this very function returned
  };
}

/** The client's address as text; '' once it has gone. */
export function remoteAddressOf(res: HttpResponse, isAborted: boolean): string {
  return isAborted ? '' : Buffer.from(res.getRemoteAddressAsText()).toString('latin1');
}
