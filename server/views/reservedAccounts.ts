// The accounts that exist from the start of every log without an event: the core opens them (engine/core/accounts.ts), and
// followers of the log take them from this list. Used by the views and by the historian.

interface ReservedAccount {
  readonly id: number;
  /** The wallet is also the account's owner. */
  readonly wallet: string;
}

const reserved = (id: number): ReservedAccount => ({ id, wallet: `0x${String(id + 1).padStart(40, '0')}` });

/** Receives taker fees. */
export const FEES_ACCOUNT = reserved(0);
/** Receives the other leg of credited test shares. */
export const HOUSE_ACCOUNT = reserved(1);
export const reservedAccounts = [FEES_ACCOUNT, HOUSE_ACCOUNT] as const;
