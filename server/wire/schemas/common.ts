// Schemas that requests and replies share: ids, amounts, times, pages. Read by the other files of this folder, which the
// endpoint tables reference. A named schema (with an id) appears once in a document and is referenced from there.
import { z } from 'zod';
import { limits, TICK_SIZES_PIPS } from '../../../engine/index.ts';
import { SIGNATURE_TYPES } from '../../auth/orderDigest.ts';
import {
  EXAMPLE_ADDRESS,
  EXAMPLE_BYTES32,
  EXAMPLE_CHECKSUM_ADDRESS,
  EXAMPLE_TOKEN_ID,
  EXAMPLE_UUID,
} from '../examples.ts';
import { pipsNumber, pipsText } from '../numbers.ts';
import { orderTypeWords, sideWords, tradeStatusWords } from '../terms.ts';

/** A schema that appears once in the document, under its id. */
export const named = <Schema extends z.ZodType>(
  id: string,
  description: string,
  schema: Schema,
  example?: unknown,
): Schema => schema.meta({ id, description, ...(example !== undefined && { examples: [example] }) });

/** A text that may also be empty, for none. */
export const orEmpty = <Schema extends z.ZodType>(schema: Schema) => z.union([schema, z.literal('')]);

export const text = z.string();
export const flag = z.boolean();
export const whole = z
  .int()
  .min(0)
  .meta({ examples: [1] });

/** A whole number of any size, as digits. */
export const digits = z.string().regex(/^[0-9]+$/);
/** A whole number of at most 16 digits, as many as 2^53 has. */
export const wholeText = z.string().regex(/^[0-9]{1,16}$/);
/** A number without fixed bounds or decimal places. */
export const number = z.number().meta({ examples: [12.5] });

// Forms in replies: one form each. The wider forms that requests may use follow below.
export const bytes32 = named(
  'Bytes32',
  '32 bytes, as 0x followed by 64 lower-case hex digits',
  z.string().regex(/^0x[0-9a-f]{64}$/),
  EXAMPLE_BYTES32,
);
export const address = named(
  'Address',
  'An address in lower case',
  z.string().regex(/^0x[0-9a-f]{40}$/),
  EXAMPLE_ADDRESS,
);
export const checksumAddress = named(
  'ChecksumAddress',
  'An address with an EIP-55 checksum',
  z.string().regex(/^0x[0-9a-fA-F]{40}$/),
  EXAMPLE_CHECKSUM_ADDRESS,
);
export const tokenId = named(
  'TokenId',
  'The id of an outcome token, a decimal uint256',
  z.string().regex(/^[0-9]{1,78}$/),
  EXAMPLE_TOKEN_ID,
);
export const uuid = named(
  'Uuid',
  'A UUID',
  z.string().regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/),
  EXAMPLE_UUID,
);
export const decimal = named(
  'Decimal',
  'A decimal without superfluous zeros',
  z.string().regex(/^[0-9]+(\.[0-9]*[1-9])?$/),
  '0.55',
);
export const isoTime = named(
  'IsoTime',
  'An ISO 8601 date-time in UTC with milliseconds',
  z.string().regex(/^[0-9+-]{4,7}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{3}Z$/),
  '2030-01-31T12:00:00.000Z',
);
export const databaseTime = named(
  'DatabaseTime',
  'A UTC date and time to the second, the format of closedTime and gameStartTime of a market',
  z.string().regex(/^[0-9+-]{4,7}-[0-9]{2}-[0-9]{2} [0-9:]{8}\+00$/),
  '2030-01-31 12:00:00+00',
);
/** Twelve digits hold the seconds of every year up to 9999, but no current time in milliseconds. */
const SECONDS_MAX = 999_999_999_999;
export const secondsText = named(
  'SecondsText',
  'Unix seconds, as a string of digits',
  z.string().regex(/^[0-9]{1,12}$/),
  '1900000000',
);
export const millisecondsText = named(
  'MillisecondsText',
  'Unix milliseconds, as a string of digits',
  z.string().regex(/^[0-9]{1,15}$/),
  '1900000000000',
);
export const seconds = named('UnixSeconds', 'Unix seconds', z.int().min(0).max(SECONDS_MAX), 1_900_000_000);
export const milliseconds = named('UnixMilliseconds', 'Unix milliseconds', z.int().min(0), 1_900_000_000_000);
export const priceNumber = z
  .number()
  .min(0)
  .max(1)
  .meta({ examples: [0.55] });
