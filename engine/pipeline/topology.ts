// The stages that every command passes, listed once, as data, under their drawing. A deployment executes this list and adds no
// order of its own, so all deployments agree.
//
//   submit ─► sequencer ─► registry ─► core ─► registry ─► journal ═flush═► followers ─► answer
//              stamp        admit      apply    record      append           apply        resolve

const topology = [
  /** Gives sequence and time. */
  { name: 'sequencer', phase: 'stamp', runsOn: 'every command' },
  /** Pure from here to the journal: recovery runs exactly these again and compares. */
  { name: 'registry.admit', phase: 'reduce', runsOn: 'every command' },
  { name: 'core.apply', phase: 'reduce', runsOn: 'accepted' },
  { name: 'registry.record', phase: 'reduce', runsOn: 'accepted' },
  /** Its records are durable only after the flush; nothing that a reader can see happens before that. */
  { name: 'journal', phase: 'append', runsOn: 'every command' },
  { name: 'followers', phase: 'apply', runsOn: 'durable record' },
  { name: 'answer', phase: 'answer', runsOn: 'durable record' },
] as const satisfies readonly Stage[];

interface Stage {
  readonly name: string;
  readonly phase: 'stamp' | 'reduce' | 'append' | 'apply' | 'answer';
  /** `accepted`: left out once an earlier stage has refused the command. */
  readonly runsOn: 'every command' | 'accepted' | 'durable record';
}
type PhaseOf<RunsOn extends Stage['runsOn']> = Extract<(typeof topology)[number], { runsOn: RunsOn }>['phase'];
export type CommandPhase = PhaseOf<'every command' | 'accepted'>;
export type DurablePhase = PhaseOf<'durable record'>;

/** The reducers' stages, in order. */
export const reducerStages = topology.filter((stage) => stage.phase === 'reduce');
export type ReducerStageName = (typeof reducerStages)[number]['name'];

/** The phases that a command passes before the flush, and those that its record passes after it, each in order. */
export const commandPhases: readonly CommandPhase[] = [
  ...new Set(topology.filter((stage) => stage.runsOn !== 'durable record').map(({ phase }) => phase)),
];
export const durablePhases: readonly DurablePhase[] = [
  ...new Set(topology.filter((stage) => stage.runsOn === 'durable record').map(({ phase }) => phase)),
];

function assertOrder(): void {
  const phases = topology.map(({ phase }) => phase).filter((phase, index, all) => phase !== all[index - 1]);
  const expected = [...commandPhases, ...durablePhases];
  if (phases.join() !== expected.join()) throw new Error(`topology: the phases ${phases.join()} are not contiguous`);
}
assertOrder();
