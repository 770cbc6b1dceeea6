// A whole replay: creates markets and wallets, then runs one player a market, all concurrently. Called by the command
// (../replay.ts) and by the test. It prints nothing and reads no file; its results are in the tally.
import { MICRO_PER_LOT } from '../../../engine/index.ts';
import { chainContracts } from '../../auth/contracts.ts';
import { keccak256Text } from '../../auth/keccak.ts';
import { orderHasher } from '../../auth/orderDigest.ts';
import { counted } from '../../lib/counted.ts';
import { fatal } from '../../process/fatal.ts';
import { ExchangeClient } from './client.ts';
import type { Flow } from './flowFile.ts';
import { MarketPlayer, type ReplayContext } from './marketPlayer.ts';
import { createMarkets } from './markets.ts';
import { OrderWriter } from './orderWriter.ts';
import type { PlacedRow } from './steps.ts';
import { type ReplayFigures, Tally } from './tally.ts';
import { type Funding, fundTraders, openTraders, type Trader } from './wallets.ts';

/** Options of a replay. */
export interface ReplayOptions {
  /** Where the exchange listens, such as http://127.0.0.1:8080. */
  readonly url: string;
  readonly adminToken: string;
  /** Total number of wallets; a tenth of them only take. */
  readonly accounts: number;
  /** Chain that orders are signed for, with its stock contracts. */
  readonly chainId: number;
  /** Seed of the wallets' keys and turns. */
  readonly seed: number;
  /** Number of rows between comparisons of the books. */
  readonly checkEvery: number;
  /** Called with the number of rows just played. */
  readonly onRows?: (count: number) => void;
  /** Called with a description of each preparation phase. */
  readonly onPhase?: (sentence: string) => void;
}

/** The result of a replay. */
interface ReplayOutcome {
  readonly tally: Tally;
  readonly figures: ReplayFigures;
}

export const ACCOUNTS_MIN = 100;
/** Each needs some ten requests before the first row, so this many take minutes to prepare. */
export const ACCOUNTS_MAX = 100_000;
const TAKERS_EVERY = 10;
/** Default number of checkpoints; a comparison should rest on at least 1,000. */
const CHECKPOINTS_WANTED = 1_200;

/** Rows between checkpoints, for about 1,200 checkpoints if there are enough rows. */
export function checkEveryFor(rowCount: number): number {
  return Math.max(1, Math.floor(rowCount / CHECKPOINTS_WANTED));
}

/** Funds enough for any one wallet to hold the recording's largest level, or to sell all prints, in every market. */
function fundingFor(flow: Flow): Funding {
  let lotsMax = 1;
  let printedLots = 0;
  for (const row of flow.rows) {
    if (row.op === 'T') printedLots += row.sizeLots;
    else lotsMax = Math.max(lotsMax, row.levelLots);
  }
  const lots = Math.max(lotsMax, printedLots);
  return { sharesMicro: lots * MICRO_PER_LOT, collateralMicro: 2 * lots * MICRO_PER_LOT };
}

function recordedMsOf(flow: Flow): number {
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  for (const { tMs } of flow.rows) {
    first = Math.min(first, tMs);
    last = Math.max(last, tMs);
  }
  return Math.max(0, last - first);
}

/** Where the wallets' turns start in a market; spread by the seed. */
function firstTurn(seed: number, market: number): number {
  const hash = keccak256Text(`outcry recorded flow, seed ${seed}, market ${market}`);
  return (hash[0] << 16) | (hash[1] << 8) | hash[2];
}

async function requireExchange(client: ExchangeClient, url: string): Promise<void> {
  const { status } = await client.send('GET', '/version');
  if (status !== 200) fatal('usage', `${url} does not answer as an exchange: GET /version has the status ${status}.`);
}

function rowsByMarket(flow: Flow): readonly (readonly PlacedRow[])[] {
  const rows: PlacedRow[][] = flow.tokens.map(() => []);
  for (const [index, row] of flow.rows.entries()) rows[row.market].push({ row, index });
  return rows;
}

async function prepare(client: ExchangeClient, flow: Flow, options: ReplayOptions) {
  const { adminToken, chainId, seed, accounts } = options;
  options.onPhase?.(`Making ${counted(flow.tokens.length, 'market')} and ${counted(accounts, 'funded wallet')}.`);
  const { markets, run } = await createMarkets(client, adminToken, flow.tokens);
  const traders: readonly Trader[] = await openTraders(client, chainId, seed, accounts);
  const conditionIds = markets.map(({ conditionId }) => conditionId);
  await fundTraders(client, adminToken, conditionIds, fundingFor(flow), traders);
  options.onPhase?.(`Playing ${counted(flow.rows.length, 'row')} (run ${run} on this exchange).`);
  return { markets, traders };
}

/**
 * Replays a flow on a running exchange, through its HTTP interface alone.
 * @throws FatalError (usage) if the exchange cannot be reached, refuses the preparation or sends a malformed reply
 */
export async function replayFlow(flow: Flow, options: ReplayOptions): Promise<ReplayOutcome> {
  const client = new ExchangeClient(new URL(options.url));
  try {
    await requireExchange(client, options.url);
    const { markets, traders } = await prepare(client, flow, options);
    const tally = new Tally();
    const makerCount = traders.length - Math.max(1, Math.floor(traders.length / TAKERS_EVERY));
    const context: ReplayContext = {
      client,
      tally,
      writer: new OrderWriter(orderHasher(chainContracts(options.chainId)).domain(false), options.seed),
      makers: traders.slice(0, makerCount),
      takers: traders.slice(makerCount),
      isCheckpoint: (index) => (index + 1) % options.checkEvery === 0,
      onRows: options.onRows ?? (() => undefined),
    };
    const startedMs = Date.now();
    const players = rowsByMarket(flow).map(
      (rows, number) => new MarketPlayer(context, markets[number], rows, firstTurn(options.seed, number)),
    );
    await Promise.all(players.map((player) => player.play()));
    const elapsedMs = Date.now() - startedMs;
    const { requestCount: requests, waitCount: waits } = client;
    return { tally, figures: { elapsedMs, recordedMs: recordedMsOf(flow), requests, waits } };
  } finally {
    client.close();
  }
}
