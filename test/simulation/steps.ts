// The steps of a simulation: commands in the notation of the engine tests, the disk, crashes and the clock, each in words
// that can be read back. Drawn by flow.ts, played by simulation.ts, printed for a failing seed by main.ts.
import type { Command, EngineSettings } from '../../engine/index.ts';
import { TIME_ZERO_MS } from '../model/names.ts';
import { readCommand } from '../model/notation.ts';
import { printCommand } from '../model/printing.ts';
import { printSettings, readSettings } from './settingsText.ts';

export const damageKinds = ['flip', 'tear', 'hole'] as const;

/** Damage done to the disk's content while no exchange runs; `place` is a share of all its bytes. */
export interface Damage {
  readonly kind: (typeof damageKinds)[number];
  readonly place: number;
  /** The bit of the byte, for a flip. */
  readonly bit: number;
}

export type Step =
  | { readonly kind: 'command'; readonly waitMs: number; readonly command: Command }
  /** Accepted commands are handed to the disk, which does not finish yet. */
  | { readonly kind: 'hand over' }
  /** The disk finishes; every accepted command is answered, and everything that can be read is compared. */
  | { readonly kind: 'flush' }
  | { readonly kind: 'refuse'; readonly writes: number }
  | { readonly kind: 'lose answer' }
  | { readonly kind: 'full' }
  /** No write succeeds any more and the exchange gives up. */
  | { readonly kind: 'dead' }
  | {
      readonly kind: 'crash';
      readonly isWritten: boolean;
      readonly damage: Damage | undefined;
      /** The power is lost again while the exchange starts. */
      readonly isTwice: boolean;
      /** The exchange starts from the last snapshot, if one was made. */
      readonly isFromSnapshot: boolean;
      readonly settings?: EngineSettings | undefined;
    }
  /** Comes after the disk has finished, since every snapshot holds only what is durable. */
  | { readonly kind: 'snapshot' }
  /** With other settings from then on, if there are any, as after a crash. */
  | { readonly kind: 'restart'; readonly isFromSnapshot: boolean; readonly settings?: EngineSettings | undefined }
  /** The clock is set. */
  | { readonly kind: 'jump'; readonly byMs: number }
  | { readonly kind: 'sleep'; readonly forMs: number };

const words = {
  'hand over': 'the disk begins to write',
  flush: 'the disk has written',
  'lose answer': 'the disk writes and reports a failure',
  full: 'the disk is full',
  dead: 'the disk fails for good',
  snapshot: 'a snapshot is made',
} as const;

/** Every kind of step. */
export const stepKinds = {
  ...words,
  ...{ command: '', refuse: '', crash: '', restart: '', jump: '', sleep: '' },
} as const satisfies Readonly<Record<Step['kind'], string>>;

const RESTART = 'the exchange stops and starts';
const FROM_SNAPSHOT = ' from its snapshot';
const SETTINGS = /^(.*), with (\w+=.*)$/;
const CRASH =
  /^power is lost(?<written> after the write)?(?<damage>, a .*?)?(?<twice>, and once more)?(?<snapshot>, and it starts from its snapshot)?$/;
const DAMAGE = new RegExp(`^, a (?<kind>${damageKinds.join('|')}) at (?<place>[\\d.e-]+) bit (?<bit>\\d)$`);

function inWords(step: Exclude<Step, { readonly kind: 'command' }>): string {
  switch (step.kind) {
    case 'refuse':
      return `the disk fails ${step.writes} times`;
    case 'jump':
      return `the clock jumps by ${step.byMs}ms`;
    case 'sleep':
      return `the machine sleeps for ${step.forMs}ms`;
    case 'crash': {
      const { isWritten, damage, isTwice, isFromSnapshot } = step;
      const harm = damage === undefined ? '' : `, a ${damage.kind} at ${damage.place} bit ${damage.bit}`;
      const twice = isTwice ? ', and once more' : '';
      const start = isFromSnapshot ? `, and it starts${FROM_SNAPSHOT}` : '';
      return `power is lost${isWritten ? ' after the write' : ''}${harm}${twice}${start}${settingsOf(step)}`;
    }
    case 'restart':
      return `${RESTART}${step.isFromSnapshot ? FROM_SNAPSHOT : ''}${settingsOf(step)}`;
    default:
      return words[step.kind];
  }
}

