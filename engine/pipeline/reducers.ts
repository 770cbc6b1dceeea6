// The two pure reducers, core and registry, run in the order of the topology. The inline deployment and recovery both go
// through reduce(), so that a replay does exactly what the first run did.
import { Exchange } from '../core/index.ts';
import { EventWriter } from '../protocol/index.ts';
import { Registry } from '../registry/index.ts';
import { type ReducerStageName, reducerStages } from './topology.ts';
import type { StateHashes } from './types.ts';

type Reduce = (tMs: number, command: Uint8Array) => void;

export class Reducers {
  /** Holds the events of the last command: bytes 0 to `length`. */
  readonly out = new EventWriter();
  readonly core: Exchange;
  readonly registry: Registry;
  private readonly stages: readonly { readonly run: Reduce; readonly needsAccepted: boolean }[];

  constructor(core = new Exchange(), registry = new Registry()) {
    this.core = core;
    this.registry = registry;
    const { out } = this;
    const run: Record<ReducerStageName, Reduce> = {
      'registry.admit': (_, command) => {
        registry.admit(command, out);
      },
      'core.apply': (tMs, command) => core.apply(tMs, command, out),
      'registry.record': (tMs, command) => registry.record(tMs, command, out),
    };
    this.stages = reducerStages.map(({ name, runsOn }) => ({ run: run[name], needsAccepted: runsOn === 'accepted' }));
  }

  /** Applies one command at time `tMs`, leaving its events in `out`. Throws on a defect: then nothing may go on. */
  reduce(tMs: number, command: Uint8Array): void {
    const { out } = this;
    out.begin();
    for (const { run, needsAccepted } of this.stages) if (!(needsAccepted && out.isRejected)) run(tMs, command);
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
