// Plain settings of an engine: the windows that a server has by default, no delays after a match and no credit for new
// owners. Used by tests that need settings and don't care which.

export const PLAIN_SETTINGS = {
  orderWindowMs: 86_400_000,
  heartbeatWindowMs: 10_000,
  minedDelayMs: 0,
  confirmedDelayMs: 0,
  creditMicro: 0,
} as const;
