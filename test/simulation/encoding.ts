// Encodes the commands of a simulation. Texts of markets and events, which the notation omits, are derived from their ids and
// from the command's number here: steps stay readable and mean the same whenever they are played. Used by simulation.ts.
import { type Command, encodeCommand } from '../../engine/index.ts';
import { tailOf } from '../support/commandParts.ts';

const texts = (slug: string) => ({ slug, question: `About ${slug}?` });

/** The texts of the market whose ids have this number. */
export const marketTexts = (number: number) => texts(`market-${number}`);

/** Encodes a command; `count` distinguishes commands whose texts must differ. */
export function encodeForSimulation(command: Command, count: number): Uint8Array {
  if (command.type === 'CreateMarket' && command.tail === undefined) {
    const number = Number.parseInt(command.conditionId.slice(-8), 16);
    return encodeCommand({ ...command, tail: tailOf(marketTexts(number)) });
  }
  if (command.type === 'CreateEvent' && command.tail === undefined) {
    return encodeCommand({ ...command, tail: tailOf(texts(`event-${count}`)) });
  }
  return encodeCommand(command);
}
