// The URL paths of the streams. The hub accepts upgrades there, the AsyncAPI document names them all, and http/handle.ts names
// those of the channels to plain requests for other paths below /ws.
import type { Channel } from '../wire/streamRequests.ts';

export const CHANNEL_PATHS = { market: '/ws/market', user: '/ws/user' } as const satisfies Record<Channel, string>;

/** Every path that accepts upgrades, with its channel; undefined if the subscription names the channel. */
export const streamPaths = [
  [CHANNEL_PATHS.market, 'market'],
  [CHANNEL_PATHS.user, 'user'],
  ['/ws/', undefined],
  ['/ws', undefined],
] as const;
