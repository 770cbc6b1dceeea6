// Reads the credentials in a request's headers, of either family of names, into one plain object, and checks the age of a
// signed timestamp. Called once a request that needs credentials. It checks nothing but that age.

/** The credentials in the headers; '' for an absent header. */
export type AuthHeaders = {
  /** The family of names; it also selects the dialect of the reply. */
  readonly family: 'poly' | 'service';
  readonly address: string;
  readonly apiKey: string;
  readonly passphrase: string;
  readonly signature: string;
  /** Unix seconds as decimal text, as signed. */
  readonly timestamp: string;
  /** Decimal text; only L1 requests carry it. */
  readonly nonce: string;
};

/** The oldest signed timestamp that is accepted, milliseconds. */
export const AUTH_AGE_MS_MAX = 300_000;
/** How far a signed timestamp may lie ahead of the clock, milliseconds. */
export const AUTH_AHEAD_MS_MAX = 30_000;

type Family = AuthHeaders['family'];

/** The header names of a family, built once: every private request reads them. */
const namesOf = (family: Family, prefix: string): AuthHeaders => ({
  family,
  address: `${prefix}_address`,
  apiKey: `${prefix}_api_key`,
  passphrase: `${prefix}_passphrase`,
  signature: `${prefix}_signature`,
  timestamp: `${prefix}_timestamp`,
  nonce: `${prefix}_nonce`,
});
const POLY = namesOf('poly', 'poly');
const SERVICE = namesOf('service', 'service');
const BUILDER = namesOf('poly', 'poly_builder');
/** A read-only key in a header of its own, as Polymarket's examples send it. */
const READONLY: AuthHeaders = { ...POLY, apiKey: 'poly_readonly_api_key' };

function readNamed(get: (name: string) => string, names: AuthHeaders): AuthHeaders {
  return {
    family: names.family,
    address: get(names.address),
    apiKey: get(names.apiKey),
    passphrase: get(names.passphrase),
    signature: get(names.signature),
    timestamp: get(names.timestamp),
    nonce: get(names.nonce),
  };
}

/**
 * Reads POLY_* or SERVICE_* headers. If both families are present, POLY_* wins if it has an API key; without any API key
 * (L1) it wins if it has an address.
 * @param get a header's value by its lower-case name, '' if absent
 */
export function readAuthHeaders(get: (name: string) => string): AuthHeaders {
  if (get(POLY.apiKey) !== '') return readNamed(get, POLY);
  if (get(SERVICE.apiKey) !== '') return readNamed(get, SERVICE);
  return readNamed(get, get(POLY.address) !== '' ? POLY : SERVICE);
}

/** The headers of a key that has a header of its own; undefined if there are none, or an API key beside them. */
function readBesideNoKey(get: (name: string) => string, names: AuthHeaders): AuthHeaders | undefined {
  if (get(names.apiKey) === '' || readAuthHeaders(get).apiKey !== '') return undefined;
  return readNamed(get, names);
}

/**
 * The headers of a request signed by a builder key, which name no owner; undefined if there are none. Clients send them
 * alongside others, so an API key takes precedence.
 */
export function readBuilderHeaders(get: (name: string) => string): AuthHeaders | undefined {
  return readBesideNoKey(get, BUILDER);
}

/** The address and the key of a request that names a read-only key as such; undefined if none does. */
export function readReadonlyHeaders(get: (name: string) => string): AuthHeaders | undefined {
  return readBesideNoKey(get, READONLY);
}

/** Whether the headers name an API key, of any kind but a builder's own. */
export function namesKey(get: (name: string) => string): boolean {
  return readAuthHeaders(get).apiKey !== '' || readReadonlyHeaders(get) !== undefined;
}

/** Whether the headers are a wallet's: they have a signature and no part of a key's credentials. */
export function isWalletSigned({ apiKey, passphrase, signature }: AuthHeaders): boolean {
  return apiKey === '' && passphrase === '' && signature !== '';
}

/** Unix seconds in decimal digits, few enough to be exact in milliseconds. */
const SECONDS_DIGITS = /^[0-9]{1,12}$/;

/** True if the text is unix seconds at most 300 s before and 30 s after `nowMs`. */
export function isFreshTimestamp(timestamp: string, nowMs: number): boolean {
  if (!SECONDS_DIGITS.test(timestamp)) return false;
  const aheadMs = Number(timestamp) * 1000 - nowMs;
  return aheadMs <= AUTH_AHEAD_MS_MAX && -aheadMs <= AUTH_AGE_MS_MAX;
}