const settingsOf = ({ settings }: { readonly settings?: EngineSettings | undefined }): string =>
  settings === undefined ? '' : `, with ${printSettings(settings)}`;

/** A line without a command, with the settings at its end if there are any. */
function readEvent(line: string): Step | undefined {
  const [, plain, figures] = SETTINGS.exec(line) ?? [];
  const step = readPlainEvent(plain ?? line);
  return figures === undefined || (step?.kind !== 'restart' && step?.kind !== 'crash')
    ? step
    : { ...step, settings: readSettings(figures) };
}

function readPlainEvent(line: string): Step | undefined {
  // the keys of the literal
  for (const kind of Object.keys(words) as (keyof typeof words)[]) {
    if (words[kind] === line) return { kind };
  }
  if (line === RESTART) return { kind: 'restart', isFromSnapshot: false };
  if (line === `${RESTART}${FROM_SNAPSHOT}`) return { kind: 'restart', isFromSnapshot: true };
  const refusal = /^the disk fails (\d+) times$/.exec(line);
  if (refusal !== null) return { kind: 'refuse', writes: Number(refusal[1]) };
  const jump = /^the clock jumps by (-?\d+)ms$/.exec(line);
  if (jump !== null) return { kind: 'jump', byMs: Number(jump[1]) };
  const sleep = /^the machine sleeps for (\d+)ms$/.exec(line);
  if (sleep !== null) return { kind: 'sleep', forMs: Number(sleep[1]) };
  const crash = CRASH.exec(line)?.groups;
  if (crash === undefined) return undefined;
  const harm = DAMAGE.exec(crash.damage ?? '')?.groups;
  const damage =
    harm === undefined
      ? undefined
      : // the pattern admits these three kinds alone
        { kind: harm.kind as Damage['kind'], place: Number(harm.place), bit: Number(harm.bit) };
  const [isWritten, isTwice] = [crash.written !== undefined, crash.twice !== undefined];
  return { kind: 'crash', isWritten, damage, isTwice, isFromSnapshot: crash.snapshot !== undefined };
}

/** How far (ms) the clock is moved by a step other than a command. */
function movedBy(step: Step): number {
  if (step.kind === 'jump') return step.byMs;
  return step.kind === 'sleep' ? step.forMs : 0;
}

/** Steps as text, one a line, with commands in the notation of scenarios. */
export function printSteps(steps: readonly Step[]): string {
  let tMs = TIME_ZERO_MS;
  let nextMarket = 0;
  const lines = steps.map((step) => {
    tMs += movedBy(step);
    if (step.kind !== 'command') return inWords(step);
    tMs += step.waitMs;
    const wait = step.waitMs === 0 ? '' : `+${step.waitMs}ms `;
    const line = `${wait}${printCommand(step.command, { tMs, nextLabel: 0, nextMarket })}`;
    if (step.command.type === 'CreateMarket') nextMarket += 1;
    return line;
  });
  return lines.join('\n');
}

/** Parses the output of printSteps; empty lines and lines that begin with // are ignored. */
export function readSteps(text: string): Step[] {
  let tMs = TIME_ZERO_MS;
  let nextMarket = 0;
  const lines = text.split('\n').map((line) => line.trim());
  return lines
    .filter((line) => line !== '' && !line.startsWith('//'))
    .map((line, index): Step => {
      const event = readEvent(line);
      if (event !== undefined) {
        tMs += movedBy(event);
        return event;
      }
      const wait = /^\+(\d+)ms (.*)$/.exec(line);
      const waitMs = Number(wait?.[1] ?? 0);
      tMs += waitMs;
      const command = readCommand(wait?.[2] ?? line, { tMs, nextLabel: 1_000_000 + index, nextMarket });
      if (command.type === 'CreateMarket') nextMarket += 1;
      return { kind: 'command', waitMs, command };
    });
}
