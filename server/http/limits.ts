// Every bound of the HTTP layer, with its unit and reason. Read by the checks of this folder and of the routes of keys, and by
// their sentences. The relations between bounds are asserted when this file loads.
import { limits } from '../../engine/index.ts';

export const httpLimits = {
  /** Bytes of any request's body: more than a batch of orders or a market's texts needs, small enough to hold whole. */
  bodyBytesMax: 1_048_576,
  /** Parts in which a body may come: one of a single byte costs as much as one of kilobytes. 64 bytes in each are enough. */
  bodyPartsMax: 16_384,
  /** Bytes of a body that is parsed at once, whatever else is: an order, or a few. */
  shortBodyBytesMax: 4_096,
  /** Bytes of longer bodies that are parsed in one turn of the loop, unless a single one has more; the others wait. */
  turnBodyBytesMax: 524_288,
  /** Nesting of arrays and objects; no honest body has more than six levels. */
  jsonDepthMax: 32,
  /** API keys whose derived secrets are cached; the oldest is dropped first and derived again when needed. */
  credentialsCachedMax: 16_384,
  /** Active API keys of an owner, of each kind: they are found in one turn of the loop. Honest owners have a handful. */
  ownedKeysMax: 1_000,
  /** Characters of the request headers that a preflight may list. */
  preflightHeadersCharactersMax: 1_024,
  /** Replies in one turn of the loop to requests that arrived in it; later ones wait for the next turn. */
  turnRepliesMax: 64,
  /** Approximate bytes of those replies (characters of their bodies): a few pages of markets. */
  turnReplyBytesMax: 1_048_576,
  /** Clients whose requests are counted: API keys, and addresses of requests without one. */
  throttledClientsMax: 100_000,
  /** Bytes for the times of their requests: some hundred clients at the highest rates, all of them at low ones. */
  throttleRingBytesMax: 268_435_456,
  /** Networks whose replies of many steps are built at the same time: each may hold tens of megabytes until it is whole. */
  networksBuildingMax: 8,
  /** Unfinished replies of many steps to all networks: each holds what its first step made, about 256 KiB. */
  unfinishedRepliesMax: 1_024,
  /** Those to one network: a machine with hundreds of connections, each with one such request, stays below it. */
  networkRepliesMax: 512,
  /** Bytes of all long replies that wait for their readers; above it the oldest are cut off. */
  longRepliesBytesMax: 268_435_456,
  /** Bytes of all partly received bodies; above it the oldest are refused. */
  incomingBodiesBytesMax: 67_108_864,
  /** Longest wait of a stopping server for requests in progress. */
  drainMsMax: 3_000,
} as const;

if (httpLimits.networkRepliesMax > httpLimits.unfinishedRepliesMax) {
  throw new Error('limits: one network may not have more unfinished replies than all');
}
if (httpLimits.bodyBytesMax > limits.tailBytesMax) {
  throw new Error('limits: the tail of a command must be able to hold the largest body');
}
