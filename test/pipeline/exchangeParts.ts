// What the tests of a running exchange share: its options, a follower that notes what it is told, a store that refuses writes,
// and two commands. Everything is in memory, on a clock that stands still.
import {
  type CommandOf,
  type ExchangeOptions,
  encodeCommand,
  type LogRecord,
  MemoryStore,
  VirtualClock,
} from '../../engine/index.ts';
import { keyOf, ownerOf, START_MS, settings } from './workload.ts';

export const tick = encodeCommand({ type: 'Tick' });

/** A follower that notes the sequence and type of every record; a test may add other lines, in the same order. */
export function notebook() {
  const lines: string[] = [];
  const apply = ({ sequence, command }: LogRecord) => void lines.push(`${sequence} ${command.type}`);
  return { lines, follower: { name: 'notebook', apply } };
}

export function optionsOf(change: Partial<ExchangeOptions> = {}): ExchangeOptions {
  return { dataDir: undefined, clock: new VirtualClock(START_MS), settings, followers: [], ...change };
}

export const heartbeat: CommandOf<'Heartbeat'> = {
  ...{ type: 'Heartbeat', owner: ownerOf(0), keyId: keyOf(0), refresh: 1 },
  ...{ given: `0x${'0'.repeat(32)}`, next: `0x${'1'.repeat(32)}` },
};

/** A store that refuses writes while it is told to. */
export class RefusingStore extends MemoryStore {
  isRefusing = false;
  isClosed = false;

  constructor() {
    super(true);
  }

  override async write(firstSequence: number, bytes: Uint8Array): Promise<void> {
    if (this.isRefusing) throw new Error('Input/output error');
    await super.write(firstSequence, bytes);
  }

  override async close(): Promise<void> {
    this.isClosed = true;
  }
}
