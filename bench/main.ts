// The bench, run by `npm run bench`: everything, or one part. (a) the matching engine beside npm nodejs-order-book, (b) checks
// of order signatures beside the bare native library, (c) POST /order over loopback beside the rate that its parts allow. It
// prints a table a part and writes the figures with the machine to a JSON file. The exit status is 1 only when results disagree
// (a fast wrong book must lose); a floor that is not reached is reported and fails nothing: machines differ.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { figuresFile, optionsOrUsage, wholeNumber } from './lib/options.ts';
import { machine, machineText } from './lib/statistics.ts';
import type { Report } from './lib/table.ts';
import { benchMatching } from './matching.ts';
import { benchOrders } from './orders.ts';
import { benchSignatures } from './signatures.ts';

const USAGE = `npm run bench -- [options]
  --only a|b|c   one part: a matching, b signatures, c orders over loopback (may be given more than once)
  --rounds N     interleaved rounds a figure, default 5
  --ops N        timed ops of the matching bench, default 2000000
  --json FILE    where the figures go, default bench/results/latest.json`;

interface Options {
  readonly parts: ReadonlySet<string>;
  readonly rounds: number;
  readonly ops: number;
  readonly json: string;
}

function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true, default: ['a', 'b', 'c'] },
      rounds: { type: 'string', default: '5' },
      ops: { type: 'string', default: '2000000' },
      json: { type: 'string', default: join(import.meta.dirname, 'results/latest.json') },
    },
  });
  const unknown = values.only.find((part) => !['a', 'b', 'c'].includes(part));
  if (unknown !== undefined) throw new RangeError(`--only must be a, b or c, not ${unknown}.`);
  const { only, rounds, ops, json } = values;
  return {
    parts: new Set(only),
    rounds: wholeNumber('rounds', rounds),
    ops: wholeNumber('ops', ops),
    json: figuresFile(json),
  };
}

/** Writes a line that the next one replaces; does nothing unless the output is a terminal. */
function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}

async function main(): Promise<number> {
  const options = optionsOrUsage(() => readOptions(process.argv.slice(2)), USAGE);
  if (options === undefined) return 2;
  const { parts, rounds, ops, json } = options;
  const where = machine();
  console.log(machineText(where));
  const reports: Report[] = [];
  const take = (report: Report): void => {
    showProgress('');
    reports.push(report);
    console.log(['', report.title, ...report.lines].join('\n'));
  };
  if (parts.has('a')) take(await benchMatching({ rounds, timedOps: ops, onProgress: showProgress }));
  if (parts.has('b')) take(await benchSignatures({ rounds, onProgress: showProgress }));
  if (parts.has('c')) take(await benchOrders({ rounds, onProgress: showProgress }));
  const faults = reports.flatMap((report) => report.faults);
  const results = reports.map(({ title, lines, figures }) => ({ title, lines, figures }));
  writeFileSync(json, `${JSON.stringify({ machine: where, rounds, ops, results, faults }, null, 2)}\n`);
  for (const fault of faults) console.error(fault);
  return faults.length > 0 ? 1 : 0;
}

process.exitCode = await main();
