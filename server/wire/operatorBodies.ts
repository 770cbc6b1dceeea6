// Schemas for the request bodies of operators, development and positions: each field once, with its limit and the unit it
// is parsed into. Called by their routes; the lines of imports reuse the same fields.
import { z } from 'zod';
import { limits, PIPS_PER_UNIT, TICK_SIZES_PIPS } from '../../engine/index.ts';
import { isUint256Decimal } from '../auth/uint256.ts';
import {
  addressField,
  amountField,
  booleanField,
  bytes32Field,
  decimalField,
  nameField,
  signatureTypeField,
  textField,
} from './bodies.ts';
import { EXAMPLE_ADDRESS, EXAMPLE_BYTES32, EXAMPLE_TOKEN_ID } from './examples.ts';
import { decimalUnits, parsePips, pipsText } from './numbers.ts';
import { exchangeModeWords, marketStatuses, wordsOf } from './terms.ts';

/** Most characters of a text. */
const TEXT_MAX = { title: 500, description: 50_000, short: 200, url: 2_000 } as const;
/** Most tags of an event. */
const TAGS_MAX = 50;
/** Most flags of a market. */
export const FLAGS_MAX = 32;

const SLUG = /^[a-z0-9][a-z0-9-]{0,199}$/;
export const slugField = z
  .string('must be a string')
  .regex(SLUG, 'must be 1 to 200 lower-case letters, digits and hyphens, not starting with a hyphen')
  .meta({ examples: ['rain-tomorrow'] });
/** The largest year that all date formats can write, in four digits; an offset can push a date past it. */
const YEAR_MAX = 9_999;
/** Long enough for nanoseconds and an offset: 2030-01-31T12:00:00.000000000+00:00. */
const DATE_CHARACTERS_MAX = 40;
const dateField = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 date-time, such as 2030-01-31T12:00:00Z' })
  .max(DATE_CHARACTERS_MAX, `must have at most ${DATE_CHARACTERS_MAX} characters`)
  .refine((text) => {
    const year = new Date(text).getUTCFullYear();
    return year >= 0 && year <= YEAR_MAX;
  }, `must be in the years 0000 to ${YEAR_MAX} in UTC`)
  .meta({ examples: ['2030-01-31T12:00:00Z'] });
/** Also accepts the format of catalog records: 2030-01-31 12:00:00+00. */
const gameTimeField = z.preprocess((given) => {
  return typeof given === 'string' ? given.replace(/^([0-9-]{10}) ([0-9:]{8})\+00$/, '$1T$2Z') : given;
}, dateField);
const tokenIdField = z
  .string('must be a decimal string')
  .refine((text) => isUint256Decimal(text), 'must be a decimal string below 2^256')
  .meta({ pattern: '^[0-9]{1,78}$', examples: [EXAMPLE_TOKEN_ID] })
  .transform((text) => (text.startsWith('0') ? BigInt(text).toString() : text));

const TICKS = TICK_SIZES_PIPS.map(pipsText).join(', ');
/** Ratios may also be JSON numbers: unlike amounts they are short, so a number prints as it was written. */
const tickField = z
  .union([z.string(), z.number()], `must be one of ${TICKS}`)
  .meta({ examples: ['0.01'] })
  .transform((value) => parsePips(String(value)) ?? 0)
  .refine((pips) => TICK_SIZES_PIPS.some((tick) => tick === pips), `must be one of ${TICKS}`);
const { feeRate } = decimalUnits;
const FEE_RATE_LIMIT = `must be a decimal with at most ${feeRate.places} decimal places, from 0 to ${feeRate.print(limits.feeRateMax)}`;
const feeRateField = z
  .union([z.string(), z.number()], FEE_RATE_LIMIT)
  .meta({ examples: ['0.02'] })
  .transform((value) => feeRate.parse(String(value)) ?? -1)
  .refine((rate) => rate >= 0 && rate <= limits.feeRateMax, FEE_RATE_LIMIT);
