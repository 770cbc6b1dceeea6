// Builders: their API keys, the trades under their codes and their fees (wire.md A.2, C.3 and C.5, interface.md 4.5). Thin:
// keys are keys of the log, trades come from the view. A key's code is its owner's address, so it outlives the key.

import { ApiKeyKind } from '../../engine/index.ts';
import { isBytes32 } from '../auth/hex.ts';
import type { Context, Endpoint, Handler, ReplySteps } from '../http/endpoint.ts';
import { httpLimits } from '../http/limits.ts';
import { textsReply } from '../http/rowsReply.ts';
import { countBefore } from '../lib/countBefore.ts';
import type { ApiKeyRow, BuilderFill, Views } from '../views/index.ts';
import { BadRequest } from '../wire/badRequest.ts';
import {
  type BuilderFilter,
  builderCodeOf,
  builderFillMatches,
  builderTradeRow,
  NO_BUILDER_FEES,
  readBuilderFilter,
} from '../wire/builders.ts';
import { listTexts } from '../wire/longTexts.ts';
import { isoTime } from '../wire/numbers.ts';
import { isTooNew, isTooOld, tradeOfId } from '../wire/ownRecords.ts';
import { type Cursor, findPage, newestFirst, pageJson, parseCursor, search } from '../wire/pages.ts';
import * as schemas from '../wire/schemas/account.ts';
import { plainTradeRow } from '../wire/trades.ts';
import { deleteKeys, keysReply, makeOwnedKey } from './ownedKeys.ts';

const PAGE_ROWS = 300;

const createKey: Handler = async (_request, context) => {
  const { apiKey: key, secret, passphrase } = await makeOwnedKey(context, ApiKeyKind.BUILDER);
  const builderCode = builderCodeOf(context.caller().owner);
  return { body: JSON.stringify({ key, secret, passphrase, builderCode }) };
};

/** Includes revoked keys, with the time of revocation. */
const listKeys: Handler = (_request, { services, caller }) => {
  const keys = services.views.keys.allOf(caller().owner);
  return keysReply(services, keys, { kind: ApiKeyKind.BUILDER, rowOf: builderKeyRow, frame: ['[', ']'] });
};

function builderKeyRow({ apiKey, createdMs, deletedMs }: ApiKeyRow): string {
  const revoked = deletedMs !== undefined && { revokedAt: isoTime(deletedMs) };
  return JSON.stringify({ key: apiKey, createdAt: isoTime(createdMs), ...revoked });
}

/** A builder key revokes itself; an API key names no builder key, so it revokes all of the caller's. */
const revokeKeys: Handler = async (_request, { services, caller }) => {
  const { owner, apiKey } = caller();
  const { keys } = services.views;
  const own = keys.byApiKey(apiKey);
  const isBuilder = own?.kind === ApiKeyKind.BUILDER;
  const count = await deleteKeys(services, isBuilder ? [own] : keys.activeOf(owner, ApiKeyKind.BUILDER));
  if (count === 0) throw new BadRequest('builder key not found', { status: 404 });
  return { body: '"OK"' };
};

const ordinalOf = ({ ordinal }: BuilderFill): number => ordinal;

/** The ordinals of fills past the cursor that may match the filter, newest first. */
function* ordinalsOf(code: string, filter: BuilderFilter, cursor: Cursor, { builders, trades }: Views) {
  if (filter.id === undefined) {
    const isNotTooNew = (index: number): boolean => !isTooNew(filter, builders.fillOf(code, index + 1).trade);
    return yield* newestFirst(countBefore(builders.countOf(code), isNotTooNew), (index) => index + 1, cursor);
  }
  const trade = tradeOfId(filter.id, trades);
  if (trade === undefined) return;
  const before = builders.countUpTo(code, trade.ordinal - 1);
  for (let ordinal = builders.countUpTo(code, trade.ordinal); ordinal > before; ordinal -= 1) yield ordinal;
}

function* candidates(code: string, filter: BuilderFilter, cursor: Cursor, views: Views): Generator<BuilderFill> {
  for (const ordinal of ordinalsOf(code, filter, cursor, views)) {
    const fill = views.builders.fillOf(code, ordinal);
    if (isTooOld(filter, fill.trade)) return;
    yield fill;
  }
}

