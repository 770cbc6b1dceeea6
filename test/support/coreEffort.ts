// What a core does for speed and memory, read from its private state, since no result depends on it: what looking ahead found,
// which path an order took, and how much memory the tables take. Used by the tests of the core and by the mutants.
import type { Exchange } from '../../engine/core/index.ts';

interface State {
  readonly aheadAccounts: Int32Array;
  readonly aheadPositions: Int32Array;
  readonly aheadCount: number;
  readonly prefetched: number;
  /** The caller's writer of events, no table of the core. */
  readonly out: unknown;
  readonly ladderSpace: { readonly used: number };
  /** The order at hand. Only the long path fills in its amounts as signed. */
  readonly taker: { makerMicro: number };
}

const privateState = (core: Exchange): State => Reflect.get(core, 'state');

/** What looking ahead has found, for each order of the batch in turn, and all the words it has read, folded into one. */
export function foundAhead(core: Exchange): { accounts: number[]; positions: number[]; read: number } {
  const { aheadAccounts, aheadPositions, aheadCount, prefetched } = privateState(core);
  const of = (values: Int32Array): number[] => [...values.subarray(0, aheadCount)];
  return { accounts: of(aheadAccounts), positions: of(aheadPositions), read: prefetched };
}

/** Whether the order that `apply` applies takes the short path of usual orders. */
export function takesShortPath(core: Exchange, apply: () => void): boolean {
  const { taker } = privateState(core);
  taker.makerMicro = Number.NaN;
  apply();
  return Number.isNaN(taker.makerMicro);
}

/** How many buffers hold the core's tables, their bytes, and how many words of the latest array of ladders are taken. */
export function memoryOf(core: Exchange): { buffers: number; bytes: number; ladderWords: number } {
  const { out, ...state } = privateState(core);
  const buffers = new Set<ArrayBufferLike>();
  collectBuffers(state, buffers, new Set());
  const bytes = [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
  return { buffers: buffers.size, bytes, ladderWords: state.ladderSpace.used };
}

function collectBuffers(part: unknown, buffers: Set<ArrayBufferLike>, seen: Set<unknown>): void {
  if (typeof part !== 'object' || part === null || seen.has(part)) return;
  seen.add(part);
  if (ArrayBuffer.isView(part)) buffers.add(part.buffer);
  else if (part instanceof Map) for (const value of part.values()) collectBuffers(value, buffers, seen);
  else for (const value of Object.values(part)) collectBuffers(value, buffers, seen);
}
