// A process under the shim that records its writes: an exchange with its historian, used until the map of its files has
// grown several times. Each acknowledgement is written to a file of its own, which gives it a place among the writes.
// Started by powerLoss.ts; arguments: the data directory, the number of rounds.
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openExchange } from '../../engine/index.ts';
import { openHistorian } from '../../server/history/historian.ts';
import { commandsOf, settings, submitFounding } from '../pipeline/workload.ts';

const [dataDir, rounds] = process.argv.slice(2);
const historian = openHistorian({ dataDir });
const exchange = await openExchange({ dataDir, settings, followers: [], onDurable: historian.durable });
const acks = openSync(join(dataDir, 'acks'), 'a');
const acknowledge = (sequence: number): void => void writeSync(acks, `${sequence}\n`);
await submitFounding(exchange);
acknowledge(exchange.durableSequence);
const commands = commandsOf(11, () => exchange.now());
for (let round = 0; round < Number(rounds); round += 1) {
  // Batches of every size: one record, some dozens, and now and then so many that the map has to grow for them.
  const count = round % 40 === 39 ? 600 : 1 + ((round * 7) % 30);
  const answers = Array.from({ length: count }, () => exchange.submit(commands.next().value));
  for (const { sequence } of await Promise.all(answers))
    if (sequence === exchange.durableSequence) acknowledge(sequence);
  if (round % 10 === 9) await historian.caughtUp();
  await new Promise((resolve) => setTimeout(resolve, 2));
}
await historian.close();
await exchange.close();
closeSync(acks);
