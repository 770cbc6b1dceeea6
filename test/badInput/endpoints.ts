// Every endpoint of the exchange, once: its method, a valid path, who may call it, a valid body, and the kind of each
// parameter, field and path part that it reads. Used by the tests of this folder, which spoil one thing at a time;
// everyEndpoint.test.ts fails while one of the server's table is missing here. The bodies are made anew for each use, since
// an order is accepted once. The rows of the catalog, of user data and of operators are in files beside this one.
import { catalogCases, importCases } from './catalogEndpoints.ts';
import { type EndpointCase, type Extras, ofCondition, row } from './endpointCase.ts';
import type { Level, Target } from './harness.ts';
import { historyCases } from './historyEndpoints.ts';
import * as kinds from './kinds.ts';
import { operatorCases } from './operatorEndpoints.ts';

/** Paths with one token in the query. */
const ofToken =
  (path: string): EndpointCase['path'] =>
  ({ market }) =>
    `${path}${path.includes('?') ? '&' : '?'}token_id=${market.yes}`;
const ofTokens =
  (path: string): EndpointCase['path'] =>
  ({ market }) =>
    `${path}?token_ids=${market.yes},${market.no}`;

const token: Extras = { query: { token_id: kinds.token }, required: ['token_id'] };
const queriedTokens: Extras = { query: { token_ids: kinds.tokens, sides: kinds.sides }, required: ['token_ids'] };
const list: Extras = {
  body: ({ market }) => [{ token_id: market.yes, side: 'BUY' }, { token_id: market.no }],
  fields: { token_id: kinds.token, side: kinds.side },
  required: ['token_id'],
};
const page: Extras = { query: { next_cursor: kinds.cursor } };
const filters = { market: kinds.bytes32, asset_id: kinds.assetId, before: kinds.seconds, after: kinds.seconds };
const sets: Extras = {
  body: ({ market, wallet }) => ({
    condition_id: market.conditionId,
    amount: '1',
    wallet: wallet.address,
    signature_type: 0,
  }),
  fields: {
    condition_id: kinds.strictBytes32,
    amount: kinds.amount,
    wallet: kinds.strictAddress,
    signature_type: kinds.signatureType,
  },
  required: ['condition_id', 'amount'],
};
const balance: EndpointCase['path'] = ({ market }) =>
  `/balance-allowance?asset_type=CONDITIONAL&token_id=${market.yes}&signature_type=0`;
const balanceUpdate: EndpointCase['path'] = (target) => balance(target).replace('?', '/update?');
const balanceQuery: Extras = {
  query: { asset_type: kinds.assetType, token_id: kinds.token, signature_type: kinds.signatureType },
  required: ['token_id'],
};
const userRewards: Extras = {
  query: { date: kinds.date, signature_type: kinds.signatureType, next_cursor: kinds.cursor },
  required: ['date'],
};
const history = {
  interval: kinds.interval,
  fidelity: kinds.fidelity,
  startTs: kinds.seconds,
  endTs: kinds.seconds,
};
const historyRange = { interval: '1h', fidelity: '1', startTs: '1', endTs: '2000000000' };
const orderFields: Extras = { fields: { order: kinds.anyObject, owner: kinds.keyOwner }, required: ['order', 'owner'] };

const health = [
  row('GET', '/', 'none'),
  row('GET', '/ok', 'none'),
  row('GET', '/time', 'none'),
  row('GET', '/version', 'none'),
  row('GET', '/asyncapi.json', 'none'),
  row('GET', '/readyz', 'none'),
  row('GET', '/metrics', 'none'),
];

const keys = [
  row('POST', '/auth/api-key', 'l1'),
  row('DELETE', '/auth/api-key', 'l2'),
  row('GET', '/auth/derive-api-key', 'l1'),
  row('GET', '/auth/api-keys', 'l2'),
  row('GET', '/auth/ban-status/closed-only', 'l2'),
  row('POST', '/auth/readonly-api-key', 'l2'),
  row('DELETE', '/auth/readonly-api-key', 'l2', {
    body: ({ readonlyKey }) => ({ key: readonlyKey }),
    fields: { key: kinds.uuid(/Invalid key/) },
    required: ['key'],
  }),
  row('GET', '/auth/readonly-api-keys', 'l2'),
  row(
    'GET',
    ({ wallet, readonlyKey }) => `/auth/validate-readonly-api-key?address=${wallet.address}&key=${readonlyKey}`,
    'none',
    { query: { address: kinds.invalidAddress, key: kinds.uuid(/Invalid key/) }, required: ['address', 'key'] },
  ),
  row('POST', '/auth/builder-api-key', 'l2'),
  row('GET', '/auth/builder-api-key', 'l2'),
  row('DELETE', '/auth/builder-api-key', 'l2'),
  row('GET', `/builder/trades?builder_code=0x${'1'.repeat(64)}`, 'none', {
    query: { builder_code: kinds.bytes32, maker_address: kinds.address, next_cursor: kinds.cursor, ...filters },
    required: ['builder_code'],
  }),
  row('GET', `/fees/builder-fees/0x${'1'.repeat(64)}`, 'none', { part: kinds.builderCode }),
];

