// The crowd of bots as one process: makes wallets and API keys on a running exchange, signs orders ahead of time, and sends
// them over many connections. Started by orders.ts, which asks one question at a time (question.ts). Orders are BUYs of
// both tokens of the open markets; most rest, about a fifth cross.
import { signClobAuth } from '../../server/auth/clobAuth.ts';
import { SeededRandom } from '../lib/seededRandom.ts';
import { answerQuestions } from '../lib/talk.ts';
import {
  CHAIN_ID,
  type Credentials,
  makeWallets,
  orderBody,
  orderRequest,
  signBuy,
  type Token,
  type Wallet,
} from './clients.ts';
import { runClosedLoop, runOpenLoop } from './connections.ts';
import { type LoaderAnswer, type LoaderQuestion, parseLoaderQuestion } from './question.ts';

const CROSSING_SHARE = 0.2;
const MARKETS_MAX = 20;

interface Trader extends Wallet {
  readonly credentials: Credentials;
}

const random = new SeededRandom(11);
let traders: Trader[] = [];
let tokens: Token[] = [];
let requests: Buffer[] = [];
let host = '';
let nextSalt = 1;

async function createKey(url: string, wallet: Wallet): Promise<Credentials> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const statement = { address: wallet.address, timestamp, nonce: '0' };
  const headers = {
    POLY_ADDRESS: wallet.address,
    POLY_SIGNATURE: signClobAuth(statement, CHAIN_ID, wallet.privateKey),
    POLY_TIMESTAMP: timestamp,
    POLY_NONCE: '0',
  };
  const response = await fetch(`${url}/auth/api-key`, { method: 'POST', headers });
  if (response.status !== 200)
    throw new Error(`POST /auth/api-key answered ${response.status} ${await response.text()}`);
  return (await response.json()) as Credentials; // the interface's shape; a missing secret fails at the first HMAC
}

/** The fields used of a row of GET /markets. */
interface MarketRow {
  readonly accepting_orders: boolean;
  readonly seconds_delay: number;
  readonly minimum_tick_size: number;
  readonly neg_risk: boolean;
  readonly tokens: readonly { readonly token_id: string }[];
}

/** Tokens of open markets whose prices may be whole hundredths; the two of a market are adjacent. */
async function readTokens(url: string): Promise<Token[]> {
  const response = await fetch(`${url}/markets?next_cursor=MA==`);
  const { data } = (await response.json()) as { data: readonly MarketRow[] }; // the interface's shape
  const open = data.filter((row) => row.accepting_orders && row.seconds_delay === 0 && row.minimum_tick_size <= 0.01);
  return open
    .slice(0, MARKETS_MAX)
    .flatMap((row) => row.tokens.map(({ token_id }) => ({ tokenId: token_id, negRisk: row.neg_risk })));
}

async function register(port: number, walletCount: number): Promise<number> {
  host = `127.0.0.1:${port}`;
  const url = `http://${host}`;
  tokens = await readTokens(url);
  if (tokens.length === 0) throw new Error('The exchange lists no open market.');
  traders = [];
  for (const wallet of makeWallets(walletCount, 21)) {
    traders.push({ ...wallet, credentials: await createKey(url, wallet) });
  }
  return tokens.length / 2;
}

/** Signs the next orders. Their timestamps are of this moment, so they must be sent within minutes. */
function sign(count: number): number {
  const nowMs = Date.now();
  requests = Array.from({ length: count }, () => {
    const trader = traders[random.below(traders.length)];
    const token = tokens[random.below(tokens.length)];
    const cents = random.chance(CROSSING_SHARE) ? 55 : 20 + random.below(29);
    const signed = signBuy(trader, token, cents, 20 + random.below(30), nextSalt, nowMs);
    nextSalt += 1;
    return orderRequest(host, trader, trader.credentials, orderBody(signed, trader.credentials.apiKey), nowMs);
  });
  return count;
}

async function answer(question: LoaderQuestion): Promise<LoaderAnswer> {
  switch (question.kind) {
    case 'register':
      return { count: await register(question.port, question.wallets) };
    case 'sign':
      return { count: sign(question.orders) };
    case 'closed': {
      const { port, connections, mark, from, to } = question;
      return { load: await runClosedLoop(port, connections, requests.slice(from, to), mark) };
    }
    case 'open': {
      const { port, connections, mark, from, to, perSecond } = question;
      return { load: await runOpenLoop(port, connections, requests.slice(from, to), mark, perSecond) };
    }
    default: {
      const unknown: never = question;
      throw new Error(`The loader does not know ${JSON.stringify(unknown)}.`);
    }
  }
}

answerQuestions((question) => answer(parseLoaderQuestion(question)));
