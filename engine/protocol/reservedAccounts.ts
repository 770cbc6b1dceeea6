// The accounts that exist from the start of every log without an event. The core opens them, and followers of the log take them
// from this list. Their numbers and addresses are part of every log, so none of them ever changes.

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