const trading = [
  row('POST', '/order', 'l2', { body: (target) => target.orderBody(), ...orderFields }),
  row('DELETE', '/order', 'l2', {
    body: ({ orderId }) => ({ orderID: orderId }),
    fields: { orderID: kinds.orderId },
    required: ['orderID'],
  }),
  row('POST', '/orders', 'l2', { body: (target) => [target.orderBody(), target.orderBody()] }),
  row('DELETE', '/orders', 'l2', { body: ({ orderId }) => [orderId], items: kinds.orderId }),
  row('DELETE', '/cancel-all', 'l2'),
  row('DELETE', '/cancel-market-orders', 'l2', {
    body: ({ market }) => ({ market: market.conditionId, asset_id: market.yes }),
    isBodyOptional: true,
    fields: { market: kinds.market, asset_id: kinds.assetId },
  }),
  row('POST', '/v1/heartbeats', 'l2', {
    body: () => ({ heartbeat_id: '' }),
    isBodyOptional: true,
    fields: { heartbeat_id: kinds.uuid(/Invalid Heartbeat ID/) },
  }),
  row('POST', '/heartbeats', 'l2'),
];

const userData = [
  row('GET', ({ orderId }) => `/data/order/${orderId}`, 'l2', { part: kinds.orderId }),
  row('GET', '/data/orders?next_cursor=MA==', 'l2', {
    query: { id: kinds.bytes32, market: kinds.bytes32, asset_id: kinds.assetId, next_cursor: kinds.cursor },
  }),
  row('GET', '/data/pre-migration-orders?next_cursor=MA==', 'l2', page),
  row('GET', '/data/trades?next_cursor=MA==', 'l2', {
    query: {
      taker: kinds.address,
      maker: kinds.address,
      maker_address: kinds.address,
      next_cursor: kinds.cursor,
      ...filters,
    },
  }),
  row('GET', balance, 'l2', balanceQuery),
  row('PUT', balance, 'l2', balanceQuery),
  row('GET', balanceUpdate, 'l2', balanceQuery),
  row('PUT', balanceUpdate, 'l2', balanceQuery),
  row('GET', ({ wallet }) => `/relayer/deployed?address=${wallet.address}`, 'none', {
    query: { address: kinds.invalidAddress },
    required: ['address'],
  }),
  row('GET', '/notifications?signature_type=0', 'l2', { query: { signature_type: kinds.signatureType } }),
  row('DELETE', '/notifications?ids=1,2', 'l2', { query: { ids: kinds.ids }, required: ['ids'] }),
];

const rewards = [
  row('GET', ({ orderId }) => `/order-scoring?order_id=${orderId}`, 'l2', {
    query: { order_id: kinds.orderId },
    required: ['order_id'],
  }),
  row('POST', '/orders-scoring', 'l2', { body: ({ orderId }) => [orderId], items: kinds.orderId }),
  row('GET', ({ orderId }) => `/orders-scoring?order_ids=${orderId}`, 'l2', {
    query: { order_ids: kinds.orderIds },
    required: ['order_ids'],
  }),
  row('GET', '/rewards/user?date=2030-01-31', 'l2', userRewards),
  row('GET', '/rewards/user/total?date=2030-01-31', 'l2', {
    query: { date: kinds.date, signature_type: kinds.signatureType },
    required: ['date'],
  }),
  row('GET', '/rewards/user/percentages?signature_type=0', 'l2', { query: { signature_type: kinds.signatureType } }),
  row('GET', '/rewards/user/markets?date=2030-01-31', 'l2', userRewards),
  row('GET', '/rewards/markets/current', 'none', page),
  row('GET', '/rewards/markets/multi', 'none', page),
  row('GET', ofCondition('/rewards/markets'), 'none', { ...page, part: kinds.market }),
  row('GET', '/rebates/current?date=2030-01-31', 'none', {
    query: { date: kinds.date, maker_address: kinds.address },
    required: ['date'],
  }),
];

