// The one error that refuses a request. Thrown wherever a request is read, checked or submitted. handle.ts makes a reply of it;
// what answers for one of several (a batch's element, an import's line, an upgrade) catches it before. It never stands for a
// defect: what else is thrown stops the process, unless it is an outage.

/** What a BadRequest may carry besides its text. */
interface BadRequestDetails {
  /** HTTP status; 400 unless given. */
  readonly status?: number;
  /** Further fields of the reply's object, beside `error`. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether the connection ends with the reply, since nobody wants the rest of the request. */
  readonly endsConnection?: boolean;
}

/** A request that is refused; the reply is `{error: text, ...extra}` with the status. */
export class BadRequest extends Error {
  override readonly name = 'BadRequest';
  readonly status: number;
  readonly extra: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly endsConnection: boolean;

  constructor(text: string, details: BadRequestDetails = {}) {
    super(text);
    this.status = details.status ?? 400;
    this.extra = details.extra;
    this.headers = details.headers;
    this.endsConnection = details.endsConnection ?? false;
  }

  /** The reply's JSON text. */
  body(): string {
    return JSON.stringify({ error: this.message, ...this.extra });
  }
}
