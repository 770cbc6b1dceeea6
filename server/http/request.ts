// A request as its handler sees it. Created by handle.ts while uWebSockets' own object is valid: with a body all headers
// are copied (the body arrives later), without one they are read in place until the handler first awaits.
import type { HttpResponse, HttpRequest as UwsRequest } from 'uWebSockets.js';
import { BadRequest } from '../wire/badRequest.ts';
import { parseJson } from './body.ts';
import type { HeaderReader, HttpRequest } from './endpoint.ts';

/** Copies every header; throws BadRequest if Content-Length is given more than once. */
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
    // A value can equal a name; names are at even indexes.
    for (let index = at; index >= 0; index = pairs.indexOf(name, index + 1)) {
      if (index % 2 === 0) return pairs[index + 1];
    }
    return '';
  };
}

/** Reads headers in place, as long as `isLive` says that uWebSockets' call for the request has not returned. */
export function liveHeaders(req: UwsRequest, isLive: () => boolean): HeaderReader {
  return (name) => {
    if (!isLive()) throw new Error(`header ${name} was read after the handler's first await`);
    return req.getHeader(name);
  };
}

/** The parts of a request known before its body is read. */
export interface RequestParts {
  readonly method: HttpRequest['method'];
  readonly path: string;
  /** Raw text after the question mark. */
  readonly queryText: string;
  readonly params: Readonly<Record<string, string>>;
  readonly header: HeaderReader;
  readonly nowMs: number;
}

function jsonOf(body: Uint8Array, badBodyText: string | undefined): unknown {
  try {
    return parseJson(body);
  } catch (error) {
    if (badBodyText === undefined || !(error instanceof BadRequest)) throw error;
    throw new BadRequest(badBodyText);
  }
}

/** A received request. Query, address and JSON are computed only on demand. */
export class ReceivedRequest implements HttpRequest {
  readonly method: HttpRequest['method'];
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly header: HeaderReader;
  readonly nowMs: number;
  readonly body: Uint8Array;
  private readonly queryText: string;
  private readonly remoteAddress: () => string;
  private readonly badBodyText: string | undefined;
  private parsedQuery: URLSearchParams | undefined;
  private parsedJson: { readonly value: unknown } | undefined;
  private parsedBody: { readonly parse: unknown; readonly value: unknown } | undefined;

  /** @param badBodyText the text of the 400 for a body that is not JSON; undefined = what is wrong with it */
  constructor(parts: RequestParts, body: Uint8Array, remoteAddress: () => string, badBodyText: string | undefined) {
    this.method = parts.method;
    this.path = parts.path;
    this.params = parts.params;
    this.header = parts.header;
    this.nowMs = parts.nowMs;
    this.queryText = parts.queryText;
    this.body = body;
    this.remoteAddress = remoteAddress;
    this.badBodyText = badBodyText;
  }

  get query(): URLSearchParams {
    this.parsedQuery ??= new URLSearchParams(this.queryText);
    return this.parsedQuery;
  }

  get ip(): string {
    return this.remoteAddress();
  }

  /** An arrow function, since handlers may destructure the request. */
  readonly json = (): unknown => {
    this.parsedJson ??= { value: this.body.length === 0 ? undefined : jsonOf(this.body, this.badBodyText) };
    return this.parsedJson.value;
  };

  readonly parsed = <T>(parse: (json: unknown) => T): T => {
    if (this.parsedBody?.parse !== parse) this.parsedBody = { parse, value: parse(this.json()) };
    return this.parsedBody.value as T; // the value that `parse` itself returned
  };
}

/** The client's address as text; '' once it has disconnected. */
export function remoteAddressOf(res: HttpResponse, isAborted: boolean): string {
  return isAborted ? '' : Buffer.from(res.getRemoteAddressAsText()).toString('latin1');
}
