// The schemas of everything that is sent on the streams: /asyncapi.json prints them, and the tests validate every frame against
// them. They are never applied to messages at run time.
import { z } from 'zod';
import { LISTED_TRADES_MAX } from '../wire/trades.ts';

const digits = z.string().regex(/^[0-9]+$/);
const decimal = z.string().regex(/^[0-9]+(\.[0-9]+)?$/);
const hash = z.string().regex(/^[0-9a-f]{40}$/);
const conditionId = z.string().regex(/^0x[0-9a-f]{64}$/);
const side = z.enum(['BUY', 'SELL']);
const level = z.object({ price: decimal, size: decimal });

const envelope = {
  stream_id: z.string().describe('Id of the stream; a resume point names it.'),
  sequence: z
    .int()
    .describe(
      'Sequence number within the stream: one more than that of the previous message, unless stated otherwise.',
    ),
  server_ts_ms: z.int().describe('Time of the command that caused the message, in Unix milliseconds.'),
};
const ofToken = { asset_id: digits, market: conditionId };
const timestamp = digits.describe('Unix milliseconds.');
const seconds = digits.describe('Unix seconds.');

const bookSchema = z
  .object({
    event_type: z.literal('book'),
    ...envelope,
    ...ofToken,
    timestamp,
    hash,
    bids: z.array(level).describe('Price levels, best last.'),
    asks: z.array(level).describe('Price levels, best last.'),
    min_order_size: decimal,
    tick_size: decimal,
    neg_risk: z.boolean(),
    last_trade_price: z.union([decimal, z.literal('')]),
  })
  .describe(
    'A full order book. A snapshot, which comes in an array, repeats the current sequence of the stream; a book sent after a trade has its own.',
  );

const priceChangeSchema = z.object({
  event_type: z.literal('price_change'),
  ...envelope,
  market: conditionId,
  price_changes: z
    .array(
      z.object({
        asset_id: digits,
        price: decimal,
        size: decimal.describe('New total size of the price level; 0 means that the level is empty.'),
        side,
        hash: hash.describe('Hash of the token’s book after the whole message.'),
        best_bid: decimal,
        best_ask: decimal,
      }),
    )
    .describe('Two entries per price level, one for each token.'),
  timestamp,
});

const lastTradePriceSchema = z.object({
  event_type: z.literal('last_trade_price'),
  ...envelope,
  ...ofToken,
  price: decimal,
  size: decimal,
  fee_rate_bps: decimal,
  side: side.describe('Side of the taker, from the perspective of this token.'),
  timestamp,
  transaction_hash: conditionId,
});

const tickSizeChangeSchema = z.object({
  event_type: z.literal('tick_size_change'),
  ...envelope,
  ...ofToken,
  old_tick_size: decimal,
  new_tick_size: decimal,
  timestamp,
});

const bestBidAskSchema = z.object({
  event_type: z.literal('best_bid_ask'),
  ...envelope,
  ...ofToken,
  best_bid: decimal,
  best_ask: decimal,
  spread: decimal,
  timestamp,
});

const life = {
  id: digits,
  question: z.string(),
  market: conditionId,
  slug: z.string(),
  description: z.string(),
  assets_ids: z.array(digits),
  outcomes: z.array(z.string()),
  event_message: z.object({
    id: z.string(),
    ticker: z.string(),
    slug: z.string(),
    title: z.string(),
    description: z.string(),
  }),
  timestamp,
  tags: z.array(z.string()),
};

const newMarketSchema = z.object({
  event_type: z.literal('new_market'),
  ...envelope,
  ...life,
  condition_id: conditionId,
  active: z.boolean(),
  clob_token_ids: z.array(digits),
  order_price_min_tick_size: decimal,
  group_item_title: z.string(),
  sports_market_type: z.string(),
  line: z.string(),
  game_start_time: z.string(),
  taker_base_fee: digits.describe(
    'The cap of the fee in basis points, 0 without a fee; the charge is in fee_schedule.',
  ),
  fees_enabled: z.boolean(),
  fee_schedule: z.object({ exponent: decimal, rate: decimal, taker_only: z.boolean(), rebate_rate: decimal }),
});

const marketResolvedSchema = z.object({
  event_type: z.literal('market_resolved'),
  ...envelope,
  ...life,
  winning_asset_id: digits.describe('0 if each token paid half a unit.'),
  winning_outcome: z.string().describe('Empty if each token paid half a unit.'),
});

const uuid = z.string().regex(/^[0-9a-f-]{36}$/);

