// What can happen in a log, by name: types of commands and events, reasons for which commands are refused and orders
// cancelled. The witness notes what it sees; main.ts prints what no seed of a run has shown, so that a part of the
// simulation that no longer does anything is noticed. It judges nothing.
import {
  CancelReason,
  type Command,
  commandLayouts,
  type EngineEvent,
  eventLayouts,
  rejections,
} from '../../engine/index.ts';

export class Outcomes {
  private readonly commands = new Set<string>();
  private readonly events = new Set<string>();
  private readonly codes = new Set<number>();
  private readonly reasons = new Set<number>();

  note(command: Command, events: readonly EngineEvent[]): void {
    this.commands.add(command.type);
    for (const event of events) {
      this.events.add(event.type);
      if (event.type === 'Rejected' || event.type === 'OrderKilled') this.codes.add(event.code);
      else if (event.type === 'OrderCanceled') this.reasons.add(event.reason);
    }
  }

  /** All that was noted, named as in `possibleOutcomes`. */
  names(): string[] {
    return [
      ...namesOf('command', commandLayouts, (name) => this.commands.has(name)),
      ...namesOf('event', eventLayouts, (name) => this.events.has(name)),
      ...namesOf('rejection', rejections, (_, { code }) => this.codes.has(code)),
      ...namesOf('cancel', CancelReason, (_, reason) => this.reasons.has(reason)),
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
];
