// Condition and token ids compared with those of the live venue's markets: constants here, all recorded markets if present.
// The recorded markets are read from OUTCRY_RECORDED_DATA, never copied.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { conditionId, tokenIds } from '../../server/auth/conditionalTokens.ts';
import { CONDITIONS, USDC, WRAPPED_USDC } from './vectors.ts';

describe('published conditions', () => {
  for (const condition of CONDITIONS) {
    test(`token ids of ${condition.conditionId}`, () => {
      expect(tokenIds(condition.collateral, condition.conditionId)).toEqual(condition.tokenIds);
    });
    const { oracle, questionId } = condition;
    if (oracle !== undefined && questionId !== undefined) {
      test(`the id of ${condition.conditionId} from its question`, () => {
        expect(conditionId(oracle, questionId)).toBe(condition.conditionId);
      });
    }
  }
});

test('errors for malformed input name the bad argument', () => {
  expect(() => conditionId('0x12', `0x${'0'.repeat(64)}`)).toThrow(/The oracle must be 0x/);
  expect(() => conditionId(USDC, '0x12')).toThrow(/The question id must be 0x/);
  expect(() => tokenIds(USDC, '0x12')).toThrow(/The condition id must be 0x/);
  expect(() => tokenIds('USDC', `0x${'0'.repeat(64)}`)).toThrow(/The collateral must be 0x/);
});

type RecordedMarket = {
  readonly conditionId?: string;
  readonly questionID?: string;
  readonly resolvedBy?: string;
  readonly clobTokenIds?: string;
  readonly negRisk?: boolean;
};

test('computed condition and token ids equal those of all recorded catalog markets', () => {
  const folder = process.env.OUTCRY_RECORDED_DATA;
  if (folder === undefined) {
    process.stdout.write('OUTCRY_RECORDED_DATA is not set: the recorded markets were not compared.\n');
    return;
  }
  const markets = join(folder, 'nautilus-polymarket-fixtures', 'rust_test_data');
  let compared = 0;
  for (const name of readdirSync(markets).filter((file) => /^gamma_market.*\.json$/.test(file))) {
    // Recorded replies of the catalog: one market per file, its shape as above.
    const market = JSON.parse(readFileSync(join(markets, name), 'utf8')) as RecordedMarket;
    if (market.conditionId === undefined || market.clobTokenIds === undefined) continue;
    const collateral = market.negRisk === true ? WRAPPED_USDC : USDC;
    expect([name, tokenIds(collateral, market.conditionId)]).toEqual([name, JSON.parse(market.clobTokenIds)]);
    compared++;
    if (market.questionID === undefined || market.resolvedBy === undefined) continue;
    expect([name, conditionId(market.resolvedBy, market.questionID)]).toEqual([name, market.conditionId]);
  }
  expect(compared).toBeGreaterThan(0);
});
