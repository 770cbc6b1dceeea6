// Rows for the endpoints of operators and for development's faucet, in the form of endpoints.ts. Used by endpoints.ts
// alone. Those of imports are in catalogEndpoints.ts, beside what they fill.
import { type Extras, ofCondition, row } from './endpointCase.ts';
import * as kinds from './kinds.ts';

const cash: Extras = {
  body: ({ wallet }) => ({ address: wallet.address, amount: '1.5', owner: wallet.address }),
  fields: { address: kinds.strictAddress, amount: kinds.amount, owner: kinds.strictAddress },
  required: ['address', 'amount'],
};
const marketTerms = {
  auto_tick: kinds.flag,
  archived: kinds.flag,
  flags: kinds.flags,
  rewards: kinds.rewards,
  seconds_delay: kinds.wholeTo3600,
  end_date: kinds.dateTime,
  game_start_time: kinds.dateTime,
};
let made = 0;
/** An unused slug. */
const slug = (): string => {
  made += 1;
  return `made-${made}`;
};

export const operatorCases = [
  row('POST', '/dev/faucet', 'none', {
    body: ({ wallet, market }) => ({
      address: wallet.address,
      collateral: '1',
      token_id: market.yes,
      shares: '1',
      owner: wallet.address,
    }),
    fields: {
      address: kinds.strictAddress,
      collateral: kinds.amount,
      token_id: { ...kinds.token, values: [null, '', 1, true, [], {}], error: /token_id/ },
      shares: kinds.amount,
      owner: kinds.strictAddress,
    },
    required: ['address', 'token_id', 'shares'],
  }),
  row('POST', '/admin/events', 'admin', {
    body: () => ({ title: 'An event', slug: slug() }),
    fields: {
      title: kinds.strictText,
      slug: kinds.slug,
      series: kinds.slug,
      tags: kinds.slugs,
      tag_labels: kinds.labels,
      description: kinds.strictText,
      neg_risk: kinds.flag,
      end_date: kinds.dateTime,
    },
    required: ['title'],
  }),
  row('POST', '/admin/markets', 'admin', {
    body: () => ({ question: 'Is it so?', slug: slug() }),
    fields: {
      question: kinds.strictText,
      slug: kinds.slug,
      condition_id: kinds.strictBytes32,
      oracle: kinds.strictAddress,
      ...marketTerms,
    },
    required: ['question'],
  }),
  row('GET', ofCondition('/admin/markets'), 'admin', { part: { ...kinds.bytes32, error: /market/i } }),
  row('PATCH', ofCondition('/admin/markets'), 'admin', {
    body: () => ({ description: 'Another text.' }),
    fields: { description: kinds.strictText, ...marketTerms },
    part: { ...kinds.bytes32, error: /market/i },
  }),
  row('POST', ofCondition('/admin/markets', '/resolve'), 'admin', {
    body: () => ({ outcome: 'Yes' }),
    fields: { outcome: kinds.outcome },
    part: { ...kinds.bytes32, error: /market/i },
    required: ['outcome'],
  }),
  row('POST', '/admin/deposits', 'admin', cash),
  row('POST', '/admin/withdrawals', 'admin', cash),
  row('PATCH', '/admin/exchange', 'admin', {
    body: () => ({ mode: 'normal' }),
    fields: { mode: kinds.mode },
    required: ['mode'],
  }),
  row('GET', ({ wallet }) => `/admin/accounts/${wallet.address}`, 'admin', { part: kinds.address }),
  row('PATCH', ({ wallet }) => `/admin/accounts/${wallet.address}`, 'admin', {
    body: () => ({ banned: false, closed_only: false }),
    fields: { banned: kinds.flag, closed_only: kinds.flag, bind: kinds.bind },
    part: kinds.address,
  }),
];
