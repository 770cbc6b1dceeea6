// Every public method of the official client (interface H.1), each against the server and with a value that depends on
// earlier steps. The methods are found by reflection: one without an exercise fails the first test, so none is forgotten.
// The exercises run in the order of the file; each needs those above it.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ClobClient } from '@polymarket/clob-client-v2';
import { expect, test } from 'vitest';
import { send } from '../support/client.ts';
import { UUID } from '../support/uuid.ts';
import { type Exercises, maker, market, seen, taker } from './exercises.ts';
import { world } from './ownWorld.ts';
import { tradingExercises } from './tradingExercises.ts';
import { admin, clientOf, newAccount, refusalOf } from './world.ts';

const TODAY = new Date().toISOString().slice(0, 10);

/** An account whose wallet has no API key yet. */
const fresh = newAccount();

const conditionsOf = (rows: readonly { readonly condition_id: string }[]) => rows.map((row) => row.condition_id);

const atTheDoor: Exercises = {
  getOk: async () => {
    expect(await maker.client.getOk()).toBe('OK');
  },
  getVersion: async () => {
    expect(await maker.client.getVersion()).toBe(2);
  },
  getServerTime: async () => {
    const seconds = await maker.client.getServerTime();
    expect(Number.isInteger(seconds)).toBe(true);
    expect(Math.abs(seconds - Date.now() / 1000)).toBeLessThan(60);
  },
};

const keys: Exercises = {
  createApiKey: async () => {
    const created = await clientOf(world.url, fresh).createApiKey(7);
    expect(created.key).toMatch(UUID);
    seen.key = created.key;
    expect((await clientOf(world.url, fresh).createApiKey(7)).key).toBeUndefined();
  },
  deriveApiKey: async () => {
    expect((await clientOf(world.url, fresh).deriveApiKey(7)).key).toBe(seen.key);
    expect((await clientOf(world.url, fresh).deriveApiKey(8)).key).toBeUndefined();
  },
  createOrDeriveApiKey: async () => {
    expect((await clientOf(world.url, fresh).createOrDeriveApiKey(7)).key).toBe(seen.key);
    expect((await clientOf(world.url, fresh).createOrDeriveApiKey(9)).key).not.toBe(seen.key);
  },
  getApiKeys: async () => {
    const { apiKeys } = await maker.client.getApiKeys();
    expect(apiKeys).toEqual([maker.apiKey]);
  },
};

const markets: Exercises = {
  getMarkets: async () => {
    const { data, next_cursor, count } = await maker.client.getMarkets();
    expect([next_cursor, count]).toEqual(['LTE=', data.length]);
    expect(conditionsOf(data)).toContain(market.conditionId);
  },
  getSimplifiedMarkets: async () => {
    const row = (await maker.client.getSimplifiedMarkets()).data.find((one) => one.condition_id === market.conditionId);
    expect(row.tokens.map((one: { token_id: string }) => one.token_id)).toEqual([market.yes, market.no]);
  },
  getSamplingMarkets: async () => {
    expect(conditionsOf((await maker.client.getSamplingMarkets()).data)).not.toContain(market.conditionId);
    const rates = [{ asset_address: `0x${'5'.repeat(40)}`, rewards_daily_rate: 5 }];
    const rewards = { rates, min_size: 50, max_spread: 3 };
    await admin(world.url, 'PATCH', `/admin/markets/${market.conditionId}`, { rewards });
    const row = (await maker.client.getSamplingMarkets()).data.find((one) => one.condition_id === market.conditionId);
    expect(row.rewards).toEqual(rewards);
  },
  getSamplingSimplifiedMarkets: async () => {
    expect(conditionsOf((await maker.client.getSamplingSimplifiedMarkets()).data)).toContain(market.conditionId);
  },
  getMarket: async () => {
    const record = await maker.client.getMarket(market.conditionId);
    expect([record.question_id, record.minimum_order_size]).toEqual([market.questionId, 5]);
  },
  getClobMarketInfo: async () => {
    const { t, mts, fd } = await maker.client.getClobMarketInfo(market.conditionId);
    expect([t.map((one) => one.t), mts, fd]).toEqual([[market.yes, market.no], 0.01, { r: 0.05, e: 2, to: true }]);
  },
  getTickSize: async () => {
    expect(await taker.client.getTickSize(market.yes)).toBe('0.01');
  },
  getNegRisk: async () => {
    expect(await taker.client.getNegRisk(market.no)).toBe(false);
  },
  getFeeRateBps: async () => {
    expect(await taker.client.getFeeRateBps(market.yes)).toBe(1000);
  },
  getFeeExponent: async () => {
    expect(await taker.client.getFeeExponent(market.no)).toBe(2);
  },
};

