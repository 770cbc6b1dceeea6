// A core's effort over the commands of the crowd, orders at the limits of the short path, and cancels that are known together:
// what looking ahead finds, which path each order takes, and how much memory the tables take. Time and memory depend on it, and
// nobody would notice a prefetch of the wrong lines but by a bench. Recorded by traces.ts, compared by killer.ts.
import type { Exchange } from '../../engine/core/index.ts';
import {
  commandLayouts,
  EventWriter,
  encodeCommand,
  limits,
  Message,
  PIPS_PER_UNIT,
  Side,
} from '../../engine/protocol/index.ts';
import { orderIdOf, TIME_ZERO_MS } from '../model/names.ts';
import { foundAhead, memoryOf, takesShortPath } from '../support/coreEffort.ts';
import { layOut } from '../support/layOut.ts';
import { crowd } from './crowd.ts';
import {
  addressOf,
  createMarket,
  fund,
  HOUR_MS,
  keyOf,
  ORDERS,
  offer,
  priced,
  split,
  start,
  type Take,
} from './offers.ts';

/** Commands known together. */
const BATCH = 7;
/** Memory is counted at the start, after every this many batches, and at the end. */
const COUNTED_EVERY = 100;
const MESSAGE_BYTES = 1 << 16;

/** The owner of the orders at the limits, their time, and the least lots of their market. */
const OWNER = 1;
const T_MS = TIME_ZERO_MS;
const MINIMUM_LOTS = 5;

/** One line for each batch, for the paths of its orders, and for each count of the memory. */
export function effortOf(make: new () => Exchange): string {
  return [crowd, placeAtLimits, cancelTogether].flatMap((play) => effortOfPlay(make, play)).join('\n');
}

function effortOfPlay(make: new () => Exchange, play: (take: Take) => void): string[] {
  const core = new make();
  const message = new Message(new ArrayBuffer(MESSAGE_BYTES));
  const writer = new EventWriter();
  const timed: { readonly tMs: number; readonly bytes: Uint8Array }[] = [];
  play((tMs, command) => timed.push({ tMs, bytes: encodeCommand(command) }));
  const lines: string[] = [];
  for (let first = 0; first < timed.length; first += BATCH) {
    if (first % (BATCH * COUNTED_EVERY) === 0) lines.push(JSON.stringify(memoryOf(core)));
    const batch = timed.slice(first, first + BATCH);
    const offsets = layOut(
      message,
      batch.map(({ bytes }) => bytes),
    );
    core.lookAhead(message, offsets, 0, batch.length);
    lines.push(JSON.stringify(foundAhead(core)));
    const paths = batch.map(({ tMs, bytes }, i) =>
      pathOf(core, bytes, () => {
        writer.begin();
        core.applyAt(tMs, message, offsets[i], writer);
      }),
    );
    lines.push(paths.join(''));
  }
  return [...lines, JSON.stringify(memoryOf(core))];
}

/** `s` for an order on the short path, `l` for one on the long one, `-` for any other command. */
function pathOf(core: Exchange, bytes: Uint8Array, apply: () => void): string {
  const isOrder = bytes[1] === commandLayouts.PlaceOrder.type;
  if (isOrder) return takesShortPath(core, apply) ? 's' : 'l';
  apply();
  return '-';
}

/** Orders at the limits of the short path: in time, which the first order signed then opens, in lots and in price. */
function placeAtLimits(take: Take): void {
  start(take, T_MS, HOUR_MS);
  createMarket(take, T_MS, 0, { tickPips: 1, minOrderLots: MINIMUM_LOTS });
  fund(take, T_MS, OWNER, 1e11);
  split(take, T_MS, OWNER, 0, 1e9);
  let label = ORDERS;
  const place = (side: number, pips: number, lots: number, timestampMs = T_MS): void => {
    label += 1;
    offer(take, T_MS, label, OWNER, { marketIndex: 0, side, ...priced(pips, lots), timestampMs });
  };
  for (const timestampMs of [T_MS - HOUR_MS, T_MS + limits.timestampAheadMaxMs, T_MS]) {
    for (let i = 0; i < 2; i += 1) place(Side.BUY, 4_000, 100, timestampMs);
  }
  for (const lots of [MINIMUM_LOTS, limits.orderLotsMax]) place(Side.BUY, 1, lots);
  for (const pips of [PIPS_PER_UNIT - 1, 4_001]) place(Side.SELL, pips, MINIMUM_LOTS);
}

/** Cancels by owners whose positions begin with different words: the low halves of amounts that are large and odd. */
function cancelTogether(take: Take): void {
  start(take, T_MS, HOUR_MS);
  createMarket(take, T_MS, 0);
  const owners = Array.from({ length: 2 * BATCH }, (_, index) => 1 + index);
  for (const owner of owners) {
    fund(take, T_MS, owner, 1e11);
    split(take, T_MS, owner, 0, 1_234_567_891 + 13 * owner);
  }
  for (const owner of [...owners].reverse()) {
    offer(take, T_MS, ORDERS + owner, owner, { marketIndex: 0, side: Side.BUY, ...priced(3_000, 10) });
  }
  for (const owner of owners) {
    const items = [orderIdOf(ORDERS + owner)];
    take(T_MS, { type: 'CancelOrders', owner: addressOf(owner), keyId: keyOf(owner), items });
  }
}