const orderSchema = z.object({
  event_type: z.literal('order'),
  ...envelope,
  id: conditionId,
  owner: uuid,
  ...ofToken,
  side,
  order_owner: uuid,
  original_size: decimal,
  size_matched: decimal,
  price: decimal,
  associate_trades: z.array(uuid).max(LISTED_TRADES_MAX).describe('Its newest trades, oldest first.'),
  outcome: z.string(),
  type: z.enum(['PLACEMENT', 'UPDATE', 'CANCELLATION']),
  created_at: seconds,
  expiration: digits.describe('Unix seconds; 0 if the order does not expire.'),
  order_type: z.enum(['GTC', 'GTD', 'FOK', 'FAK']),
  status: z.enum(['LIVE', 'MATCHED', 'DELAYED', 'UNMATCHED', 'CANCELED']),
  maker_address: z.string(),
  timestamp,
});

const tradeSchema = z.object({
  event_type: z.literal('trade'),
  ...envelope,
  type: z.literal('TRADE'),
  id: uuid,
  taker_order_id: conditionId,
  ...ofToken,
  side,
  size: decimal,
  fee_rate_bps: decimal,
  price: decimal,
  status: z.enum(['MATCHED', 'MINED', 'CONFIRMED']),
  match_time: seconds,
  matchtime: seconds,
  last_update: seconds,
  outcome: z.string(),
  owner: uuid,
  trade_owner: uuid,
  maker_address: z.string(),
  transaction_hash: conditionId,
  bucket_index: z.int(),
  maker_orders: z.array(
    z.object({
      order_id: conditionId,
      owner: uuid,
      maker_address: z.string(),
      matched_amount: decimal,
      price: decimal,
      fee_rate_bps: decimal,
      asset_id: digits,
      outcome: z.string(),
      outcome_index: z.int(),
      side,
    }),
  ),
  trader_side: z.enum(['TAKER', 'MAKER']),
  timestamp,
});

const heartbeatSchema = z
  .object({ event_type: z.literal('heartbeat'), ...envelope })
  .describe(
    'The current sequence of a stream. Sent after a subscription without an initial dump, and on idle streams, to sockets that have sent resume or heartbeat. It does not take a sequence number of its own.',
  );

const gapSchema = z
  .object({
    event_type: z.literal('gap'),
    ...envelope,
    missed_from: z.int().describe('The first missing sequence number.'),
    reason: z.string(),
  })
  .describe(
    'Some messages are not available. The stream continues after sequence. A gap in a market stream is followed by books.',
  );

const errorSchema = z.object({ event_type: z.literal('error'), error: z.string() });

/** The messages of each channel, by event type. */
export const marketEventSchemas = {
  book: bookSchema,
  price_change: priceChangeSchema,
  last_trade_price: lastTradePriceSchema,
  tick_size_change: tickSizeChangeSchema,
  best_bid_ask: bestBidAskSchema,
  new_market: newMarketSchema,
  market_resolved: marketResolvedSchema,
} as const;
export const userEventSchemas = { order: orderSchema, trade: tradeSchema } as const;
export const controlSchemas = { heartbeat: heartbeatSchema, gap: gapSchema, error: errorSchema } as const;

const resumePoint = z.object({ stream_id: z.string(), sequence: z.int().min(0) });
const resume = z
  .union([resumePoint, z.array(resumePoint)])
  .optional()
  .describe('The last message that the client received on each stream; later messages are replayed first.');
const heartbeat = z
  .boolean()
  .optional()
  .describe(
    'Whether the client wants heartbeat messages. Default false; true, like a resume (or an empty list of them), applies to the whole socket from then on.',
  );
const operation = z.enum(['subscribe', 'unsubscribe']).optional();
const typeOf = (channel: string) =>
  z
    .enum([channel, 'subscribe', 'unsubscribe'])
    .optional()
    .describe('The channel, or the operation, as some clients send it; the path then names the channel.');

export const marketRequestSchema = z.object({
  type: typeOf('market'),
  operation,
  assets_ids: z.array(z.string()).optional().describe('Token ids. Subscriptions are cumulative.'),
  custom_feature_enabled: z.boolean().optional().describe('Applies to the whole socket. Default false.'),
  initial_dump: z.boolean().optional().describe('Whether books are sent first. Default true.'),
  level: z.int().optional().describe('Accepted and ignored: books always contain all levels.'),
  markets: z.array(z.string()).optional().describe('Accepted and ignored.'),
  resume,
  heartbeat,
});

export const userRequestSchema = z.object({
  type: typeOf('user'),
  operation,
  auth: z
    .object({
      apiKey: z.string().optional().describe('Either apiKey or apikey is required.'),
      apikey: z.string().optional(),
      secret: z.string(),
      passphrase: z.string(),
    })
    .optional()
    .describe('Required in the first message.'),
  markets: z.array(z.string()).optional().describe('Condition ids; all markets if empty or omitted.'),
  assets_ids: z.array(z.string()).optional().describe('Accepted and ignored.'),
  initial_dump: z.boolean().optional().describe('Accepted and ignored.'),
  resume,
  heartbeat,
});