const otherKeys: Exercises = {
  createReadonlyApiKey: async () => {
    seen.key = (await maker.client.createReadonlyApiKey()).apiKey;
    const headers = { POLY_ADDRESS: maker.owner, POLY_API_KEY: seen.key };
    const reply = await send(world.url, 'GET', `/data/order/${seen.limitId}`, undefined, headers);
    expect(reply.json.id).toBe(seen.limitId);
  },
  getReadonlyApiKeys: async () => {
    expect(await maker.client.getReadonlyApiKeys()).toEqual([seen.key]);
  },
  deleteReadonlyApiKey: async () => {
    expect(await maker.client.deleteReadonlyApiKey(seen.key)).toBe(true);
    expect(await maker.client.getReadonlyApiKeys()).toEqual([]);
  },
  createBuilderApiKey: async () => {
    const { key, secret, passphrase } = await maker.client.createBuilderApiKey();
    expect([UUID.test(key), secret.length, passphrase.length]).toEqual([true, 44, 64]);
    seen.key = key;
  },
  getBuilderApiKeys: async () => {
    expect(await maker.client.getBuilderApiKeys()).toMatchObject([{ key: seen.key }]);
  },
  revokeBuilderApiKey: async () => {
    expect(await maker.client.revokeBuilderApiKey()).toBe('OK');
    const [revoked] = await maker.client.getBuilderApiKeys();
    expect([revoked.key, typeof revoked.revokedAt]).toEqual([seen.key, 'string']);
  },
  getClosedOnlyMode: async () => {
    expect(await maker.client.getClosedOnlyMode()).toEqual({ closed_only: false });
    await admin(world.url, 'PATCH', `/admin/accounts/${maker.owner}`, { closed_only: true });
    expect(await maker.client.getClosedOnlyMode()).toEqual({ closed_only: true });
  },
};

const rewards: Exercises = {
  getEarningsForUserForDay: async () => {
    expect(await maker.client.getEarningsForUserForDay(TODAY)).toEqual([]);
    expect((await refusalOf(maker.client.getEarningsForUserForDay('today'))).status).toBe(400);
  },
  getTotalEarningsForUserForDay: async () => {
    expect(await maker.client.getTotalEarningsForUserForDay(TODAY)).toEqual([]);
  },
  getUserEarningsAndMarketsConfig: async () => {
    expect(await maker.client.getUserEarningsAndMarketsConfig(TODAY)).toEqual([]);
  },
  getRewardPercentages: async () => {
    expect(await maker.client.getRewardPercentages()).toEqual({});
  },
  getCurrentRewards: async () => {
    expect(await maker.client.getCurrentRewards()).toEqual([]);
  },
  getRawRewardsForMarket: async () => {
    expect(await maker.client.getRawRewardsForMarket(market.conditionId)).toEqual([]);
    const unknown = `0x${'9'.repeat(64)}`;
    expect((await refusalOf(maker.client.getRawRewardsForMarket(unknown))).status).toBe(404);
  },
};

const last: Exercises = {
  deleteApiKey: async () => {
    expect(await taker.client.deleteApiKey()).toBe('OK');
    const refusal = await refusalOf(taker.client.getApiKeys());
    expect([refusal.status, refusal.message]).toEqual([401, 'Unauthorized/Invalid api key']);
  },
};

const exercises: Exercises = {
  ...atTheDoor,
  ...keys,
  ...markets,
  ...tradingExercises,
  ...otherKeys,
  ...rewards,
  ...last,
};

/** Methods that the package's types declare private, which its prototype does not show. */
function privateNames(): readonly string[] {
  const entry = fileURLToPath(import.meta.resolve('@polymarket/clob-client-v2'));
  const types = readFileSync(entry.replace(/index\.c?js$/, 'client.d.ts'), 'utf8');
  return [...types.matchAll(/^ {2}private (\w+);$/gm)].map(([, name]) => name);
}

test('every public method of the client has an exercise', () => {
  const hidden = privateNames();
  expect(hidden).toContain('throwIfError');
  const names = Object.getOwnPropertyNames(ClobClient.prototype).filter(
    (name) => name !== 'constructor' && !hidden.includes(name),
  );
  expect(names.length).toBeGreaterThan(60);
  expect(Object.keys(exercises).sort()).toEqual(names.sort());
});

test.each(Object.entries(exercises))('%s', async (_name, exercise) => {
  await exercise();
});
