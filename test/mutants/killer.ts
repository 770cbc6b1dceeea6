// Holds a core, which may be a mutant, against the recorded traces: same events, same due times, same answers, and invariants
// that see the same damage. Used by worker.ts; a core that throws is as good as one that differs.
import type { Exchange } from '../../engine/core/index.ts';
import { EventWriter, Message } from '../../engine/protocol/index.ts';
import { differentWord } from './corruption.ts';
import { accountsIn, askEverything, marketsIn, type Trace } from './traces.ts';

/** What gives the core away, or undefined when nothing does; `checks`: its invariants are asked about damage, too. */
export function giveaway(make: new () => Exchange, traces: readonly Trace[], checks: boolean): string | undefined {
  for (const trace of traces) {
    try {
      const difference = differenceOn(new make(), trace, checks);
      if (difference !== undefined) return `${trace.name}: ${difference}`;
    } catch (error) {
      return `${trace.name}: ${error instanceof Error ? error.message.slice(0, 100) : String(error)}`;
    }
  }
  return undefined;
}

/** Commands also come one after another in a longer message, at any multiple of 8 bytes. */
const message = new Message(new ArrayBuffer(1 << 16));
const PLACE_BYTES = 64;
const PLACES = 100;

function differenceOn(core: Exchange, trace: Trace, checks: boolean): string | undefined {
  const writer = new EventWriter();
  let look = 0;
  for (const [index, { tMs, bytes, events, nextDueMs }] of trace.commands.entries()) {
    writer.begin();
    if (index % 3 === 0) {
      const offset = (index % PLACES) * PLACE_BYTES;
      message.bytes.set(bytes, offset);
      core.applyAt(tMs, message, offset, writer);
    } else {
      core.apply(tMs, bytes, writer);
    }
    writer.finish();
    if (Buffer.compare(writer.bytes.subarray(0, writer.length), events) !== 0) return `events of command ${index}`;
    if (core.nextDueMs() !== nextDueMs) return `due time after command ${index}`;
    if (trace.looks[look]?.after === index) {
      if (askEverything(core, marketsIn(core), accountsIn(core)) !== trace.looks[look].text)
        return `answers after ${index}`;
      look += 1;
    }
    if (checks && trace.corrupted?.after === index) {
      const word = differentWord(core, trace.corrupted.found);
      if (word !== undefined) return `invariants on ${word}`;
    }
  }
  return undefined;
}
