// A process that indexes a journal in small commits until it is killed. Arguments: the data directory, the sequences to
// begin and to end with, and how many more to announce to the historian at a time. Started by the recovery tests. It prints
// its progress, and why an index was dropped.
import { openHistorian } from '../../server/history/historian.ts';

const [dataDir, first, last, step] = process.argv.slice(2);
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const historian = openHistorian({
  dataDir,
  recordsPerCommit: 5,
  log: (_, text, figures = {}) => print(`log ${text} ${JSON.stringify(figures)}`),
});

for (let sequence = Number(first); ; sequence = Math.min(Number(last), sequence + Number(step))) {
  historian.durable(new Uint8Array(), sequence);
  await historian.caughtUp();
  print(`indexed ${sequence}`);
  if (sequence === Number(last)) break;
}
// Stays alive until the kill, or until nobody holds its pipes any more.
process.stdin.resume();
