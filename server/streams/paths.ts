// The URL paths of the streams. The hub accepts upgrades there, the AsyncAPI document lists them, and http/handle.ts names them
// to plain requests for other paths below /ws.

export const CHANNEL_PATHS = { market: '/ws/market', user: '/ws/user' } as const;

/** Every path that accepts upgrades, with its channel; undefined if the subscription names the channel. */
export const streamPaths = [
  [CHANNEL_PATHS.market, 'market'],
  [CHANNEL_PATHS.user, 'user'],
  ['/ws/', undefined],
  ['/ws', undefined],
] as const;
