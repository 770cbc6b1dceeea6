// Encodes the commands of a simulation. Texts of markets and events, which the notation omits, are derived from their ids and
// from the command's number here: steps stay readable and mean the same whenever they are played. Used by simulation.ts.
import { type Command, encodeCommand } from '../../engine/index.ts';

const texts = (slug: string): Uint8Array =>
  new TextEncoder().encode(JSON.stringify({ slug, question: `About ${slug}?` }));

/** Encodes a command; `count` distinguishes commands whose texts must differ. */
export function encodeForSimulation(command: Command, count: number): Uint8Array {
  if (command.type === 'CreateMarket' && command.tail === undefined) {
    return encodeCommand({ ...command, tail: texts(`market-${Number.parseInt(command.conditionId.slice(-8), 16)}`) });
  }
  if (command.type === 'CreateEvent' && command.tail === undefined) {
    return encodeCommand({ ...command, tail: texts(`event-${count}`) });
  }
  return encodeCommand(command);
}
