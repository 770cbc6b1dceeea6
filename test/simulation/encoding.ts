// Commands of a simulation as bytes: what the notation leaves out, the texts of markets and events, is made from their ids
// here, so that steps stay readable and mean the same whenever they are played. Used by simulation.ts and the tests.
import { type Command, encodeCommand } from '../../engine/index.ts';

const texts = (slug: string): Uint8Array =>
  new TextEncoder().encode(JSON.stringify({ slug, question: `About ${slug}?` }));

/** Encodes a command; `count` tells those apart whose texts must differ. */
export function encodeForSimulation(command: Command, count: number): Uint8Array {
  if (command.type === 'CreateMarket' && command.tail === undefined) {
    return encodeCommand({ ...command, tail: texts(`market-${Number.parseInt(command.conditionId.slice(-8), 16)}`) });
  }
  if (command.type === 'CreateEvent' && command.tail === undefined) {
    return encodeCommand({ ...command, tail: texts(`event-${count}`) });
  }
  return encodeCommand(command);
}