const positions = [
  row('POST', '/split', 'l2', sets),
  row('POST', '/merge', 'l2', sets),
  row('POST', '/redeem', 'l2', {
    body: ({ market, wallet }) => ({ condition_id: market.conditionId, wallet: wallet.address, signature_type: 0 }),
    fields: {
      condition_id: kinds.strictBytes32,
      wallet: kinds.strictAddress,
      signature_type: kinds.signatureType,
    },
    required: ['condition_id'],
  }),
];

const marketData = [
  row('GET', ofToken('/book'), 'none', token),
  row('GET', ofTokens('/books'), 'none', queriedTokens),
  row('POST', '/books', 'none', list),
  row('GET', ofToken('/price?side=BUY'), 'none', {
    query: { token_id: kinds.token, side: kinds.side },
    required: ['token_id', 'side'],
  }),
  row('GET', ({ market }) => `/prices?token_ids=${market.yes}&sides=SELL`, 'none', {
    query: { token_ids: kinds.tokens, sides: kinds.sides },
  }),
  row('POST', '/prices', 'none', list),
  row('GET', ofToken('/midpoint'), 'none', token),
  row('GET', ofTokens('/midpoints'), 'none', queriedTokens),
  row('POST', '/midpoints', 'none', list),
  row('GET', ofToken('/spread'), 'none', token),
  row('GET', ofTokens('/spreads'), 'none', queriedTokens),
  row('POST', '/spreads', 'none', list),
  row('GET', ofToken('/last-trade-price'), 'none', token),
  row('GET', ofTokens('/last-trades-prices'), 'none', queriedTokens),
  row('POST', '/last-trades-prices', 'none', list),
  ...['/tick-size', '/neg-risk', '/fee-rate'].flatMap((path) => [
    row('GET', ofToken(path), 'none', token),
    row('GET', ({ market }) => `${path}/${market.yes}`, 'none', { part: kinds.token }),
  ]),
  row('GET', ({ market }) => `/prices-history?market=${market.yes}&interval=1h`, 'none', {
    query: { market: kinds.marketKey, ...history, start_ts: kinds.seconds, end_ts: kinds.seconds },
    required: ['market'],
  }),
  row('POST', '/batch-prices-history', 'none', {
    body: ({ market }) => ({ markets: [market.yes, market.no], ...historyRange }),
    fields: { markets: kinds.marketKeys, ...history },
    required: ['markets'],
  }),
];

const markets = [
  row('GET', '/markets?next_cursor=MA==', 'none', page),
  row('GET', '/simplified-markets', 'none', page),
  row('GET', '/sampling-markets', 'none', page),
  row('GET', '/sampling-simplified-markets', 'none', page),
  row('GET', ofCondition('/markets'), 'none', { part: kinds.marketOrId }),
  row('GET', ofCondition('/clob-markets'), 'none', { part: kinds.market }),
  row('GET', ({ market }) => `/markets-by-token/${market.yes}`, 'none', { part: kinds.token }),
  row('GET', ofCondition('/markets/live-activity'), 'none', { part: kinds.market }),
  row('POST', '/markets/live-activity', 'none', {
    body: ({ market }) => [market.conditionId],
    items: kinds.market,
  }),
];

const documentation = [
  row('GET', '/openapi.json', 'none'),
  row('GET', '/docs', 'none'),
  row('GET', '/docs/', 'none'),
  row('GET', '/docs/start.js', 'none', { part: kinds.fileName }),
];

export const endpointCases: readonly EndpointCase[] = [
  ...health,
  ...keys,
  ...trading,
  ...userData,
  ...rewards,
  ...positions,
  ...marketData,
  ...markets,
  ...historyCases,
  ...catalogCases,
  ...operatorCases,
  ...importCases,
  ...documentation,
];

/** The level at which a case's request is sent: `l1` endpoints without credentials. */
export function levelOf(endpoint: EndpointCase): Level {
  return endpoint.level === 'l1' ? 'none' : endpoint.level;
}

/** The cases that take a body. */
export const bodyCases = endpointCases.filter(
  (endpoint): endpoint is EndpointCase & Required<Pick<EndpointCase, 'body'>> => endpoint.body !== undefined,
);

/** The name of a case in a test's title. */
export const titleOf = ({ method, path }: EndpointCase): string => {
  const market = { conditionId: '{id}', yes: '{token}', no: '{token}' };
  const shown = { market, orderId: '{id}', wallet: { address: '{address}' }, readonlyKey: '{key}' };
  return `${method} ${path(shown as Target).split('?')[0]}`; // paths read nothing else
};
