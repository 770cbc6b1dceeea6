// What can happen in a run, by name: types of commands and events, reasons for which commands are refused and orders
// cancelled, ticks of markets, steps, starts under other settings, and damage to the disk. The witness notes what it sees in
// the log, simulation.ts the rest; main.ts prints what no seed of a run has shown, so that a part of the simulation that no
// longer does anything is noticed. It judges nothing.
import {
  CancelReason,
  type Command,
  commandLayouts,
  type EngineEvent,
  eventLayouts,
  rejections,
  TICK_SIZES_PIPS,
} from '../../engine/index.ts';
import { type Damage, damageKinds, type Step, stepKinds } from './steps.ts';

const ticks = Object.fromEntries(TICK_SIZES_PIPS.map((pips) => [pips, pips]));
const damages = Object.fromEntries(damageKinds.map((kind) => [kind, kind]));
const newSettings = { restart: '', crash: '' } as const;

export class Outcomes {
  private readonly commands = new Set<string>();
  private readonly events = new Set<string>();
  private readonly codes = new Set<number>();
  private readonly reasons = new Set<number>();
  private readonly ticks = new Set<number>();
  private readonly steps = new Set<string>();
  private readonly newSettings = new Set<string>();
  private readonly damages = new Set<string>();

  note(command: Command, events: readonly EngineEvent[]): void {
    this.commands.add(command.type);
    for (const event of events) {
      this.events.add(event.type);
      if (event.type === 'Rejected' || event.type === 'OrderKilled') this.codes.add(event.code);
      else if (event.type === 'OrderCanceled') this.reasons.add(event.reason);
      else if (event.type === 'MarketCreated' || event.type === 'MarketUpdated') this.ticks.add(event.tickPips);
    }
  }

  noteStep(step: Step): void {
    this.steps.add(step.kind);
    if ('settings' in step && step.settings !== undefined) this.newSettings.add(step.kind);
  }

  /** Notes damage that could be done. */
  noteDamage({ kind }: Damage): void {
    this.damages.add(kind);
  }

  /** All that was noted, named as in `possibleOutcomes`. */
  names(): string[] {
    return [
      ...namesOf('command', commandLayouts, (name) => this.commands.has(name)),
      ...namesOf('event', eventLayouts, (name) => this.events.has(name)),
      ...namesOf('rejection', rejections, (_, { code }) => this.codes.has(code)),
      ...namesOf('cancel', CancelReason, (_, reason) => this.reasons.has(reason)),
      ...namesOf('tick', ticks, (_, pips) => this.ticks.has(pips)),
      ...namesOf('step', stepKinds, (kind) => this.steps.has(kind)),
      ...namesOf('other settings after', newSettings, (kind) => this.newSettings.has(kind)),
      ...namesOf('damage', damages, (kind) => this.damages.has(kind)),
    ];
  }
}

/** For example `cancel EXPIRED`: every name of a list with what the list is about, if it is chosen. */
function namesOf<Entry>(
  about: string,
  list: Readonly<Record<string, Entry>>,
  isChosen: (name: string, entry: Entry) => boolean,
): string[] {
  const chosen = Object.entries(list).filter(([name, entry]) => isChosen(name, entry));
  return chosen.map(([name]) => `${about} ${name}`);
}

const always = (): boolean => true;

/** The names of everything that can happen. */
export const possibleOutcomes: readonly string[] = [
  ...namesOf('command', commandLayouts, always),
  ...namesOf('event', eventLayouts, always),
  ...namesOf('rejection', rejections, always),
  ...namesOf('cancel', CancelReason, always),
  ...namesOf('tick', ticks, always),
  ...namesOf('step', stepKinds, always),
  ...namesOf('other settings after', newSettings, always),
  ...namesOf('damage', damages, always),
];
