// Every bound of the HTTP door, with its unit and the reason for it. Read by the door's checks and their sentences.
// Their relations are asserted when this file loads.
import { limits } from '../../engine/index.ts';

export const httpLimits = {
  /** Body of any request: above a batch of orders and a market's texts, small enough to hold whole. */
  bodyBytesMax: 1_048_576,
  /** Arrays and objects in one another: no honest body has more than six. */
  jsonDepthMax: 32,
  /** API keys whose derived secrets are held; the oldest is dropped first and derived again when it comes back. */
  credentialsCachedMax: 16_384,
  /** Characters of the request headers that a preflight may ask for. */
  preflightHeadersCharactersMax: 1_024,
  /** Replies that one turn of the loop gives to requests that arrived in it; later ones wait for the next turn. */
  turnRepliesMax: 64,
  /** Bytes of those replies, roughly (characters of their bodies): a few pages of markets. */
  turnReplyBytesMax: 1_048_576,
  /** Clients whose requests are counted: API keys, and addresses without one. */
  throttledClientsMax: 100_000,
  /** Bytes of the times of their requests: some hundred clients at the highest rates, all of them at low ones. */
  throttleRingBytesMax: 268_435_456,
  /** Bytes of long replies that wait for their readers, all together; the oldest of them are cut off above. */
  longRepliesBytesMax: 268_435_456,
  /** Bytes of bodies of which only a part has come, all together; the oldest of them are refused above. */
  gatheredBodiesBytesMax: 67_108_864,
  /** How long a stopping server waits for requests in progress. */
  drainMsMax: 3_000,
} as const;

if (httpLimits.bodyBytesMax > limits.tailBytesMax) {
  throw new Error('limits: whatever fits a body must fit the tail of a command');
}
