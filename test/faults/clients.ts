// Signed clients that trade as fast as they are answered and record the replies: orders of several types, batches, cancels
// of every kind, splits, and repeated orders. Used by the crash run and by the tests of failing disks; their knowledge
// comes from replies alone.
import { makeWallets, type Wallet } from '../../bench/load/clients.ts';
import type { ApiCredentials } from '../../server/auth/apiKeys.ts';
import { chainContracts } from '../../server/auth/contracts.ts';
import { bytesToHex, ZERO_BYTES32 } from '../../server/auth/hex.ts';
import { orderHasher, type SignableOrder } from '../../server/auth/orderDigest.ts';
import { signOrder } from '../../server/auth/orderSignature.ts';
import { ADMIN, createKey, type JsonReply, send, sendSigned } from '../support/client.ts';
import type { ClientLedger, Outcome, SentOrder } from './ledger.ts';

const CHAIN_ID = 137;
const hasher = orderHasher(chainContracts(CHAIN_ID));
const KILLED = /FOK orders are|no orders found to match with FAK/;

interface Market {
  readonly conditionId: string;
  readonly tokens: readonly [string, string];
}

interface Trader {
  readonly wallet: Wallet;
  readonly key: ApiCredentials;
  /** Ids of orders that it may still cancel. */
  readonly open: string[];
}

interface SignedBody {
  readonly order: SentOrder;
  readonly body: object;
}

/** The reply, or undefined when the connection broke off before one came. */
async function replyOf(sent: Promise<JsonReply>): Promise<JsonReply | undefined> {
  return sent.catch(() => undefined);
}

export class Clients {
  readonly ledger: ClientLedger;
  url = '';
  /** Numbers of replies by status; 0 stands for requests without a reply. */
  readonly replies = new Map<number, number>();
  /** The last reply with a status other than 200 and 400, as text. */
  lastUnusual = '';
  private readonly random: () => number;
  private traders: readonly Trader[] = [];
  private markets: readonly Market[] = [];
  private salt = 1;
  private splitMicro = 1_000_000;
  private isRunning = false;

  constructor(ledger: ClientLedger, random: () => number) {
    this.ledger = ledger;
    this.random = random;
  }

  /** Creates markets and keys, and gives everybody shares to sell. */
  async prepare(url: string, traderCount: number, seed: number): Promise<void> {
    this.url = url;
    const markets: Market[] = [];
    for (let index = 0; index < 2; index += 1) {
      const body = { question: `Does fault ${index} happen?`, slug: `fault-${seed}-${index}`, min_order_size: '1' };
      const { status, json } = await send(url, 'POST', '/admin/markets', body, ADMIN);
      if (status !== 200) throw new Error(`no market: ${JSON.stringify(json)}`);
      const [first, second] = json.tokens;
      markets.push({ conditionId: json.condition_id, tokens: [first.token_id, second.token_id] });
    }
    this.markets = markets;
    const traders: Trader[] = [];
    for (const wallet of makeWallets(traderCount, seed)) {
      const { privateKey, address } = wallet;
      traders.push({ wallet, key: await createKey(url, { privateKey: bytesToHex(privateKey), address }), open: [] });
    }
    this.traders = traders;
    for (const trader of traders) for (const market of markets) await this.split(trader, market, 1_000_000_000);
  }

  /** Lets every trader work on several connections until `stop` is called. */
  async run(connectionsEach: number): Promise<void> {
    this.isRunning = true;
    const loops: Promise<void>[] = [];
    for (const trader of this.traders) {
      for (let connection = 0; connection < connectionsEach; connection += 1) loops.push(this.loop(trader));
    }
    await Promise.all(loops);
  }

  stop(): void {
    this.isRunning = false;
  }

  /** The server's reply for an order's current state; undefined when the order is not a trader's, or without a reply. */
  async orderOf(id: string): Promise<JsonReply | undefined> {
    const trader = this.ownerOf.get(id);
    if (trader === undefined) return undefined;
    return replyOf(this.call(trader, 'GET', `/data/order/${id}`));
  }

