// Parses the token ids of market-data requests, from the query or a JSON list (wire.md C.2). Called by the routes of market
// data. It checks format and count only; the routes know which tokens exist.
import type { Side } from '../../engine/index.ts';
import { isUint256Decimal } from '../auth/uint256.ts';
import { isAbsent, isFields } from '../lib/jsonFields.ts';
import { BadRequest } from './badRequest.ts';
import { boundCount } from './bodies.ts';
import { sideOf } from './terms.ts';

/** Most tokens that one request may name. */
export const TOKENS_PER_REQUEST_MAX = 500;

/** A requested token, with a side if the request names one. */
export interface TokenQuery {
  readonly tokenId: string;
  readonly side: Side | undefined;
}

function readTokenId(value: unknown): string {
  if (typeof value !== 'string' || !isUint256Decimal(value)) throw new BadRequest('Invalid token id');
  return value;
}

/** BUY or SELL in any letter case. @throws BadRequest for anything else */
export function readSide(value: unknown): Side {
  const side = typeof value === 'string' ? sideOf(value.toUpperCase()) : undefined;
  if (side === undefined) throw new BadRequest('Invalid side');
  return side;
}

/** The token of a single-token request, from its path or its query. @throws BadRequest if it is missing or malformed */
export function readOneTokenId(pathValue: string | undefined, query: URLSearchParams): string {
  return readTokenId(pathValue ?? query.get('token_id'));
}

/** The tokens of a JSON body `[{token_id, side?}]`. @throws BadRequest */
export function parseTokenList(body: unknown): readonly TokenQuery[] {
  if (!Array.isArray(body)) throw new BadRequest('Invalid payload');
  boundCount(body.length, TOKENS_PER_REQUEST_MAX);
  return body.map((item: unknown) => {
    if (!isFields(item)) throw new BadRequest('Invalid payload');
    return { tokenId: readTokenId(item.token_id), side: isAbsent(item.side) ? undefined : readSide(item.side) };
  });
}

/** The tokens of the query `token_ids=a,b`, optionally with `sides=BUY,SELL`; undefined without. @throws BadRequest */
export function queryTokenList(query: URLSearchParams): readonly TokenQuery[] | undefined {
  const ids = query.get('token_ids');
  if (ids === null || ids === '') return undefined;
  const tokenIds = ids.split(',');
  boundCount(tokenIds.length, TOKENS_PER_REQUEST_MAX);
  const sides = query.get('sides');
  const sideTexts = sides === null || sides === '' ? [] : sides.split(',');
  if (sideTexts.length > 0 && sideTexts.length !== tokenIds.length) throw new BadRequest('Invalid side');
  return tokenIds.map((tokenId, index) => ({
    tokenId: readTokenId(tokenId.trim()),
    side: sideTexts.length === 0 ? undefined : readSide(sideTexts[index].trim()),
  }));
}
