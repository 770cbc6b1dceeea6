// A replay from its first request to its last: markets, wallets, then one player a market, all at the same time. Called
// by the command (../replay.ts) and by the test. It prints nothing and reads no file; what happened is in the tally.
import { MICRO_PER_LOT } from '../../../engine/index.ts';
import { chainContracts } from '../../auth/contracts.ts';
import { keccak256Text } from '../../auth/keccak.ts';
import { orderHasher } from '../../auth/orderDigest.ts';
import { fatal } from '../../process/fatal.ts';
import { ExchangeClient } from './client.ts';
import type { Flow } from './flowFile.ts';
import { MarketPlayer, type Stage } from './marketPlayer.ts';
import { createMarkets } from './markets.ts';
import { OrderWriter } from './orderWriter.ts';
import type { PlacedRow } from './steps.ts';
import { type ReplayFigures, Tally } from './tally.ts';
import { type Funding, fundTraders, openTraders, type Trader } from './wallets.ts';

/** How a flow is replayed. */
export interface ReplayOptions {
  /** Where the exchange listens, such as http://127.0.0.1:8080. */
  readonly url: string;
  readonly adminToken: string;
  /** Wallets in all; a tenth of them only take. */
  readonly accounts: number;
  /** Chain that orders are signed for; its stock contracts. */
  readonly chainId: number;
  /** Of the wallets' keys and of their turns. */
  readonly seed: number;
  /** Compare the books after every so many rows. */
  readonly checkEvery: number;
  /** Told of the rows played. */
  readonly onRows?: (count: number) => void;
  /** Told what is being done before the rows are played. */
  readonly onPhase?: (sentence: string) => void;
}

/** What a replay ends with. */
interface ReplayOutcome {
  readonly tally: Tally;
  readonly figures: ReplayFigures;
}

export const ACCOUNTS_MIN = 100;
/** Each takes some ten requests before the first row: of so many the preparation is a matter of minutes. */
export const ACCOUNTS_MAX = 100_000;
const TAKERS_EVERY = 10;
/** Checkpoints aimed at where nothing else is asked for; the least that a comparison should rest on is 1,000. */
const CHECKPOINTS_WANTED = 1_200;

/** Rows between checkpoints so that there are about 1,200 of them, as far as there are rows. */
export function checkEveryFor(rowCount: number): number {
  return Math.max(1, Math.floor(rowCount / CHECKPOINTS_WANTED));
}

/** Enough for any wallet to hold the largest level of the recording by itself, or to sell all prints, in every market. */
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

/** Where the wallets' turns begin in a market: spread by the seed. */
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
  options.onPhase?.(`Making ${flow.tokens.length} markets and ${accounts} funded wallets.`);
  const { markets, run } = await createMarkets(client, adminToken, flow.tokens);
  const traders: readonly Trader[] = await openTraders(client, chainId, seed, accounts);
  const conditionIds = markets.map(({ conditionId }) => conditionId);
  await fundTraders(client, adminToken, conditionIds, fundingFor(flow), traders);
  options.onPhase?.(`Playing ${flow.rows.length} rows (run ${run} on this exchange).`);
  return { markets, traders };
}

/**
 * Replays a flow on a running exchange, through its HTTP interface alone.
 * @throws FatalError (usage) when the exchange cannot be reached, refuses the preparation or answers out of shape
 */
export async function replayFlow(flow: Flow, options: ReplayOptions): Promise<ReplayOutcome> {
  const client = new ExchangeClient(new URL(options.url));
  try {
    await requireExchange(client, options.url);
    const { markets, traders } = await prepare(client, flow, options);
    const tally = new Tally();
    const makerCount = traders.length - Math.max(1, Math.floor(traders.length / TAKERS_EVERY));
    const stage: Stage = {
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
      (rows, number) => new MarketPlayer(stage, markets[number], rows, firstTurn(options.seed, number)),
    );
    await Promise.all(players.map((player) => player.play()));
    const elapsedMs = Date.now() - startedMs;
    const { requestCount: requests, waitCount: waits } = client;
    return { tally, figures: { elapsedMs, recordedMs: recordedMsOf(flow), requests, waits } };
  } finally {
    client.close();
  }
}
