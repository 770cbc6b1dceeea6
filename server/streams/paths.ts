// Where the streams are. The hub takes upgrades there, the AsyncAPI document names them, and http/handle.ts tells them to clients
// that ask beside them.

export const CHANNEL_PATHS = { market: '/ws/market', user: '/ws/user' } as const;

/** Every path that takes upgrades, with its channel; where there is none, the subscription says which. */
export const streamPaths = [
  [CHANNEL_PATHS.market, 'market'],
  [CHANNEL_PATHS.user, 'user'],
  ['/ws/', undefined],
  ['/ws', undefined],
] as const;
