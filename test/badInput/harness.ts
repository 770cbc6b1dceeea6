// The shared parts of the bad-input tests: a server in the test's own process, so that its state hash can be compared, a
// client over node:http that sends any method, path and bytes, signed orders that are valid until a test spoils them, and
// the one expectation: a refusal is a 4xx with a JSON `error` in words, and changes nothing.
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { expect } from 'vitest';
import type { ApiCredentials } from '../../server/auth/apiKeys.ts';
import { bytesToHex, ZERO_BYTES32 } from '../../server/auth/hex.ts';
import type { SignableOrder } from '../../server/auth/orderDigest.ts';
import { signOrder } from '../../server/auth/orderSignature.ts';
import type { DevelopmentWallet } from '../../server/dev/wallets.ts';
import { ADMIN, createKey, type HeaderFields, l2Headers } from '../support/client.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** Whether a reply is one of the few that are no JSON: the pages of /docs, metrics, and the plain status of the mount. */
export const isPlain = (status: number | undefined, path: string): boolean =>
  status === 200 && /^\/(docs|metrics|gamma\/status)/.test(path);

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server sends is what the tests are about
  readonly json: any;
}

interface CallOptions {
  readonly body?: string | Buffer;
  /** `application/json` unless given; '' sends none. */
  readonly contentType?: string;
  readonly headers?: HeaderFields;
}

/** The sender that a request claims; it decides which headers sign it. */
export type Level = 'none' | 'l2' | 'admin';

/** A market of the test. */
export interface TestMarket {
  readonly conditionId: string;
  readonly yes: string;
  readonly no: string;
}

/** An order's signed fields, each of which a test may spoil before or after signing. */
export type OrderFields = Readonly<Record<string, unknown>>;

/** The signed part of an order in a body, which is signed as type 0 whatever it claims. */
function signableOf(order: OrderFields): SignableOrder {
  const { salt, maker, signer, tokenId, metadata, builder } = order as Record<string, never>; // as orderBody makes them
  return {
    ...{ salt, maker, signer, tokenId, metadata, builder },
    makerAmount: Number(order.makerAmount),
    takerAmount: Number(order.takerAmount),
    side: order.side === 'SELL' ? 1 : 0,
    signatureType: 0,
    timestamp: Number(order.timestamp),
  };
}

