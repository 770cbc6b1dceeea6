// The two pure reducers, core and registry, run in the order of the topology. The inline deployment and recovery both go
// through the same stages, so that a replay does exactly what the first run did.
import { Exchange } from '../core/index.ts';
import { EventWriter, Message } from '../protocol/index.ts';
import { Registry } from '../registry/index.ts';
import { type ReducerStageName, reducerStages } from './topology.ts';
import type { StateHashes } from './types.ts';

/** Runs one stage on the command of `bytes` bytes at `offset` of a message. */
type Reduce = (tMs: number, message: Message, offset: number, bytes: number) => void;

interface Stage {
  readonly run: Reduce;
  readonly needsAccepted: boolean;
}

export class Reducers {
  /** Holds the events of the last command: bytes 0 to `length`. */
  readonly out = new EventWriter();
  readonly core: Exchange;
  readonly registry: Registry;
  /** The buffer of reduce(), for commands that come one at a time. */
  private readonly message = new Message();
  /** The stages of the topology, a field each: V8 inlines calls that are always of one function, not those out of a list. */
  private readonly first: Stage;
  private readonly second: Stage;
  private readonly third: Stage;

  constructor(core = new Exchange(), registry = new Registry()) {
    this.core = core;
    this.registry = registry;
    const { out } = this;
    const run: Record<ReducerStageName, Reduce> = {
      'registry.admit': (_, message, offset, bytes) => {
        if (!registry.admit(message, offset, bytes, out)) core.forgetAhead();
      },
      'core.apply': (tMs, message, offset) => core.applyAt(tMs, message, offset, out),
      'registry.record': (tMs, message, offset, bytes) => registry.record(tMs, message, offset, bytes, out),
    };
    const stageOf = ({ name, runsOn }: (typeof reducerStages)[number]): Stage => ({
      run: run[name],
      needsAccepted: runsOn === 'accepted',
    });
    const [first, second, third, ...others] = reducerStages;
    if (others.length > 0) throw new Error('the topology has more reducing stages than are run');
    this.first = stageOf(first);
    this.second = stageOf(second);
    this.third = stageOf(third);
  }

  /** Applies one command at time `tMs`, leaving its events in `out`. Throws on a defect: no command may follow. */
  reduce(tMs: number, command: Uint8Array): void {
    this.message.take(command);
    this.reduceAt(tMs, this.message, 0, command.length);
  }

  /** The same for the command of `bytes` bytes at `offset`, a multiple of 8 bytes, of a message. */
  reduceAt(tMs: number, message: Message, offset: number, bytes: number): void {
    const { out, first, second, third } = this;
    out.begin();
    first.run(tMs, message, offset, bytes);
    if (!(second.needsAccepted && out.isRejected)) second.run(tMs, message, offset, bytes);
    if (!(third.needsAccepted && out.isRejected)) third.run(tMs, message, offset, bytes);
    out.finish();
  }

  stateHash(): StateHashes {
    return { core: this.core.stateHash(), registry: this.registry.stateHash(), ids: this.core.idSetHash() };
  }

  checkInvariants(): void {
    this.core.checkInvariants();
    this.registry.checkInvariants();
  }
}
