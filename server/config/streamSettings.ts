// The limits of sockets and streams that an operator or a test may set, each with its unit and reason. Read by config.ts, which
// fills in what the settings give, and by the streams. The fixed limits are in streams/limits.ts.

/** Limits that differ between a venue, a laptop and a test. */
export interface StreamSettings {
  /** How many sockets one address may have open. */
  readonly connectionsPerIpMax: number;
  /** A stream that is silent for this long sends a heartbeat with its current number to sockets that want it, ms. */
  readonly heartbeatMs: number;
  /** The longest replay of a market, in changes. */
  readonly changesPerMarketMax: number;
  /** About how many changes of all markets are kept for clients that resume, at an average of 128 bytes each. */
  readonly changesMax: number;
  /** Owners' messages kept in memory; older ones are read from the log again. */
  readonly userEntriesMax: number;
  /** A socket that neither sends nor answers pings is closed after this long, s; uWebSockets requires at least 8. */
  readonly idleSecondsMax: number;
  /** A socket of the user channel must send its credentials within this time, ms. */
  readonly authMsMax: number;
  /** A socket that is to be closed, but whose client does not read what it was sent, is cut off after this long, ms. */
  readonly lostMsMax: number;
  /** An answer to a ping within this time is never late, ms; a slower one may take twice as long as recent ones of any client. */
  readonly answerMsMin: number;
  /** The most time ever allowed for an answer, ms. A late client is sent nothing until it answers; its streams then resume. */
  readonly answerMsMax: number;
}

export const streamSettings: StreamSettings = {
  connectionsPerIpMax: 1_000,
  heartbeatMs: 10_000,
  changesPerMarketMax: 1_024,
  changesMax: 131_072,
  userEntriesMax: 131_072,
  idleSecondsMax: 120,
  authMsMax: 30_000,
  lostMsMax: 10_000,
  answerMsMin: 250,
  answerMsMax: 1_000,
};
