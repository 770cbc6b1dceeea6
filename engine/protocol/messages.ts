// The commands and events as plain objects. Their types are derived from the layouts, so each list exists once.
// Used by gateways, followers and tests; the core reads and writes the bytes directly.
import type { commandLayouts, eventLayouts, Field, Fields, NumberKind } from './layout.ts';

/** Numbers as numbers, fixed-width bytes as lower-case `0x…` text. */
export type Values<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<NumberKind> ? number : string };

type CommandTable = typeof commandLayouts;
type EventTable = typeof eventLayouts;

/** A command: the request of one client or operator. `items` only where its layout has them, `tail` only with texts. */
export type Command = {
  readonly [N in keyof CommandTable]: { readonly type: N } & Values<CommandTable[N]['fields']> & {
      readonly items?: readonly string[];
      readonly tail?: Uint8Array;
    };
}[keyof CommandTable];

/** An event: one consequence of a command. */
export type EngineEvent = {
  readonly [N in keyof EventTable]: { readonly type: N } & Values<EventTable[N]['fields']>;
}[keyof EventTable];

export type CommandOf<N extends Command['type']> = Extract<Command, { readonly type: N }>;
export type EventOf<N extends EngineEvent['type']> = Extract<EngineEvent, { readonly type: N }>;