const minOrderField = decimalField(decimalUnits.lots, {
  min: 1,
  max: limits.orderLotsMax,
  example: '5',
});
const minMarketableField = decimalField(decimalUnits.micro, {
  min: 0,
  max: Number.MAX_SAFE_INTEGER,
  example: '1',
});
const priceField = decimalField(decimalUnits.pips, {
  min: 1,
  max: PIPS_PER_UNIT - 1,
  example: '0.55',
});
const { feeExponentMin, feeExponentMax } = limits;
const feeField = z.strictObject(
  {
    rate: feeRateField,
    exponent: z
      .int(`must be a whole number from ${feeExponentMin} to ${feeExponentMax}`)
      .min(feeExponentMin, `must be at least ${feeExponentMin}`)
      .max(feeExponentMax, `must be at most ${feeExponentMax}`),
  },
  'must be an object with rate and exponent',
);
const delayField = z
  .int('must be a whole number of seconds')
  .min(0, 'must be at least 0')
  .max(limits.delaySecondsMax, `must be at most ${limits.delaySecondsMax}`);
const rewardRateField = z.strictObject(
  {
    asset_address: addressField,
    rewards_daily_rate: z.number('must be a number').min(0, 'must be at least 0').max(1e12, 'must be at most 1e12'),
  },
  'must be an object with asset_address and rewards_daily_rate',
);
const rewardsField = z.strictObject(
  {
    rates: z.array(rewardRateField, 'must be a list').max(20, 'must have at most 20 entries').optional(),
    min_size: z.number('must be a number').min(0, 'must be at least 0').max(1e7, 'must be at most 10000000').optional(),
    max_spread: z.number('must be a number').min(0, 'must be at least 0').max(100, 'must be at most 100').optional(),
  },
  'must be an object with rates, min_size and max_spread',
);

/** One of the words of a set, parsed into its value. */
function wordField<Word extends string, Value extends number>(values: Readonly<Record<Word, Value>>, must: string) {
  return z.enum(wordsOf(values), must).transform((word): Value => values[word]);
}

const { draft, active, paused, closed } = marketStatuses;
/** Requests may say open for active. */
const creationStatuses = { draft, active, open: active, paused } as const;
const laterStatuses = { active, open: active, paused, closed } as const;

/** Texts that markets and events share. */
const sharedTexts = {
  description: textField(TEXT_MAX.description).optional(),
  image: textField(TEXT_MAX.url).optional(),
  icon: textField(TEXT_MAX.url).optional(),
  resolution_source: textField(TEXT_MAX.url).optional(),
  start_date: dateField.optional(),
  end_date: dateField.optional(),
};
/** The fields of a market that can be set at creation and changed later. */
const marketTerms = {
  tick_size: tickField.optional(),
  min_order_size: minOrderField.optional(),
  min_marketable_buy: minMarketableField.optional(),
  fee: feeField.optional(),
  seconds_delay: delayField.optional(),
  auto_tick: booleanField.optional(),
  rewards: rewardsField.optional(),
  group_item_title: textField(TEXT_MAX.short).optional(),
  game_start_time: gameTimeField.optional(),
  archived: booleanField.optional(),
  flags: z
    .record(
      z
        .string()
        .regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be a lower-case name of at most 64 letters, digits and underscores'),
      booleanField,
      'must be an object that maps names to true or false',
    )
    .refine((flags) => Object.keys(flags).length <= FLAGS_MAX, `must have at most ${FLAGS_MAX} entries`)
    .optional(),
  ...sharedTexts,
};

/** POST /admin/events */
export const eventBody = z
  .strictObject({
    title: nameField(TEXT_MAX.title),
    slug: slugField.optional(),
    ticker: textField(TEXT_MAX.short).optional(),
    tags: z
      .array(slugField, 'must be a list of slugs')
      .max(TAGS_MAX, `must have at most ${TAGS_MAX} entries`)
      .optional(),
    /** Labels of tags by slug; a tag keeps the first label that an event gave it. */
    tag_labels: z
      .record(slugField, nameField(TEXT_MAX.short), 'must be an object that maps slugs to strings')
      .refine((labels) => Object.keys(labels).length <= TAGS_MAX, `must have at most ${TAGS_MAX} entries`)
      .optional(),
    series: slugField.optional(),
    neg_risk: booleanField.optional(),
    creator: textField(TEXT_MAX.short).optional(),
    ...sharedTexts,
  })
  .meta({ examples: [{ title: 'Weather of tomorrow', slug: 'weather-tomorrow', tags: ['weather'] }] });

