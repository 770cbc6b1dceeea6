// Requests for user data for the tests of their parameters: parsed by a dialect without a server, with the parameters that
// each kind requires before anything else is checked.
import { BadRequest } from '../../server/wire/badRequest.ts';
import { type Dialect, polymarketDialect, rootDialect } from '../../server/wire/dialect.ts';
import type { AskedKind } from '../../server/wire/userDataParameters.ts';

export const USER = `0x${'aB'.repeat(20)}`;
export const user = USER.toLowerCase();
export const ID = `0x${'Cd'.repeat(32)}`;
export const id = ID.toLowerCase();
export const OTHER = `0x${'1'.repeat(64)}`;
export const both: readonly Dialect[] = [rootDialect, polymarketDialect];

export type Values = Readonly<Record<string, string>>;

export const read = (dialect: Dialect, kind: AskedKind, values: Values) =>
  dialect.readUserData(kind, new URLSearchParams(values));

/** The text with which a request is refused; undefined if it is not. */
export function refusal(dialect: Dialect, kind: AskedKind, values: Values): string | undefined {
  try {
    read(dialect, kind, values);
    return undefined;
  } catch (error) {
    if (error instanceof BadRequest && error.status === 400) return error.message;
    throw error;
  }
}

/** The parameters that each kind requires before anything else is checked. */
export const needed: Readonly<Record<AskedKind, Values>> = {
  trades: {},
  positions: { user: USER },
  'closed-positions': { user: USER },
  activity: { user: USER },
  holders: { market: ID },
  value: { user: USER },
  traded: { user: USER },
  oi: {},
  'live-volume': { id: '1' },
};
export const kinds = Object.keys(needed) as AskedKind[]; // the record has a key for each
