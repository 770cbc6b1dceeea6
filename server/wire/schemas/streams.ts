// Schemas of everything that is sent on the streams (wire.md E), built from those of the replies that show the same things.
// Printed by docs/asyncApi.ts; the tests check every message against them. They are never applied to messages at run time.
import { z } from 'zod';
import { LISTED_TRADES_MAX } from '../orders.ts';
import { orderEntryKinds, orderEntryStatuses } from '../userEvents.ts';
import * as common from './common.ts';
import { book, detailFields } from './marketData.ts';
import { makerOrder, officialOrder, tradeFields } from './orders.ts';

const { bytes32, decimal, digits, flag, millisecondsText, secondsText, side } = common;
const { text, tickText, tokenId, tradeRole, uuid, whole } = common;

const envelope = {
  stream_id: text.describe('Id of the stream; a resume point names it.'),
  sequence: whole.describe(
    'Sequence number within the stream: one more than that of the previous message, unless stated otherwise.',
  ),
  server_ts_ms: common.milliseconds.describe('Time of the command that caused the message, in Unix milliseconds.'),
};
/** The envelope of what no command has caused. */
const ownEnvelope = {
  ...envelope,
  server_ts_ms: common.milliseconds.describe('Time when the message was sent, in Unix milliseconds.'),
};
const ofToken = { asset_id: tokenId, market: bytes32 };
const timestamp = millisecondsText;

const bookEvent = z
  .object({
    event_type: z.literal('book'),
    ...envelope,
    ...book.shape,
    server_ts_ms: common.milliseconds.describe(
      'Time of the command that caused the message or, of a snapshot, when it was sent, in Unix milliseconds.',
    ),
    timestamp,
  })
  .describe(
    'A full order book; the last price level of each side is the best. A snapshot, which comes in an array, repeats the current sequence of the stream; a book sent after a trade has its own.',
  );

const priceChange = z.object({
  event_type: z.literal('price_change'),
  ...envelope,
  market: bytes32,
  price_changes: z
    .array(
      z.object({
        asset_id: tokenId,
        price: decimal,
        size: decimal.describe('New total size of the price level; 0 means that the level is empty.'),
        side,
        hash: book.shape.hash.describe("Hash of the token's book after the whole message."),
        best_bid: decimal,
        best_ask: decimal,
      }),
    )
    .describe('Two entries per price level, one for each token.'),
  timestamp,
});

const lastTradePrice = z.object({
  event_type: z.literal('last_trade_price'),
  ...envelope,
  ...ofToken,
  price: decimal,
  size: decimal,
  fee_rate_bps: decimal,
  side: side.describe('Side of the taker, from the perspective of this token.'),
  timestamp,
  transaction_hash: bytes32,
});

const tickSizeChange = z.object({
  event_type: z.literal('tick_size_change'),
  ...envelope,
  ...ofToken,
  old_tick_size: tickText,
  new_tick_size: tickText,
  timestamp,
});

const bestBidAsk = z.object({
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
  question: text,
  market: bytes32,
  slug: text,
  description: text,
  assets_ids: detailFields.assets_ids,
  outcomes: detailFields.outcomes,
  event_message: detailFields.event,
  timestamp,
  tags: z.array(text),
};

const newMarket = z.object({
  event_type: z.literal('new_market'),
  ...envelope,
  ...life,
  condition_id: bytes32,
  active: flag,
  clob_token_ids: detailFields.assets_ids,
  order_price_min_tick_size: tickText,
  group_item_title: text,
  sports_market_type: text,
  line: text,
  game_start_time: text,
  taker_base_fee: digits.describe(
    'The cap of the fee in basis points, 0 without a fee; the charge is in fee_schedule.',
  ),
  fees_enabled: flag,
  fee_schedule: z.object({ exponent: decimal, rate: decimal, taker_only: flag, rebate_rate: decimal }),
});

const marketResolved = z.object({
  event_type: z.literal('market_resolved'),
  ...envelope,
  ...life,
  winning_asset_id: tokenId.describe('0 if each token paid half a unit.'),
  winning_outcome: text.describe('Empty if each token paid half a unit.'),
});

const orderEvent = z.object({
  event_type: z.literal('order'),
  ...envelope,
  ...officialOrder.shape,
  associate_trades: z.array(uuid).max(LISTED_TRADES_MAX).describe('Its newest trades, oldest first.'),
  created_at: secondsText,
  order_owner: uuid,
  status: z.enum(orderEntryStatuses),
  type: z.enum(orderEntryKinds),
  timestamp,
});

const tradeEvent = z.object({
  event_type: z.literal('trade'),
  ...envelope,
  ...tradeFields,
  type: z.literal('TRADE'),
  match_time: secondsText,
  matchtime: secondsText,
  last_update: secondsText,
  trade_owner: uuid,
  maker_orders: z.array(makerOrder.extend({ outcome_index: whole })),
  trader_side: tradeRole,
  timestamp,
});

const heartbeatMessage = z
  .object({ event_type: z.literal('heartbeat'), ...ownEnvelope })
  .describe(
    'The current sequence of a stream. Sent after a subscription without an initial dump, and on idle streams, to sockets that have sent resume or heartbeat. It does not take a sequence number of its own.',
  );

const gapMessage = z
  .object({
    event_type: z.literal('gap'),
    ...ownEnvelope,
    missed_from: whole.describe('The first missing sequence number.'),
    reason: text,
  })
  .describe(
    'Some messages are not available. The stream continues after sequence. A gap in a market stream is followed by books.',
  );

const errorMessage = z.object({ event_type: z.literal('error'), error: text });

/** The messages of each channel, by event type. */
export const marketEventSchemas = {
  book: bookEvent,
  price_change: priceChange,
  last_trade_price: lastTradePrice,
  tick_size_change: tickSizeChange,
  best_bid_ask: bestBidAsk,
  new_market: newMarket,
  market_resolved: marketResolved,
} as const;
export const userEventSchemas = { order: orderEvent, trade: tradeEvent } as const;
export const controlSchemas = { heartbeat: heartbeatMessage, gap: gapMessage, error: errorMessage } as const;

const resumePoint = z.object({ stream_id: text, sequence: whole });
const resume = z
  .union([resumePoint, z.array(resumePoint)])
  .optional()
  .describe('The last message that the client received on each stream; later messages are replayed first.');
const heartbeat = flag
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
  assets_ids: z.array(text).optional().describe('Token ids. Subscriptions are cumulative.'),
  custom_feature_enabled: flag.optional().describe('Applies to the whole socket. Default false.'),
  initial_dump: flag.optional().describe('Whether books are sent first. Default true.'),
  level: z.int().optional().describe('Accepted and ignored: books always contain all levels.'),
  markets: z.array(text).optional().describe('Accepted and ignored.'),
  resume,
  heartbeat,
});

export const userRequestSchema = z.object({
  type: typeOf('user'),
  operation,
  auth: z
    .object({
      apiKey: text.optional().describe('Either apiKey or apikey is required.'),
      apikey: text.optional(),
      secret: text,
      passphrase: text,
    })
    .optional()
    .describe('Required in the first message.'),
  markets: z.array(text).optional().describe('Condition ids; all markets if empty or omitted.'),
  assets_ids: z.array(text).optional().describe('Accepted and ignored.'),
  initial_dump: flag.optional().describe('Accepted and ignored.'),
  resume,
  heartbeat,
});