const outcomeField = nameField(TEXT_MAX.short);

/** POST /admin/markets */
export const marketBody = z
  .strictObject({
    question: nameField(TEXT_MAX.title),
    slug: slugField.optional(),
    /** Slug or number of an event. */
    event: textField(TEXT_MAX.short)
      .describe('Slug of its event, or its number; a line of an import gives the slug.')
      .optional(),
    outcomes: z
      .tuple([outcomeField, outcomeField], 'must be two strings')
      .refine(([first, second]) => first !== second, 'must be two different strings')
      .meta({ examples: [['Yes', 'No']] })
      .optional(),
    question_id: bytes32Field.optional(),
    condition_id: bytes32Field.optional(),
    token_ids: z.tuple([tokenIdField, tokenIdField], 'must be two decimal strings').optional(),
    oracle: addressField.optional(),
    neg_risk: booleanField.optional(),
    status: wordField(creationStatuses, 'must be draft, active or paused').optional(),
    last_price: priceField.optional(),
    ...marketTerms,
  })
  .meta({
    examples: [{ question: 'Will it rain tomorrow?', outcomes: ['Yes', 'No'], tick_size: '0.01', last_price: '0.55' }],
  });

/** PATCH /admin/markets/{condition_id} */
export const marketChangeBody = z
  .strictObject({
    status: wordField(
      laterStatuses,
      'must be active, paused or closed; resolving a market has its own path',
    ).optional(),
    question: nameField(TEXT_MAX.title).optional(),
    ...marketTerms,
  })
  .meta({ examples: [{ status: 'paused' }] });

/** The resolution of a market that ends half and half, where otherwise the winning outcome is named. */
export const HALVES = 'split';

/** POST /admin/markets/{condition_id}/resolve */
export const resolveBody = z
  .strictObject({ outcome: textField(TEXT_MAX.short) })
  .meta({ examples: [{ outcome: 'Yes' }] });

/** POST /admin/deposits and /admin/withdrawals. `owner` names the EOA behind a wallet that no request has used yet. */
export const cashBody = z
  .strictObject({ address: addressField, amount: amountField, owner: addressField.optional() })
  .meta({ examples: [{ address: EXAMPLE_ADDRESS, amount: '12.5' }] });

/** PATCH /admin/exchange */
export const exchangeBody = z
  .strictObject({
    mode: z.enum(exchangeModeWords, 'must be normal, post_only, cancel_only, disabled or restarting'),
  })
  .meta({ examples: [{ mode: 'normal' }] });

/** PATCH /admin/accounts/{address} */
export const accountBody = z
  .strictObject({
    banned: booleanField.optional(),
    closed_only: booleanField.optional(),
    bind: z
      .strictObject(
        {
          wallet: addressField,
          type: z.union([z.literal(1), z.literal(2), z.literal(3)], 'must be the number 1, 2 or 3'),
        },
        'must be an object with wallet and type',
      )
      .optional(),
  })
  .meta({ examples: [{ closed_only: true }] });

/** POST /dev/faucet */
export const faucetBody = z
  .strictObject({
    address: addressField,
    owner: addressField.optional(),
    collateral: amountField.optional(),
    token_id: tokenIdField.optional(),
    shares: amountField.optional(),
  })
  .meta({ examples: [{ address: EXAMPLE_ADDRESS, collateral: '100' }] });

/** Whose shares: the wallet that is named, or else that of the signature type. */
const ownWallet = {
  wallet: addressField.optional().meta({ description: "A wallet of the caller's. Default: that of signature_type" }),
  signature_type: signatureTypeField.optional(),
};

/** POST /split and /merge */
export const setsBody = z
  .strictObject({ condition_id: bytes32Field, amount: amountField, ...ownWallet })
  .meta({ examples: [{ condition_id: EXAMPLE_BYTES32, amount: '12.5' }] });

/** POST /redeem */
export const redeemBody = z
  .strictObject({ condition_id: bytes32Field, ...ownWallet })
  .meta({ examples: [{ condition_id: EXAMPLE_BYTES32 }] });

export type RedeemBody = z.output<typeof redeemBody>;
export type EventBody = z.output<typeof eventBody>;
export type MarketBody = z.output<typeof marketBody>;
export type MarketChangeBody = z.output<typeof marketChangeBody>;