export const tickNumber = z.literal(TICK_SIZES_PIPS.map(pipsNumber)).meta({ examples: [0.01] });
export const baseFee = named(
  'BaseFee',
  "The cap of a market's fees in basis points, 0 for a market without a fee; the charge is in fd or feeSchedule",
  z.literal([0, limits.feeRateMax]),
  limits.feeRateMax,
);
/** A date-time of a market's texts. Those of a seed catalog may have no milliseconds. */
export const operatorTime = z
  .string()
  .regex(/^[0-9+-]{4,7}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(\.[0-9]{3})?Z$/)
  .meta({ description: 'An ISO 8601 date-time in UTC, set by the operator', examples: ['2030-01-31T12:00:00.000Z'] });
export const tickText = named('TickSize', 'The tick size of a market', z.enum(TICK_SIZES_PIPS.map(pipsText)), '0.01');
export const signatureType = z.literal(SIGNATURE_TYPES);
export const tradeStatus = z.enum(tradeStatusWords);
/** Which side of a trade an order was on. */
export const tradeRole = z.enum(['TAKER', 'MAKER']);
export const side = named('Side', 'Whether shares are bought or sold', z.enum(sideWords));
export const orderType = named('OrderType', 'Time in force of an order', z.enum(orderTypeWords));

// Forms that requests may use.
export const givenBytes32 = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/)
  .meta({ examples: [EXAMPLE_BYTES32] });
export const givenAddress = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .meta({ examples: [EXAMPLE_ADDRESS] });
export const givenTokenId = z
  .string()
  .regex(/^[0-9]{1,78}$/)
  .meta({ examples: [EXAMPLE_TOKEN_ID] });
export const givenUuid = z
  .string()
  .regex(/^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/)
  .meta({ examples: [EXAMPLE_UUID] });
export const givenSeconds = z
  .int()
  .min(0)
  .meta({ description: 'Unix seconds', examples: [1_900_000_000] });
export const givenSide = z
  .string()
  .regex(/^([bB][uU][yY]|[sS][eE][lL][lL])$/)
  .meta({ description: 'BUY or SELL', examples: ['BUY'] });

export const cursorQuery = {
  next_cursor: text
    .regex(/^[A-Za-z0-9+/_-]*={0,2}$/)
    .optional()
    .meta({ description: 'next_cursor of the previous page; MA== or omitted for the first page' }),
};
/** The path parameter of one market. */
export const conditionPath = { condition_id: givenBytes32 };
export const signatureTypeQuery = {
  signature_type: signatureType.optional().meta({
    description: "Which of the caller's wallets: 0 the signing wallet itself, 1 proxy, 2 Safe, 3 deposit wallet",
  }),
};

/** A page of a list with cursors. */
export function pageOf<Row extends z.ZodType>(row: Row) {
  return z.object({
    data: z.array(row),
    next_cursor: text.meta({ description: 'Cursor of the next page; LTE= on the last page' }),
    limit: whole,
    count: whole,
  });
}

/** The reply of requests that have nothing else to report. */
export const okReply = z.literal('OK');

/** Any refusal: a sentence that says what is wrong, sometimes with figures beside it. */
export const refusal = named('Refusal', 'Why the request was refused', z.looseObject({ error: text }));

/** The maker rewards of a market. */
export const marketRewards = z.object({
  rates: z.array(z.object({ asset_address: checksumAddress, rewards_daily_rate: z.number() })),
  min_size: z.number(),
  max_spread: z.number(),
});
