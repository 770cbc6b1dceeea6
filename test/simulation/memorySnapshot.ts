// A snapshot of a simulated exchange: core, registry and views as they list themselves, kept in memory. Used by
// simulation.ts. Snapshots on disk are not simulated: test/pipeline/snapshots.test.ts covers them.
import type { Reducers, StateHashes } from '../../engine/index.ts';
import { visitState } from '../../engine/pipeline/index.ts';
import type { Views } from '../../server/views/index.ts';
import { KeptSections } from '../support/keptSections.ts';
import { fail } from './audit.ts';

/** The state after a record, at a moment when everything was durable. */
export interface Settled {
  readonly sequence: number;
  readonly hashes: StateHashes;
}

export class MemorySnapshot {
  readonly settled: Settled;
  private readonly values = new Map<string, unknown>();

  constructor(settled: Settled, reducers: Reducers, views: Views) {
    this.settled = settled;
    visitState(reducers, views.followers(), new KeptSections(this.values, false));
  }

  /** Loads the snapshot into fresh reducers and views. */
  load(reducers: Reducers, views: Views): void {
    visitState(reducers, views.followers(), new KeptSections(this.values, true));
    compareHashes(reducers.stateHash(), this.settled.hashes);
  }
}

/** Fails unless the restored state is the same as before. */
export function compareHashes(found: StateHashes, settled: StateHashes): void {
  for (const part of ['core', 'registry', 'ids'] as const) {
    if (found[part] !== settled[part])
      fail(`the state of ${part} comes back`, { found: found[part], was: settled[part] });
  }
}