  /** Sends an order again, byte for byte, and returns the reply. */
  async sendAgain(id: string): Promise<JsonReply | undefined> {
    const trader = this.ownerOf.get(id);
    const signed = this.bodies.get(id);
    if (trader === undefined || signed === undefined) return undefined;
    return this.post(trader, signed);
  }

  /** Forgets the bodies of orders, which are then not sent again. */
  forget(): void {
    this.bodies.clear();
    this.ownerOf.clear();
  }

  private readonly ownerOf = new Map<string, Trader>();
  private readonly bodies = new Map<string, SignedBody>();

  private async loop(trader: Trader): Promise<void> {
    while (this.isRunning) {
      if (!(await this.operate(trader))) return;
    }
  }

  private pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.random() * values.length)];
  }

  /** Runs one operation; false when it was never answered. */
  private async operate(trader: Trader): Promise<boolean> {
    const chance = this.random();
    if (chance < 0.62) return (await this.post(trader, this.sign(trader))) !== undefined;
    if (chance < 0.7) return this.postBatch(trader);
    if (chance < 0.94) return this.cancel(trader, chance);
    if (chance < 0.96) return this.split(trader, this.pick(this.markets), 0);
    const again = this.pick([...this.bodies.keys()].slice(-20));
    if (again === undefined) return true;
    const owner = this.ownerOf.get(again) ?? trader;
    const signed = this.bodies.get(again);
    return signed === undefined || (await this.post(owner, signed)) !== undefined;
  }

  private async call(trader: Trader, method: string, path: string, body?: unknown): Promise<JsonReply> {
    const { wallet, key } = trader;
    try {
      const reply = await sendSigned(this.url, wallet.address, key, method, path, body);
      this.replies.set(reply.status, (this.replies.get(reply.status) ?? 0) + 1);
      this.ledger.sequence = Math.max(this.ledger.sequence, Number(reply.headers.get('x-sequence') ?? 0));
      if (reply.status !== 200 && reply.status !== 400)
        this.lastUnusual = `${reply.status} ${JSON.stringify(reply.json)}`;
      return reply;
    } catch (error) {
      this.replies.set(0, (this.replies.get(0) ?? 0) + 1);
      throw error;
    }
  }

  private sign(trader: Trader): SignedBody {
    const { wallet, key } = trader;
    const market = this.pick(this.markets);
    const side = this.random() < 0.5 ? 0 : 1;
    const cents = 44 + Math.floor(this.random() * 12);
    const shares = 5 + Math.floor(this.random() * 20);
    const [money, size] = [shares * cents * 10_000, shares * 1_000_000];
    const orderType = this.pick(['GTC', 'GTC', 'GTC', 'GTC', 'FAK', 'FOK']);
    const order: SignableOrder = {
      salt: this.salt,
      maker: wallet.address,
      signer: wallet.address,
      tokenId: this.pick(market.tokens),
      makerAmount: side === 0 ? money : size,
      takerAmount: side === 0 ? size : money,
      side,
      signatureType: 0,
      timestamp: Date.now(),
      metadata: ZERO_BYTES32,
      builder: ZERO_BYTES32,
    };
    this.salt += 1;
    const id = bytesToHex(hasher.digest(order, false));
    const wire = {
      ...order,
      makerAmount: String(order.makerAmount),
      takerAmount: String(order.takerAmount),
      side: side === 0 ? 'BUY' : 'SELL',
      timestamp: String(order.timestamp),
      expiration: '0',
      signature: signOrder(order, wallet.privateKey, hasher.domain(false)),
    };
    const sent: SentOrder = { id, outcome: 'refused', tradeIds: [] };
    const signed = {
      order: sent,
      body: { order: wire, owner: key.apiKey, orderType, deferExec: false, postOnly: false },
    };
    this.bodies.set(id, signed);
    this.ownerOf.set(id, trader);
    return signed;
  }

  private async post(trader: Trader, signed: SignedBody): Promise<JsonReply | undefined> {
    const before = this.noteSending(signed.order);
    const reply = await replyOf(this.call(trader, 'POST', '/order', signed.body));
    this.noteReply(trader, signed.order, before, reply?.status, reply?.json);
    return reply;
  }

  private async postBatch(trader: Trader): Promise<boolean> {
    const batch = Array.from({ length: 3 }, () => this.sign(trader));
    const before = batch.map(({ order }) => this.noteSending(order));
    const bodies = batch.map(({ body }) => body);
    const reply = await replyOf(this.call(trader, 'POST', '/orders', bodies));
    for (const [index, { order }] of batch.entries()) {
      const item = reply?.status === 200 ? reply.json[index] : reply?.json;
      const isRefused = reply?.status === 200 && item.errorMsg !== '';
      const status = isRefused ? 400 : reply?.status;
      this.noteReply(trader, order, before[index], status, isRefused ? { error: item.errorMsg } : item);
    }
    return reply !== undefined;
  }

  /** Notes that from now on the order may exist, whatever the answer; returns what was known before. */
  private noteSending(order: SentOrder): Outcome {
    this.ledger.orders.set(order.id, order);
    const before = order.outcome;
    if (before === 'refused') order.outcome = 'unknown';
    return before;
  }

  private noteReply(
    trader: Trader,
    order: SentOrder,
    before: Outcome,
    status: number | undefined,
    json: JsonReply['json'],
  ): void {
    if (status === 200) {
      order.outcome = 'accepted';
      order.tradeIds = json.tradeIDs;
      if (json.status === 'live') trader.open.push(order.id);
      return;
    }
    if (order.outcome !== 'unknown' || status !== 400) return;
    const text: string = json.error;
    if (KILLED.test(text)) order.outcome = 'killed';
    // A refusal means that this copy did nothing; an earlier copy without an answer may still exist.
    else if (before === 'refused' && !/Duplicated/.test(text)) order.outcome = 'refused';
  }

  private async cancel(trader: Trader, chance: number): Promise<boolean> {
    const { open } = trader;
    let reply: JsonReply | undefined;
    if (chance < 0.8) {
      const orderID = open.splice(Math.floor(this.random() * open.length), 1)[0] ?? ZERO_BYTES32;
      reply = await replyOf(this.call(trader, 'DELETE', '/order', { orderID }));
    } else if (chance < 0.88) {
      const ids = open.splice(0, 3);
      reply = await replyOf(this.call(trader, 'DELETE', '/orders', ids.length === 0 ? [ZERO_BYTES32] : ids));
    } else if (chance < 0.93) {
      const asset_id = this.pick(this.pick(this.markets).tokens);
      reply = await replyOf(this.call(trader, 'DELETE', '/cancel-market-orders', { asset_id }));
    } else {
      open.length = 0;
      reply = await replyOf(this.call(trader, 'DELETE', '/cancel-all'));
    }
    if (reply?.status === 200) for (const id of reply.json.canceled) this.ledger.canceled.add(id);
    return reply !== undefined;
  }

  private async split(trader: Trader, { conditionId }: Market, baseMicro: number): Promise<boolean> {
    this.splitMicro += 1;
    const amountMicro = baseMicro + this.splitMicro;
    this.ledger.splits.set(amountMicro, 'unknown');
    const body = { condition_id: conditionId, amount: (amountMicro / 1e6).toFixed(6) };
    const reply = await replyOf(this.call(trader, 'POST', '/split', body));
    if (reply?.status === 200) this.ledger.splits.set(amountMicro, 'accepted');
    if (reply?.status === 400) this.ledger.splits.set(amountMicro, 'refused');
    return reply !== undefined;
  }
}
