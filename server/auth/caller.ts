// The authenticated party of a request. Created by the HTTP layer once credentials are verified, read by route handlers; it
// never carries a secret.

/** An owner (the EOA behind every wallet) with the API key it used. */
export interface Caller {
  /** Lower-case address of the owner. */
  readonly owner: string;
  /** The API key as a UUID; '' if a wallet's own signature identifies the caller. */
  readonly apiKey: string;
  /** The same key as 16 bytes of hex, as messages carry it; zero if there is none. */
  readonly keyId: string;
}
