// Rows of user data as text compared with the objects that they stand for: whatever texts and figures a row has, the JSON
// made by joining parses to the same as JSON.stringify's.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ActivityRow, MarketFacts, PositionRow, TradeRow } from '../../server/wire/historyQueries.ts';
import { renderTotals, rowRenderers } from '../../server/wire/userDataRows.ts';
import { wordOf } from '../support/hex.ts';

const WALLET = `0x${'a1'.repeat(20)}`;
const HASH = `0x${'5'.repeat(64)}`;
const profile = { name: '', pseudonym: '', bio: '', profileImage: '', profileImageOptimized: '' };

const markets = fc.record<MarketFacts>({
  conditionId: fc.nat().map(wordOf),
  tokens: fc.tuple(fc.nat().map(String), fc.nat().map(String)),
  outcomes: fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })),
  title: fc.string({ unit: 'binary' }),
  slug: fc.string(),
  icon: fc.string(),
  eventSlug: fc.constantFrom('', 'event'),
  eventNumber: fc.constantFrom(0, 7),
  endDate: fc.constantFrom('', 'never', '2030-01-31', '2030-01-31T23:30:00-02:00', '2030-01-31T12:00:00Z'),
  negRisk: fc.boolean(),
});
const outcome = fc.constantFrom(0 as const, 1 as const);
const amount = fc.maxSafeNat();
const pips = fc.nat({ max: 10_000 });
const tMs = fc.nat({ max: 2 ** 45 });
const signed = fc.maxSafeInteger();
const ratio = fc.integer({ min: -(10 ** 12), max: 10 ** 12 }).map((n) => n / 10_000);

const tradeFields = {
  wallet: fc.constant(WALLET),
  market: markets,
  outcome,
  side: fc.constantFrom('BUY' as const, 'SELL' as const),
  sizeMicro: amount,
  pricePips: pips,
  cashMicro: amount,
  tMs,
  transactionHash: fc.constant(HASH),
};
const trades = fc.record<TradeRow>(tradeFields);
const activities = fc.record<ActivityRow>({
  ...tradeFields,
  type: fc.constantFrom('TRADE' as const, 'SPLIT' as const, 'MERGE' as const, 'REDEEM' as const),
  isOfToken: fc.constant(true),
});
const positions = fc.record<PositionRow>({
  wallet: fc.constant(WALLET),
  market: markets,
  outcome,
  sizeMicro: amount,
  avgPriceMicro: amount,
  initialValueMicro: amount,
  currentValueMicro: amount,
  cashPnlMicro: signed,
  percentPnl: ratio,
  totalBoughtMicro: amount,
  realizedPnlMicro: signed,
  percentRealizedPnl: ratio,
  curPricePips: pips,
  redeemable: fc.boolean(),
  mergeable: fc.boolean(),
  tMs,
});

/** A whole number of 10^-decimals as the nearest double. */
function decimal(units: number, decimals: number): number {
  const digits = String(Math.abs(units)).padStart(decimals + 1, '0');
  return Number(`${units < 0 ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`);
}
const micro = (value: number): number => decimal(value, 6);
const seconds = (value: number): number => Math.floor(value / 1000);

const dialects = ['root', 'polymarket'] as const;
const read = <Row>(render: (row: Row) => string, rows: readonly Row[]) => rows.map((row) => JSON.parse(render(row)));

/** The fields of a row that describe its market, in a dialect. */
function place({ market, outcome }: Pick<TradeRow, 'market' | 'outcome'>, dialect: (typeof dialects)[number]) {
  const { conditionId, title, slug, icon, eventSlug, outcomes, tokens } = market;
  const isRoot = dialect === 'root';
  return {
    asset: isRoot ? `${conditionId}:${outcome}` : tokens[outcome],
    conditionId,
    title,
    slug,
    icon,
    eventSlug: isRoot || eventSlug !== '' ? eventSlug : slug,
    outcome: outcomes[outcome],
    outcomeIndex: outcome,
  };
}

test('rendered trades parse back to their rows', () => {
  fc.assert(
    fc.property(fc.array(trades), fc.constantFrom(...dialects), (rows, dialect) => {
      const expected = rows.map((row) => ({
        proxyWallet: WALLET,
        side: row.side,
        ...place(row, dialect),
        size: micro(row.sizeMicro),
        price: decimal(row.pricePips, 4),
        timestamp: seconds(row.tMs),
        ...(dialect === 'root' ? { usdcSize: micro(row.cashMicro) } : {}),
        ...profile,
        transactionHash: HASH,
      }));
      expect(read(rowRenderers[dialect].trades, rows)).toEqual(expected);
    }),
  );
});

test('rendered activity parses back: only trades have side and price, split and merge have no token', () => {
  fc.assert(
    fc.property(fc.array(activities), fc.constantFrom(...dialects), (made, dialect) => {
      const rows = made.map((row) => ({ ...row, isOfToken: row.type === 'TRADE' || row.type === 'REDEEM' }));
      const expected = rows.map((row) => ({
        proxyWallet: WALLET,
        timestamp: seconds(row.tMs),
        type: row.type,
        size: micro(row.sizeMicro),
        usdcSize: micro(row.cashMicro),
        transactionHash: HASH,
        price: row.type === 'TRADE' ? decimal(row.pricePips, 4) : 0,
        side: row.type === 'TRADE' ? row.side : '',
        ...place(row, dialect),
        ...(row.isOfToken ? {} : { asset: '', outcome: '', outcomeIndex: 999 }),
        ...profile,
      }));
      expect(read(rowRenderers[dialect].activity, rows)).toEqual(expected);
    }),
  );
});

