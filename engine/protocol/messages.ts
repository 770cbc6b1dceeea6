// The commands and events as plain objects: their types follow from the layouts, so that each list exists once.
// Used by gateways, followers and tests; the core reads and writes the bytes directly.
import type { commandLayouts, eventLayouts, Field, Fields, NumberKind } from './layout.ts';

/** Numbers as numbers, fixed-width bytes as lower-case `0x…` text. */
type Values<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<NumberKind> ? number : string };

type CommandTable = typeof commandLayouts;
type EventTable = typeof eventLayouts;

/** A command: what one client or operator asks for. `items` and `tail` only where its layout has them or texts come along. */
export type Command = {
  readonly [N in keyof CommandTable]: { readonly type: N } & Values<CommandTable[N]['fields']> & {
      readonly items?: readonly string[];
      readonly tail?: Uint8Array;
    };
}[keyof CommandTable];

/** An event: one thing that has happened because of a command. */
export type EngineEvent = {
  readonly [N in keyof EventTable]: { readonly type: N } & Values<EventTable[N]['fields']>;
}[keyof EventTable];

export type CommandOf<N extends Command['type']> = Extract<Command, { readonly type: N }>;
export type EventOf<N extends EngineEvent['type']> = Extract<EngineEvent, { readonly type: N }>;
