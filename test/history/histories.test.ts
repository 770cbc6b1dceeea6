// The historian against the oracle on random histories: every question in both dialects, sums over holders, and every
// wallet's figures against the money that the log moved. HISTORY_SEEDS sets how many worlds, HISTORY_SEED the first.
import { expect, test } from 'vitest';
import type { HistoryRequest } from '../../server/wire/historyQueries.ts';
import { Random } from '../model/random.ts';
import { environmentNumber } from '../support/wholeNumber.ts';
import { askText, expectSame, openVenue, oracleOf, type Venue } from './harness.ts';
import type { Oracle, OracleMarket } from './oracle.ts';
import { everything, KINDS, listsOf, Questions } from './questions.ts';
import { Player } from './world.ts';

const fullRun = 300;
const seedCount = environmentNumber('HISTORY_SEEDS', fullRun);
const firstSeed = environmentNumber('HISTORY_SEED', 1);
/** Worlds that share an exchange, one after the other: starting a historian takes longer than a world does. */
const worldsAVenue = 15;
/** One world in this many is compared in full, the others by a sample. */
const inFullEvery = 15;
const questionsOfAKind = 4;

/** Records per commit, by venue: while questions are asked nothing, nearly everything, or some of it is committed. */
const COMMITS = [1_000_000, 7, 60] as const;

/** A number of an answer in micro: exact, since the answer's decimals are. */
const microOf = (value: unknown): bigint => BigInt(Math.round(Number(value) * 1_000_000));

async function rowsOf(venue: Venue, request: HistoryRequest): Promise<Readonly<Record<string, unknown>>[]> {
  const text = await askText(venue.historian, request);
  return JSON.parse(text ?? '[]');
}

/** The result of each wallet's positions equals the change of its collateral, to the micro. */
async function expectReconciled(venue: Venue, oracle: Oracle, wallets: readonly string[]): Promise<void> {
  for (const wallet of wallets) {
    const accountId = oracle.wallets.indexOf(wallet);
    const [open, closed] = listsOf(wallet);
    let gained = 0n;
    for (const row of await rowsOf(venue, { query: open, dialect: 'root' })) {
      gained += microOf(row.realizedPnl) - microOf(row.initialValue);
    }
    for (const row of await rowsOf(venue, { query: closed, dialect: 'root' })) gained += microOf(row.realizedPnl);
    const { collateral, deposited, withdrawn, fees, credited } = oracle.cashOf(accountId);
    expect(gained + credited, `wallet ${wallet}`).toBe(collateral - deposited + withdrawn + fees);
  }
}

/** The shares shown for holders equal the outstanding sets, for each token while it has a claim on them. */
async function expectSetsHeld(venue: Venue, markets: readonly OracleMarket[]): Promise<void> {
  for (const market of markets) {
    const conditionIds = [market.conditionId];
    const query = { kind: 'holders', conditionIds, limit: 500, minBalanceMicro: 0 } as const;
    const groups = await rowsOf(venue, { query, dialect: 'root' });
    const sums = groups.map(({ holders }) =>
      (holders as { amount: number }[]).reduce((sum, { amount }) => sum + microOf(amount), 0n),
    );
    const { resolution, vault } = market;
    if (resolution === undefined) expect(sums).toEqual([vault, vault]);
    else if (resolution === 2) expect(sums[0] + sums[1]).toBeLessThanOrEqual(2n * vault);
    else expect(sums[resolution]).toBe(vault);
  }
}

/** Counts each kind of event, match and row: the worlds must reach all of them. */
function count(seen: Map<string, number>, venue: Venue, oracle: Oracle): void {
  const add = (name: string, times = 1): void => void seen.set(name, (seen.get(name) ?? 0) + times);
  for (const { events } of venue.records) {
    for (const event of events) {
      add(event.type);
      if (event.type === 'Fill') add(`match ${event.kind}`);
      if (event.type === 'Trade' && event.feeMicro > 0) add('fee');
      if (event.type === 'Trade' && event.fillCount > 1) add('several makers');
      if (event.type === 'PositionRedeemed') add(`redeemed ${oracle.markets[event.marketIndex].resolution}`);
    }
    if (events.filter(({ type }) => type === 'Trade').length > 1) add('several levels');
  }
  for (const { size, isReopened } of oracle.holdings) {
    add(size === 0n ? 'closed position' : 'open position');
    if (isReopened) add('position opened again');
  }
}

test('historian answers match the oracle on random histories', { timeout: 1_200_000 }, async () => {
  const seen = new Map<string, number>();
  const endSeed = firstSeed + seedCount;
  for (let first = firstSeed; first < endSeed; first += worldsAVenue) {
    const recordsPerCommit = COMMITS[((first / worldsAVenue) % COMMITS.length) | 0];
    const venue = await openVenue({ recordsPerCommit, onLog: (text) => console.error(text) });
    let oracle = oracleOf([]);
    for (let seed = first; seed < Math.min(endSeed, first + worldsAVenue); seed += 1) {
      const random = new Random(seed ^ 0x5eed);
      const walletCount = oracle.wallets.length;
      const marketCount = oracle.markets.length;
      await new Player(seed, venue).play(random.int(40, 160));
      oracle = oracleOf(venue.records);
      const questions = new Questions(random, oracle, walletCount);
      const sample = KINDS.flatMap((kind) => Array.from({ length: questionsOfAKind }, () => questions.draw(kind)));
      const asked = seed % inFullEvery === 0 ? [...sample, ...everything(oracle)] : sample;
      await expectSame(venue.historian, oracle, asked, `HISTORY_SEED=${first}, world ${seed}`);
      await expectReconciled(venue, oracle, [...oracle.wallets.slice(0, 2), ...oracle.wallets.slice(walletCount)]);
      await expectSetsHeld(venue, oracle.markets.slice(marketCount));
    }
    count(seen, venue, oracle);
    await venue.close();
  }
  console.info(
    [...seen]
      .sort()
      .map((entry) => entry.join(' '))
      .join(', '),
  );
  if (seedCount < fullRun) return;
  const wanted = [
    ...['match 0', 'match 1', 'match 2', 'fee', 'several makers', 'several levels', 'open position', 'closed position'],
    ...['position opened again', 'redeemed 0', 'redeemed 1', 'redeemed 2', 'PositionSplit', 'PositionMerged'],
    ...['SharesCredited', 'OrderReleased', 'OrderKilled', 'WalletBound'],
  ];
  expect(wanted.filter((name) => (seen.get(name) ?? 0) < 10)).toEqual([]);
});

test('an answer reflects everything that was durable when it was requested', async () => {
  const venue = await openVenue({ onLog: console.error });
  const player = new Player(77, venue);
  await player.play(30);
  const random = new Random(77);
  for (let round = 0; round < 60; round += 1) {
    await player.continue(random.int(1, 4));
    const oracle = oracleOf(venue.records);
    const questions = new Questions(random, oracle);
    await expectSame(
      venue.historian,
      oracle,
      KINDS.map((kind) => questions.draw(kind)),
      `round ${round}`,
    );
  }
  await venue.close();
});
