// The command `replay FILE`: plays a recorded flow of level changes and prints on a running exchange and reports how well
// its books agree with the recording. Called by cli.ts with the command's arguments. It uses only the exchange's public
// interface, so its result applies to whichever exchange is running.
import { Command, CommanderError } from 'commander';
import { STOCK_CHAINS } from '../auth/contracts.ts';
import { resolveAdminToken } from '../config/config.ts';
import type { Environment } from '../config/settings.ts';
import { exchangeUrl } from '../process/exchangeUrl.ts';
import { fatal } from '../process/fatal.ts';
import { type Progress, showProgress } from '../process/progress.ts';
import { readFlow } from './replay/flowFile.ts';
import { ACCOUNTS_MAX, ACCOUNTS_MIN, checkEveryFor, type ReplayOptions, replayFlow } from './replay/replayFlow.ts';
import { AGREEMENT_MIN, percentText, summaryLines } from './replay/summary.ts';

const FILE_EXPECTED =
  'replay needs the file of a recorded flow, such as flow_20260607.csv.gz (plain or .gz), ' +
  'with its token ids beside it in tokens_20260607.json: npm run replay -- FILE';

/** Fifteen digits, which are exact as a number. */
const COUNT_MAX = 999_999_999_999_999;

type Arguments = {
  readonly file: string;
  readonly rows: number | undefined;
  readonly checkEvery: number | undefined;
  readonly options: Omit<ReplayOptions, 'checkEvery'>;
};

function wholeNumber(name: string, min: number, max: number, text: string): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  fatal('usage', `${name} must be a whole number from ${min} to ${max}; it is ${text}.`);
}

/** Parses the id of a chain whose contracts are known here. */
function stockChain(text: string): number {
  const known = STOCK_CHAINS.map(({ chainId }) => String(chainId));
  if (!known.includes(text)) fatal('usage', `--chain must be ${known.join(' or ')}; it is ${text}.`);
  return Number(text);
}

function replayCommand(): Command {
  const count =
    (name: string, min: number, max = COUNT_MAX) =>
    (text: string) =>
      wholeNumber(name, min, max, text);
  return new Command('outcry replay')
    .description('Play a recorded flow on a running exchange and compare its books with the recording.')
    .argument('[file]', 'flow_*.csv or flow_*.csv.gz, with tokens_*.json beside it')
    .option(
      '--url <address>',
      'where the exchange listens',
      (text) => exchangeUrl(text, ['http:']).origin,
      'http://127.0.0.1:8080',
    )
    .option('--admin-token <token>', "bearer token of the exchange's /admin (development: dev-admin)")
    .option('--rows <number>', 'play only the first so many rows', count('--rows', 1))
    .option('--check-every <number>', 'compare books after every so many rows', count('--check-every', 1))
    .option('--accounts <number>', 'wallets that trade', count('--accounts', ACCOUNTS_MIN, ACCOUNTS_MAX), 120)
    .option('--chain <id>', 'chain that the exchange expects orders to be signed for', stockChain, 137)
    .option('--seed <number>', "seed of the wallets' keys and turns", count('--seed', 0), 1)
    .exitOverride();
}

/** The validated arguments; undefined if only help was requested. */
function parseArguments(args: readonly string[], env: Environment, folder: string): Arguments | undefined {
  const command = replayCommand().configureOutput({ outputError: () => undefined });
  try {
    command.parse([...args], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return undefined;
    fatal('usage', `${error.message.replace(/^error: /, 'replay: ').replace(/\.?$/, '.')}`);
  }
  const [file] = command.args;
  if (file === undefined) fatal('usage', `${FILE_EXPECTED}.`);
  const given = command.opts<{
    url: string;
    adminToken?: string;
    rows?: number;
    checkEvery?: number;
    accounts: number;
    chain: number;
    seed: number;
  }>();
  const { url, accounts, chain: chainId, seed } = given;
  const adminToken = resolveAdminToken({ adminToken: given.adminToken }, env, folder);
  const options = { url, adminToken, accounts, chainId, seed };
  return { file, rows: given.rows, checkEvery: given.checkEvery, options };
}

/**
 * Runs the command and prints its summary.
 * @param args the arguments after `replay` on the command line
 * @param folder the folder of the configuration file, which is read for the token only
 * @returns the exit status: 0, or 1 if too few levels agree
 * @throws FatalError (usage) if arguments, file or exchange are not usable
 */
export async function runReplay(args: readonly string[], env: Environment, folder: string): Promise<number> {
  const given = parseArguments(args, env, folder);
  if (given === undefined) return 0;
  const flow = readFlow(given.file, given.rows);
  const write = (line: string): boolean => process.stdout.write(`${line}\n`);
  let progress: Progress | undefined;
  let done = 0;
  try {
    const { tally, figures } = await replayFlow(flow, {
      ...given.options,
      checkEvery: given.checkEvery ?? checkEveryFor(flow.rows.length),
      onPhase: write,
      onRows: (count) => {
        done += count;
        progress ??= showProgress(process.stdout, 'Replaying', 'rows');
        progress.update(done, flow.rows.length);
      },
    });
    progress?.stop();
    progress = undefined;
    for (const line of summaryLines(tally, figures)) write(line);
    if (tally.agreement >= AGREEMENT_MIN) return 0;
    write(`The agreement is below ${percentText(AGREEMENT_MIN)}.`);
    return 1;
  } finally {
    progress?.stop();
  }
}