const END_TIMES: Readonly<Record<string, string | null>> = {
  '': null,
  never: null,
  '2030-01-31': '2030-01-31T00:00:00Z',
  '2030-01-31T23:30:00-02:00': '2030-01-31T23:30:00-02:00',
  '2030-01-31T12:00:00Z': '2030-01-31T12:00:00Z',
};
const END_DAYS: Readonly<Record<string, string>> = {
  '': '',
  never: '',
  '2030-01-31': '2030-01-31',
  '2030-01-31T23:30:00-02:00': '2030-02-01',
  '2030-01-31T12:00:00Z': '2030-01-31',
};

function brief(row: PositionRow, dialect: (typeof dialects)[number]) {
  const other = row.outcome === 0 ? 1 : 0;
  const opposite = place({ market: row.market, outcome: other }, dialect);
  return {
    proxyWallet: WALLET,
    ...place(row, dialect),
    avgPrice: micro(row.avgPriceMicro),
    totalBought: micro(row.totalBoughtMicro),
    realizedPnl: micro(row.realizedPnlMicro) + 0, // JSON has one zero
    curPrice: decimal(row.curPricePips, 4),
    oppositeOutcome: opposite.outcome,
    oppositeAsset: opposite.asset,
  };
}

const values = (row: PositionRow) => ({
  size: micro(row.sizeMicro),
  initialValue: micro(row.initialValueMicro),
  currentValue: micro(row.currentValueMicro),
  cashPnl: micro(row.cashPnlMicro),
  percentPnl: row.percentPnl,
  percentRealizedPnl: row.percentRealizedPnl,
  redeemable: row.redeemable,
  mergeable: row.mergeable,
});

test('rendered positions parse back to their rows, with end dates in the form of each dialect', () => {
  fc.assert(
    fc.property(fc.array(positions), (rows) => {
      const plain = rows.map((row) => ({
        ...brief(row, 'root'),
        ...values(row),
        timestamp: seconds(row.tMs),
        endDate: END_TIMES[row.market.endDate],
      }));
      const negativeRisk = rows.map(({ market }) => ({ negativeRisk: market.negRisk }));
      expect(read(rowRenderers.root.positions, rows)).toEqual(plain.map((row, i) => ({ ...row, ...negativeRisk[i] })));
      expect(read(rowRenderers.root['closed-positions'], rows)).toEqual(plain);
      const official = rows.map((row, i) => ({
        ...brief(row, 'polymarket'),
        ...values(row),
        ...negativeRisk[i],
        endDate: END_DAYS[row.market.endDate],
        eventId: row.market.eventNumber === 0 ? '' : '7',
      }));
      expect(read(rowRenderers.polymarket.positions, rows)).toEqual(official);
      const closed = rows.map((row) => ({
        ...brief(row, 'polymarket'),
        timestamp: seconds(row.tMs),
        endDate: END_TIMES[row.market.endDate] ?? '',
      }));
      expect(read(rowRenderers.polymarket['closed-positions'], rows)).toEqual(closed);
    }),
  );
});

test('each row shows the title of its own market object, even for a market rendered before', () => {
  const [row] = fc.sample(trades, 1);
  const renamed = { ...row, market: { ...row.market, title: 'Another title' } };
  const titles = (rows: readonly TradeRow[]) =>
    read(rowRenderers.root.trades, rows).map(({ title }: { title: string }) => title);
  expect(titles([row, renamed, row])).toEqual([row.market.title, 'Another title', row.market.title]);
});

test('rendered holders, oi, live-volume, value and traded parse back to their figures', () => {
  fc.assert(
    fc.property(markets, fc.array(amount), (market, amounts) => {
      const conditionIds = [market.conditionId];
      const holders = amounts.map((amountMicro) => ({ wallet: WALLET, amountMicro }));
      const token = market.tokens[1];
      expect(read(rowRenderers.polymarket.holders, [{ market, outcome: 1, holders }])).toEqual([
        {
          token,
          holders: amounts.map((amountMicro) => ({
            proxyWallet: WALLET,
            asset: token,
            amount: micro(amountMicro),
            displayUsernamePublic: false,
            outcomeIndex: 1,
            ...profile,
          })),
        },
      ]);
      const figures = amounts.map((valueMicro) => ({ conditionId: market.conditionId, valueMicro }));
      const shown = amounts.map((value) => ({ market: market.conditionId, value: micro(value) }));
      expect(JSON.parse(renderTotals({ kind: 'oi', conditionIds }, figures))).toEqual(shown);
      const volume = { totalMicro: 5, markets: figures };
      const volumeQuery = { kind: 'live-volume', conditionIds, eventNumbers: undefined } as const;
      expect(JSON.parse(renderTotals(volumeQuery, volume))).toEqual([{ total: 0.000005, markets: shown }]);
    }),
  );
  expect(renderTotals({ kind: 'value', user: WALLET, conditionIds: undefined }, 1_500_000)).toBe(
    `[{"user":"${WALLET}","value":1.5}]`,
  );
  expect(renderTotals({ kind: 'traded', user: WALLET }, 3)).toBe(`{"user":"${WALLET}","traded":3}`);
  expect(renderTotals({ kind: 'oi', conditionIds: undefined }, [{ conditionId: '', valueMicro: 1 }])).toBe(
    '[{"market":"GLOBAL","value":0.000001}]',
  );
});
