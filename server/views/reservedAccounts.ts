// The accounts that exist from the start of every log, without an event: the core opens them (engine/core/accounts.ts), and
// whoever follows the log knows them from here. Used by the views and by the historian.

interface ReservedAccount {
  readonly id: number;
  /** Its own owner, too. */
  readonly wallet: string;
}

const reserved = (id: number): ReservedAccount => ({ id, wallet: `0x${String(id + 1).padStart(40, '0')}` });

/** Gets the fees of takers. */
export const FEES_ACCOUNT = reserved(0);
/** Gets the other leg of test shares. */
export const HOUSE_ACCOUNT = reserved(1);
export const reservedAccounts = [FEES_ACCOUNT, HOUSE_ACCOUNT] as const;