/** A server with one trader who has a key, money and shares, one open market and one live order. */
export class Target {
  readonly server: TestServer;
  readonly wallet: DevelopmentWallet;
  readonly credentials: ApiCredentials;
  readonly market: TestMarket;
  /** A live order of the trader. */
  readonly orderId: string;
  /** A read-only key of the trader. */
  readonly readonlyKey: string;
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 8 });
  private salt = 1;

  private constructor(
    server: TestServer,
    wallet: DevelopmentWallet,
    credentials: ApiCredentials,
    market: TestMarket,
    orderId = '',
    readonlyKey = '',
  ) {
    this.server = server;
    this.wallet = wallet;
    this.credentials = credentials;
    this.market = market;
    this.orderId = orderId;
    this.readonlyKey = readonlyKey;
  }

  /** @param dataDir where the log is kept; in memory only unless given */
  static async start(dataDir?: string): Promise<Target> {
    const server = await startTestServer({ config: { dataDir } });
    const [wallet] = server.wallets;
    const credentials = await createKey(server.url, wallet);
    const none = { conditionId: '', yes: '', no: '' };
    const bare = new Target(server, wallet, credentials, none);
    const event = { title: 'Bad input', slug: 'bad-input', tags: ['bad-tag'], series: 'bad-series' };
    await bare.expectTaken('POST', '/admin/events', 'admin', event);
    const market = await bare.createMarket('bad-input', { event: 'bad-input' });
    const ready = new Target(server, wallet, credentials, market);
    await ready.expectTaken('POST', '/dev/faucet', 'none', {
      address: wallet.address,
      token_id: market.yes,
      shares: '1000',
    });
    const placed = await ready.expectTaken('POST', '/order', 'l2', ready.orderBody());
    const readonly = await ready.expectTaken('POST', '/auth/readonly-api-key', 'l2');
    return new Target(server, wallet, credentials, market, placed.json.orderID, readonly.json.apiKey);
  }

  async createMarket(slug: string, terms: object = {}): Promise<TestMarket> {
    const body = { question: `Is ${slug} refused?`, slug, outcomes: ['Yes', 'No'], ...terms };
    const { json } = await this.expectTaken('POST', '/admin/markets', 'admin', body);
    return { conditionId: json.condition_id, yes: json.tokens[0].token_id, no: json.tokens[1].token_id };
  }

  /** Sends a request; fails on any reply that cannot be ours: a 5xx, no JSON, another content type. */
  async call(method: string, path: string, options: CallOptions = {}): Promise<Reply> {
    const { body, contentType = 'application/json', headers = {} } = options;
    const sent: Record<string, string | number> = { ...headers };
    if (contentType !== '') sent['content-type'] = contentType;
    if (body !== undefined) sent['content-length'] = Buffer.byteLength(body);
    const reply = await new Promise<Reply>((resolve, reject) => {
      const { agent } = this;
      const { port } = this.server;
      const request = httpRequest({ host: '127.0.0.1', port, method, path, headers: sent, agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const isPage = isPlain(response.statusCode, path);
          const json = text === '' || method === 'HEAD' || isPage ? undefined : JSON.parse(text);
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json });
        });
      });
      request.on('error', reject);
      request.end(body);
    });
    expect(reply.status, `${method} ${path}: ${reply.text}`).toBeLessThan(500);
    const isPage = isPlain(reply.status, path);
    if (!isPage) expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
    return reply;
  }

  /** Headers that make a request valid at its level. */
  credentialsFor(level: Level, method: string, path: string, body: string | Buffer = ''): HeaderFields {
    if (level === 'admin') return ADMIN;
    if (level === 'none') return {};
    const [signedPath] = path.split('?');
    return l2Headers(this.wallet.address, this.credentials, method, signedPath, body);
  }

  /** Sends a body as a request of that level, validly signed. */
  send(method: string, path: string, level: Level, body?: unknown): Promise<Reply> {
    const content =
      body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const headers = this.credentialsFor(level, method, path, content);
    return this.call(method, path, { headers, ...(content !== undefined && { body: content }) });
  }

  async expectTaken(method: string, path: string, level: Level, body?: unknown): Promise<Reply> {
    const reply = await this.send(method, path, level, body);
    expect(reply.status, `${method} ${path}: ${reply.text}`).toBe(200);
    return reply;
  }

  /** The hashes of everything that a refusal must not change. */
  stateHash(): unknown {
    return this.server.exchange.stateHash();
  }

  /** Runs an action that must leave the exchange unchanged and alive. */
  async unchanged(action: () => Promise<void>): Promise<void> {
    const before = this.stateHash();
    await action();
    expect(this.stateHash()).toEqual(before);
    const alive = await this.call('GET', '/ok');
    expect([alive.status, alive.json]).toEqual([200, 'OK']);
  }

  /** A posted order's body: `change` alters its order before signing, `spoil` after it, and `top` the fields beside the order. */
  orderBody(change: OrderFields = {}, top: object = {}, spoil: OrderFields = {}): Record<string, unknown> {
    this.salt += 1;
    const { address } = this.wallet;
    const order = {
      salt: this.salt,
      maker: address,
      signer: address,
      tokenId: this.market.yes,
      makerAmount: '4000000',
      takerAmount: '10000000',
      side: 'BUY',
      signatureType: 0,
      timestamp: String(Date.now()),
      expiration: '0',
      metadata: ZERO_BYTES32,
      builder: ZERO_BYTES32,
      ...change,
    };
    const domain = this.server.services.orderHasher.domain(false);
    const signature = signOrder(signableOf(order), this.wallet.privateKey, domain);
    const body = { order: { ...order, signature, ...spoil }, owner: this.credentials.apiKey, orderType: 'GTC' };
    return { ...body, deferExec: false, postOnly: false, ...top };
  }

  /** The id of an order made by orderBody. */
  orderIdOf(body: Record<string, unknown>): string {
    const order = body.order as OrderFields; // as orderBody made it
    return bytesToHex(this.server.services.orderHasher.digest(signableOf(order), false));
  }

  async close(): Promise<void> {
    this.agent.destroy();
    await this.server.close();
  }
}

/** Expects a refusal: the status, and an `error` in words that match. */
export function expectRefused(
  reply: Reply,
  status: number | readonly number[],
  error: RegExp | string,
  label = '',
): void {
  const statuses = typeof status === 'number' ? [status] : status;
  expect(statuses, `${label}: ${reply.status} ${reply.text}`).toContain(reply.status);
  expect(typeof reply.json?.error, `${label}: ${reply.text}`).toBe('string');
  if (typeof error === 'string') expect(reply.json.error, label).toContain(error);
  else expect(reply.json.error, label).toMatch(error);
}