/** The fills under a code that match the filter and are past the cursor, newest first, with pauses (undefined). */
function fillsOf(code: string, filter: BuilderFilter, cursor: Cursor, views: Views): Iterable<BuilderFill | undefined> {
  return search(candidates(code, filter, cursor, views), (fill) =>
    builderFillMatches(filter, fill, views.markets.of(fill.trade)),
  );
}

/** One fill for each trade: of its fills, which are adjacent, the oldest, which is the taker's if that carries the code. */
function* oncePerTrade(fills: Iterable<BuilderFill | undefined>): Generator<BuilderFill | undefined> {
  let latest: BuilderFill | undefined;
  for (const fill of fills) {
    if (fill === undefined) yield fill;
    else {
      if (latest !== undefined && latest.trade.ordinal !== fill.trade.ordinal) yield latest;
      latest = fill;
    }
  }
  if (latest !== undefined) yield latest;
}

/** The caller's own code. @throws BadRequest without a caller, or if it has no builder key */
function ownCode({ services: { views }, caller, hasCaller }: Context): string {
  const owner = hasCaller ? caller().owner : undefined;
  if (owner === undefined || views.keys.activeOf(owner, ApiKeyKind.BUILDER).length === 0) {
    throw new BadRequest('missing_field: builder_code');
  }
  return builderCodeOf(owner);
}

/** A page as official clients read it. */
function* fillsPage(fills: Iterable<BuilderFill | undefined>, cursor: Cursor, views: Views): ReplySteps {
  const { rows, nextCursor } = yield* findPage(fills, ordinalOf, true, cursor, PAGE_ROWS);
  const items = rows.map((fill) => builderTradeRow(fill, views.markets.of(fill.trade)));
  return { body: pageJson(items, nextCursor, PAGE_ROWS) };
}

/** A plain list has no field for the next cursor: its caller pages by the number of trades it has, so the rows are trades. */
function* tradeList(fills: Iterable<BuilderFill | undefined>, cursor: Cursor, views: Views): ReplySteps {
  const { rows } = yield* findPage(oncePerTrade(fills), ordinalOf, true, cursor, PAGE_ROWS);
  const textsOf = ({ trade, maker }: BuilderFill) =>
    plainTradeRow(trade, views.markets.of(trade), (maker?.order ?? trade.taker).owner);
  return yield* textsReply(listTexts(rows, textsOf));
}

/** With a code, a page; without one, the trades of the caller's own code as a list. */
const trades: Handler = (request, context) => {
  const { views } = context.services;
  const filter = readBuilderFilter(request.query);
  const cursor = parseCursor(request.query.get('next_cursor'));
  const fills = fillsOf(filter.code ?? ownCode(context), filter, cursor, views);
  return filter.code === undefined ? tradeList(fills, cursor, views) : fillsPage(fills, cursor, views);
};

const fees: Handler = ({ params }) => {
  if (!isBytes32(params.code)) throw new BadRequest('Invalid builder code: a code is 0x and 64 hex digits');
  return { body: NO_BUILDER_FEES };
};

const keyRow = { path: '/auth/builder-api-key', throttle: 'general', section: 'A.2' } as const;

export const builderEndpoints: readonly Endpoint[] = [
  {
    ...keyRow,
    throttle: 'keys',
    method: 'POST',
    auth: 'l2',
    summary: `Creates a builder key for the caller, who may have ${httpLimits.ownedKeysMax} active ones.`,
    schema: schemas.createBuilderKey,
    handler: createKey,
  },
  {
    ...keyRow,
    method: 'GET',
    auth: 'l2',
    summary: 'The builder keys of the caller.',
    schema: schemas.listBuilderKeys,
    handler: listKeys,
  },
  {
    ...keyRow,
    method: 'DELETE',
    auth: 'l2-or-builder',
    summary: 'Revokes the builder keys of the caller; a builder key revokes itself.',
    schema: schemas.revokeBuilderKeys,
    handler: revokeKeys,
  },
  {
    method: 'GET',
    path: '/builder/trades',
    auth: 'builder',
    throttle: 'general',
    section: 'interface 4.5, wire C.5',
    summary: 'Trades attributed to a builder code, newest first.',
    schema: schemas.builderTrades,
    handler: trades,
  },
  {
    method: 'GET',
    path: '/fees/builder-fees/{code}',
    auth: 'none',
    throttle: 'general',
    section: 'wire C.3',
    summary: 'Fees of a builder code: none.',
    schema: schemas.builderFees,
    handler: fees,
  },
];
