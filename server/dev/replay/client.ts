// The replay's only access to the exchange: its public HTTP interface over keep-alive connections. Signs requests with API
// keys (L2 headers), waits when the exchange asks it to, and returns replies as parsed JSON with their status. It must
// never read the exchange in any other way.
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { signL2 } from '../../auth/l2.ts';
import { FatalError, fatal } from '../../process/fatal.ts';
import { secondsText } from '../../wire/numbers.ts';

/** Credentials of one wallet at the exchange. */
export interface ApiCredentials {
  readonly address: string;
  readonly apiKey: string;
  readonly secret: string;
  readonly passphrase: string;
}

type HttpMethod = 'GET' | 'POST' | 'DELETE' | 'PATCH';

/** A reply; `body` is undefined if it is not JSON. */
export interface ClientReply {
  readonly status: number;
  readonly body: unknown;
}

/** The body, credentials and further headers of a request. */
interface RequestDetails {
  readonly body?: unknown;
  readonly credentials?: ApiCredentials;
  readonly headers?: Readonly<Record<string, string>>;
}

const CONNECTIONS_MAX = 32;
/** Shorter than the ten seconds after which the exchange closes a silent connection, so that we close it first. */
const IDLE_MS_MAX = 5_000;
const RETRY_STATUSES: ReadonlySet<number> = new Set([425, 429, 503]);
const RETRIES_MAX = 60;
const RETRY_WAIT_MS = 1_000;

export class ExchangeClient {
  /** Requests answered so far. */
  requestCount = 0;
  /** Number of times that the exchange asked us to wait. */
  waitCount = 0;
  private readonly base: URL;
  private readonly agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS_MAX, timeout: IDLE_MS_MAX });

  constructor(base: URL) {
    this.base = base;
  }

  /**
   * Sends a request and waits for its reply, retrying when told to.
   * @param path with the query, if any; only the part before it is signed
   * @throws FatalError (usage) if nobody answers at the address, or every answer is to retry later
   */
  async send(method: HttpMethod, path: string, details: RequestDetails = {}): Promise<ClientReply> {
    const body = details.body === undefined ? undefined : Buffer.from(JSON.stringify(details.body));
    for (let attempt = 0; attempt < RETRIES_MAX; attempt += 1) {
      const reply = await this.attempt(method, path, body, details);
      if (!RETRY_STATUSES.has(reply.status)) return reply;
      this.waitCount += 1;
      await sleep(reply.retryAfterMs);
    }
    fatal('usage', `The exchange at ${this.base.origin} did not serve ${method} ${path} in ${RETRIES_MAX} attempts.`);
  }

  /** Closes the connections. */
  close(): void {
    this.agent.destroy();
  }

  private async attempt(method: HttpMethod, path: string, body: Buffer | undefined, details: RequestDetails) {
    const headers: Record<string, string> = { ...details.headers };
    if (body !== undefined) {
      headers['content-type'] = 'application/json';
      headers['content-length'] = String(body.length);
    }
    if (details.credentials !== undefined) addL2Headers(headers, method, path, body, details.credentials);
    const message = await this.exchange(method, path, headers, body);
    this.requestCount += 1;
    return message;
  }

  private exchange(method: HttpMethod, path: string, headers: Record<string, string>, body: Buffer | undefined) {
    return new Promise<ClientReply & { readonly retryAfterMs: number }>((resolve, reject) => {
      const request = httpRequest(new URL(path, this.base), { agent: this.agent, method, headers }, (response) => {
        readReply(response).then(resolve, (error: unknown) => reject(this.connectionError(error)));
      });
      request.on('error', (error) => {
        // The server may close a keep-alive connection just as we reuse it; then it has read nothing of this request.
        const isStale = request.reusedSocket && 'code' in error && error.code === 'ECONNRESET';
        if (isStale) this.exchange(method, path, headers, body).then(resolve, reject);
        else reject(this.connectionError(error));
      });
      request.end(body);
    });
  }

  private connectionError(error: unknown): FatalError {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const sentence = `The exchange at ${this.base.origin} does not answer (${code}): start one, or name it with --url.`;
    return new FatalError('usage', sentence);
  }
}

function addL2Headers(
  headers: Record<string, string>,
  method: string,
  path: string,
  body: Buffer | undefined,
  credentials: ApiCredentials,
): void {
  const timestamp = secondsText(Date.now());
  const queryAt = path.indexOf('?');
  const signedPath = queryAt < 0 ? path : path.slice(0, queryAt);
  headers.POLY_ADDRESS = credentials.address;
  headers.POLY_API_KEY = credentials.apiKey;
  headers.POLY_PASSPHRASE = credentials.passphrase;
  headers.POLY_TIMESTAMP = timestamp;
  headers.POLY_SIGNATURE = signL2({ timestamp, method, path: signedPath, body }, credentials.secret);
}

async function readReply(response: IncomingMessage): Promise<ClientReply & { readonly retryAfterMs: number }> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  const retryAfterS = Number(response.headers['retry-after']);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  return {
    status: response.statusCode ?? 0,
    body,
    retryAfterMs: Number.isFinite(retryAfterS) ? retryAfterS * 1000 : RETRY_WAIT_MS,
  };
}

/** Ends the replay, quoting the exchange's reply, if a call of its preparation was refused. */
export function requireSuccess(reply: ClientReply, what: string): unknown {
  if (reply.status === 200) return reply.body;
  fatal('usage', `The exchange refused ${what} with ${reply.status}: ${JSON.stringify(reply.body ?? '')}.`);
}
