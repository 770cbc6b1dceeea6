// The smallest clients that tests need: JSON over fetch, signed headers for API keys and wallets, and raw bytes over a
// socket for requests that no honest client sends.
import { connect } from 'node:net';
import type { ApiCredentials } from '../../server/auth/apiKeys.ts';
import { signClobAuth } from '../../server/auth/clobAuth.ts';
import { signL2 } from '../../server/auth/l2.ts';
import type { KeyPair } from '../../server/auth/mnemonic.ts';

export interface JsonReply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server sends is what tests are about
  readonly json: any;
}

export type HeaderFields = Readonly<Record<string, string>>;

/** The headers of a development server's operator. */
export const ADMIN: HeaderFields = { authorization: 'Bearer dev-admin' };

const nowSeconds = (): string => String(Math.floor(Date.now() / 1000));

/** Sends JSON (a string is sent as it is) and reads JSON. */
export async function send(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: HeaderFields = {},
): Promise<JsonReply> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const typed: HeaderFields = body === undefined ? {} : { 'content-type': 'application/json' };
  const init = { method, headers: { ...typed, ...headers }, ...(body !== undefined && { body: text }) };
  const reply = await fetch(`${url}${path}`, init);
  const received = await reply.text();
  return { status: reply.status, headers: reply.headers, json: received === '' ? undefined : JSON.parse(received) };
}

/** L1 headers of a wallet. */
export function l1Headers(wallet: KeyPair, nonce = '0', chainId = 137): HeaderFields {
  const timestamp = nowSeconds();
  const statement = { address: wallet.address, timestamp, nonce };
  return {
    POLY_ADDRESS: wallet.address,
    POLY_TIMESTAMP: timestamp,
    POLY_NONCE: nonce,
    POLY_SIGNATURE: signClobAuth(statement, chainId, wallet.privateKey),
  };
}

/** L2 headers of a key for one request. */
export function l2Headers(
  owner: string,
  { apiKey, secret, passphrase }: ApiCredentials,
  method: string,
  path: string,
  body: string | Buffer = '',
): HeaderFields {
  const timestamp = nowSeconds();
  return {
    POLY_ADDRESS: owner,
    POLY_API_KEY: apiKey,
    POLY_PASSPHRASE: passphrase,
    POLY_TIMESTAMP: timestamp,
    POLY_SIGNATURE: signL2({ timestamp, method, path, body: Buffer.from(body) }, secret),
  };
}

/** The same credentials under the names of the interface, which the root dialect answers. */
export const serviceHeaders = (headers: HeaderFields): HeaderFields =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.replace('POLY_', 'SERVICE_'), value]));

/** Creates the API key of a wallet; throws unless it is new. */
export async function createKey(url: string, wallet: KeyPair, nonce = '0'): Promise<ApiCredentials> {
  const reply = await send(url, 'POST', '/auth/api-key', undefined, l1Headers(wallet, nonce));
  if (reply.status !== 200) throw new Error(`no API key: ${reply.status} ${JSON.stringify(reply.json)}`);
  return reply.json;
}

/** Sends a request signed by an API key. */
export function sendSigned(
  url: string,
  owner: string,
  credentials: ApiCredentials,
  method: string,
  path: string,
  body?: unknown,
): Promise<JsonReply> {
  const text = body === undefined ? '' : JSON.stringify(body);
  const headers = l2Headers(owner, credentials, method, path.split('?')[0], text);
  return send(url, method, path, body === undefined ? undefined : text, headers);
}

/**
 * The head of a request as it is sent over a socket.
 * @param line method and path
 * @param headers lines; Host is localhost unless it is among them
 */
export function requestHead(line: string, ...headers: readonly string[]): string {
  const host = headers.some((header) => header.startsWith('Host:')) ? [] : ['Host: localhost'];
  return [`${line} HTTP/1.1`, ...host, ...headers, '', ''].join('\r\n');
}

export interface RawReply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: HeaderFields;
  readonly body: string;
}

/** The first complete reply in the bytes, and the rest; undefined while it is incomplete. */
export function parseReply(bytes: Buffer, hasBody: boolean): { reply: RawReply; rest: Buffer } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [statusLine, ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const bodyBytes = hasBody ? Number(headers['content-length'] ?? 0) : 0;
  const after = end + 4 + bodyBytes;
  if (bytes.length < after) return undefined;
  const body = bytes.toString('utf8', end + 4, after);
  return { reply: { status: Number(statusLine.split(' ')[1]), headers, body }, rest: bytes.subarray(after) };
}

/**
 * Sends the parts one after another over one connection. Resolves with the replies once there are `count`, or once the
 * connection has ended.
 */
export function sendRaw(port: number, parts: readonly (string | Buffer)[], count = 1): Promise<readonly RawReply[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const isHead = parts[0].toString().startsWith('HEAD');
    const replies: RawReply[] = [];
    let received = Buffer.alloc(0);
    socket.setNoDelay(true);
    socket.on('error', reject);
    socket.on('close', () => resolve(replies));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      for (let next = parseReply(received, !isHead); next !== undefined; next = parseReply(received, !isHead)) {
        replies.push(next.reply);
        received = Buffer.from(next.rest);
      }
      if (replies.length >= count) socket.destroy();
    });
    const sendPart = (index: number): void => {
      if (index >= parts.length || socket.destroyed) return;
      // A pause between parts lets them arrive as separate packets; nothing depends on its length.
      socket.write(parts[index], () => setTimeout(sendPart, 5, index + 1));
    };
    sendPart(0);
  });
}
