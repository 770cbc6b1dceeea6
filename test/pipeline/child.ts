// A process that runs an exchange on a data directory and submits commands as fast as it can, printing each batch of
// acknowledged sequences, until it is killed. Started by the recovery tests with the directory and a seed as arguments.
import { openExchange } from '../../engine/index.ts';
import { commandsOf, settings, submitFounding } from './workload.ts';

const [dataDir, seed] = process.argv.slice(2);
const exchange = await openExchange({
  dataDir,
  settings,
  followers: [],
  log: (level, text, figures) => console.error(level, text, JSON.stringify(figures ?? {})),
});
console.log(`open ${exchange.durableSequence}`);
if (exchange.durableSequence === 1) await submitFounding(exchange);
const commands = commandsOf(Number(seed), () => exchange.now());
for (let round = 1; ; round += 1) {
  const batch = Array.from({ length: 1 + ((round * 7) % 40) }, () => commands.next().value);
  for (const command of batch) {
    exchange.submit(command).then(
      ({ sequence }) => process.stdout.write(`ack ${sequence}\n`),
      (error: Error) => process.stdout.write(`refused ${error.message}\n`),
    );
  }
  await new Promise<void>((resolve) => setTimeout(resolve, 1));
}
