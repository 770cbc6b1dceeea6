// The sentence and status of every rejection: figures in readable units, literal texts where official clients compare them,
// and a retry time wherever the exchange itself is closed (wire.md B.9).
import { expect, test } from 'vitest';
import { OrderType, type RejectionName, rejections, Side, StorageUnavailable } from '../../engine/index.ts';
import { outageRefusal, type RejectionContext, rejectionReply } from '../../server/wire/rejections.ts';

// Keys of the table, widened by Object.keys.
const names = Object.keys(rejections) as RejectionName[];
const ID = `0x${'ab'.repeat(32)}`;

test('every rejection has a message and status 400, 401 or 404; EXCHANGE_* has 425 or 503 and Retry-After', () => {
  for (const name of names) {
    const { status, text, headers, extra } = rejectionReply(name, 1, 2, 3, { orderId: ID, address: '0xme' });
    const isClosed = status === 425 || status === 503;
    expect([400, 401, 404, 425, 503], name).toContain(status);
    expect(isClosed, name).toBe(name.startsWith('EXCHANGE_'));
    expect(headers?.['Retry-After'] !== undefined, name).toBe(isClosed);
    expect(text, name).toMatch(/^[^!]{10,}$/);
    expect(text, name).not.toMatch(/undefined|NaN|null/);
    expect(Object.keys(extra ?? {}), name).not.toContain('error');
  }
});

const context = { orderId: ID, address: '0xme', side: Side.BUY, orderType: OrderType.GTC };
const sentences: readonly (readonly [RejectionName, readonly number[], string, RejectionContext?])[] = [
  ['PRICE_OFF_TICK', [405_000, 100], `order ${ID} is invalid. Price (0.405) breaks minimum tick size rule: 0.01`],
  ['SIZE_BELOW_MINIMUM', [450, 500], `order ${ID} is invalid. Size (4.5) lower than the minimum: 5`],
  ['SIZE_TOO_LARGE', [2e9, 1e9], `order ${ID} is invalid. Size (20000000) higher than the maximum: 10000000`],
  ['DUPLICATE', [], `order ${ID} is invalid. Duplicated.`],
  [
    'TIMESTAMP_OUT_OF_RANGE',
    [5, 10, 20],
    `order ${ID} is invalid. Timestamp out of range: 5; it must be from 10 to 20`,
  ],
  [
    'MARKETABLE_BUY_BELOW_MINIMUM',
    [940_000, 1_000_000],
    'invalid amount for a marketable BUY order ($0.94), min size: $1',
  ],
  [
    'FUNDS',
    [1_000_000, 250_000, 800_000],
    'not enough balance / allowance: the balance is not enough -> balance: 1000000, sum of active orders: 250000, ' +
      'order amount (inc. fees): 800000',
  ],
  [
    'AMOUNT_ACCURACY',
    [5_000_001, 10_000_000, 100],
    'invalid amounts, the buy orders maker amount supports a max accuracy of 4 decimals, taker amount a max of 2 ' +
      'decimals: got makerAmount 5.000001 and takerAmount 10',
  ],
  [
    'AMOUNT_ACCURACY',
    [10_000_001, 5_000_000, 10],
    'invalid amounts, the sell orders maker amount supports a max accuracy of 2 decimals, taker amount a max of 5 ' +
      'decimals: got makerAmount 10.000001 and takerAmount 5',
    { ...context, side: Side.SELL },
  ],
  [
    'AMOUNT_ACCURACY',
    [10_000_001, 5_000_000, 10],
    'invalid amounts, the market sell orders maker amount supports a max accuracy of 2 decimals, taker amount a max ' +
      'of 5 decimals: got makerAmount 10.000001 and takerAmount 5',
    { ...context, side: Side.SELL, orderType: OrderType.FAK },
  ],
  [
    'AMOUNT_ACCURACY',
    [5_001_000, 10_000_000, 100],
    'invalid amounts, the market buy orders maker amount supports a max accuracy of 2 decimals, taker amount a max ' +
      'of 4 decimals: got makerAmount 5.001 and takerAmount 10',
    { ...context, side: Side.BUY, orderType: OrderType.FOK },
  ],
  [
    'AMOUNT_ACCURACY',
    [19_690_000, 4_330_000, 100],
    "invalid amounts, the taker amount for a $0.22 order of size 19.69 should be '4.3318' but the value submited is '4.33'",
    { ...context, side: Side.SELL },
  ],
  [
    'AMOUNT_ACCURACY',
    [5_123_400, 10_000_000, 100],
    "invalid amounts, the maker amount for a $0.51 order of size 10 should be '5.1' but the value submited is '5.1234'",
  ],
  [
    'AMOUNT_ACCURACY',
    [2_500_100, 1_000_000, 100],
    `order ${ID} is invalid. Price (2.5001) breaks minimum tick size rule: 0.01`,
  ],
  ['EXPIRATION_INVALID', [5, 65], 'invalid expiration: 5; it must be at least 65 (60 seconds from now)'],
  ['EXPIRATION_INVALID', [5, 0], 'invalid expiration: 5; it must be "0" unless orderType is GTD'],
  ['BANNED', [], "'0xme' address banned"],
  ['CLOSED_ONLY', [], "'0xme' address in closed only mode"],
  ['POST_ONLY_CROSSES', [4100], 'invalid post-only order: order crosses book'],
  ['MARKET_NOT_OPEN', [2], 'the market is not yet ready to process new orders'],
  ['MARKET_NOT_OPEN', [3], 'the orderbook 12 does not exist', { tokenId: '12' }],
  ['MARKET_NOT_OPEN', [4], 'the orderbook 12 does not exist', { tokenId: '12' }],
  ['FOK_NOT_FILLED', [100], "order couldn't be fully filled. FOK orders are fully filled or killed."],
];

test('rejection messages contain the figures in shares, prices and dollars', () => {
  for (const [name, [a = 0, b = 0, c = 0], text, given = context] of sentences) {
    expect(rejectionReply(name, a, b, c, given).text, name).toBe(text);
  }
});

test('a command whose outcome is unknown may be sent again only if it is an order', () => {
  const { status, text, extra } = outageRefusal(new StorageUnavailable('the disk hangs', true)) ?? {};
  expect([status, extra?.code]).toEqual([503, 'outcome_unknown']);
  expect(text).toMatch(
    /An order can be sent again: .* Anything else may count twice: ask for it first\. .*the disk hangs$/,
  );
});

test('details that a fixed message omits are in extra fields of the reply', () => {
  expect(rejectionReply('FOK_NOT_FILLED', 150, 0, 0, context).extra).toEqual({ orderID: ID, available_size: '1.5' });
  expect(rejectionReply('FAK_NOT_MATCHED', 0, 0, 0, context).extra).toEqual({ orderID: ID });
  expect(rejectionReply('POST_ONLY_CROSSES', 4100).extra).toEqual({ best_price: '0.41' });
  expect(rejectionReply('MARKET_NOT_OPEN', 3).extra).toEqual({ market_status: 'closed' });
  const { extra, headers } = rejectionReply('EXCHANGE_POST_ONLY');
  expect(extra).toMatchObject({ code: 'post_only_mode', retry_after_seconds: Number(headers?.['Retry-After']) });
});
