// Every endpoint that is sent bad input, once: its method, a path that is right, who may call it, and a body that is
// right. Read by the tests of this folder, which spoil one thing at a time. The bodies are made anew for each use, since
// an order is taken once.
import type { Level, Target } from './harness.ts';

export interface EndpointCase {
  readonly method: 'GET' | 'POST' | 'DELETE' | 'PATCH';
  /** Path with its query, right in every part. */
  readonly path: (target: Target) => string;
  /** `l1` endpoints are signed by a wallet; development's are for anybody. */
  readonly level: Level | 'l1';
  /** A right body; absent where none is taken. */
  readonly body?: (target: Target) => unknown;
  /** Whether no body at all is right too. */
  readonly isBodyOptional?: boolean;
}

const row = (
  method: EndpointCase['method'],
  path: string | EndpointCase['path'],
  level: EndpointCase['level'],
  more: Pick<EndpointCase, 'body' | 'isBodyOptional'> = {},
): EndpointCase => ({ method, path: typeof path === 'string' ? () => path : path, level, ...more });

const token =
  (path: string): EndpointCase['path'] =>
  ({ market }) =>
    `${path}${path.includes('?') ? '&' : '?'}token_id=${market.yes}`;
const list = { body: ({ market }: Target) => [{ token_id: market.yes }, { token_id: market.no }] };
const sets = { body: ({ market }: Target) => ({ condition_id: market.conditionId, amount: '1' }) };
const cash = { body: ({ wallet }: Target) => ({ address: wallet.address, amount: '1.5' }) };

let made = 0;
/** A slug that nobody has yet. */
const slug = (): string => {
  made += 1;
  return `made-${made}`;
};

export const endpointCases: readonly EndpointCase[] = [
  row('GET', '/', 'none'),
  row('GET', '/ok', 'none'),
  row('GET', '/time', 'none'),
  row('GET', '/version', 'none'),
  row('POST', '/auth/api-key', 'l1'),
  row('DELETE', '/auth/api-key', 'l2'),
  row('GET', '/auth/derive-api-key', 'l1'),
  row('GET', '/auth/api-keys', 'l2'),
  row('POST', '/order', 'l2', { body: (target) => target.orderBody() }),
  row('DELETE', '/order', 'l2', { body: ({ orderId }) => ({ orderID: orderId }) }),
  row('POST', '/orders', 'l2', { body: (target) => [target.orderBody(), target.orderBody()] }),
  row('DELETE', '/orders', 'l2', { body: ({ orderId }) => [orderId] }),
  row('DELETE', '/cancel-all', 'l2', {}),
  row('DELETE', '/cancel-market-orders', 'l2', {
    body: ({ market }) => ({ market: market.conditionId, asset_id: market.yes }),
    isBodyOptional: true,
  }),
  row('GET', ({ orderId }) => `/data/order/${orderId}`, 'l2'),
  row('GET', '/data/orders?next_cursor=MA==', 'l2'),
  row('GET', '/data/trades?next_cursor=MA==', 'l2'),
  row('GET', token('/book'), 'none'),
  row('GET', ({ market }) => `/books?token_ids=${market.yes},${market.no}`, 'none'),
  row('POST', '/books', 'none', list),
  row('GET', token('/price?side=BUY'), 'none'),
  row('GET', ({ market }) => `/prices?token_ids=${market.yes}&sides=SELL`, 'none'),
  row('POST', '/prices', 'none', list),
  row('GET', token('/midpoint'), 'none'),
  row('GET', ({ market }) => `/midpoints?token_ids=${market.yes}`, 'none'),
  row('POST', '/midpoints', 'none', list),
  row('GET', token('/spread'), 'none'),
  row('GET', ({ market }) => `/spreads?token_ids=${market.yes}`, 'none'),
  row('POST', '/spreads', 'none', list),
  row('GET', token('/last-trade-price'), 'none'),
  row('GET', ({ market }) => `/last-trades-prices?token_ids=${market.yes}`, 'none'),
  row('POST', '/last-trades-prices', 'none', list),
  row('GET', token('/tick-size'), 'none'),
  row('GET', token('/neg-risk'), 'none'),
  row('GET', token('/fee-rate'), 'none'),
  row('GET', '/markets?next_cursor=MA==', 'none'),
  row('GET', ({ market }) => `/markets/${market.conditionId}`, 'none'),
  row('GET', ({ market }) => `/clob-markets/${market.conditionId}`, 'none'),
  row('GET', ({ market }) => `/markets-by-token/${market.yes}`, 'none'),
  row('GET', '/balance-allowance?asset_type=COLLATERAL&signature_type=0', 'l2'),
  row('GET', '/balance-allowance/update?asset_type=COLLATERAL&signature_type=0', 'l2'),
  row('POST', '/split', 'l2', sets),
  row('POST', '/merge', 'l2', sets),
  row('POST', '/redeem', 'l2', { body: ({ market }) => ({ condition_id: market.conditionId }) }),
  row('POST', '/dev/faucet', 'none', { body: ({ wallet }) => ({ address: wallet.address, collateral: '1' }) }),
  row('POST', '/admin/events', 'admin', { body: () => ({ title: 'An event', slug: slug() }) }),
  row('POST', '/admin/markets', 'admin', { body: () => ({ question: 'Is it so?', slug: slug() }) }),
  row('PATCH', ({ market }) => `/admin/markets/${market.conditionId}`, 'admin', {
    body: () => ({ description: 'Another text.' }),
  }),
  row('POST', ({ market }) => `/admin/markets/${market.conditionId}/resolve`, 'admin', {
    body: () => ({ outcome: 'Yes' }),
  }),
  row('POST', '/admin/deposits', 'admin', cash),
  row('POST', '/admin/withdrawals', 'admin', cash),
];

/** Sends a case's request with its method and path, and with a body of the test's in place of its own. */
export function levelOf(endpoint: EndpointCase): Level {
  return endpoint.level === 'l1' ? 'none' : endpoint.level;
}

/** The cases that take a body. */
export const bodyCases = endpointCases.filter(
  (endpoint): endpoint is EndpointCase & Required<Pick<EndpointCase, 'body'>> => endpoint.body !== undefined,
);

/** How a case is named in a test's title. */
export const titleOf = ({ method, path }: EndpointCase): string => {
  const shown = { market: { conditionId: '{id}', yes: '{token}', no: '{token}' }, orderId: '{id}' };
  return `${method} ${path(shown as Target).split('?')[0]}`; // paths read nothing else
};
