// The command line: start, serve, import, replay and the tools of a data directory. Defines each command's flags and actions;
// run.ts runs the exchange of start and serve. Called by main.ts, and by tests.
import { readFileSync } from 'node:fs';
import { Command, CommanderError, Option } from 'commander';
import { reasonOf, wouldWaitForJournal } from '../engine/index.ts';
import { hasServerSecret, secretFileIn } from './auth/serverSecret.ts';
import {
  type CommandConfig,
  resolveAdminToken,
  resolveConfig,
  resolveToolConfig,
  type ToolConfig,
} from './config/config.ts';
import { type Environment, type Flags, optionTable } from './config/settings.ts';
import { counted } from './lib/counted.ts';
import { exitStatuses, FatalError, fatal } from './process/fatal.ts';
import { lostOutput } from './process/lostOutput.ts';
import { killLeftOpen, progressOf, run } from './run.ts';

const PACKAGE_FILE = new URL('../package.json', import.meta.url);

const STATUS_HELP = [
  '',
  'Exit statuses:',
  '   0  the command succeeded, or the exchange stopped as requested',
  '   1  a failure without a status of its own',
  ...Object.values(exitStatuses).map(({ status, meaning }) => `  ${String(status).padStart(2)}  ${meaning}`),
  '',
  'Every flag of start and serve can also be set as an environment variable (--data-dir as OUTCRY_DATA_DIR, the port also',
  'as PORT) or, except --config, as a key of outcry.config.json (dataDir). Flags override variables, variables the file.',
].join('\n');

const IMPORT_HELP = [
  '',
  'With --data-dir the exchange must be stopped: the import opens its data directory with the settings of the flags above.',
  'Without it they are refused, except --admin-token and --config: a running exchange has its own settings.',
].join('\n');

/** Adds flags of the settings table to a command: all of them, or those of these keys. */
export function addOptions(command: Command, keys?: readonly string[]): Command {
  for (const { key, flags, kind, help } of optionTable) {
    if (keys !== undefined && !keys.includes(key)) continue;
    for (const [index, text] of flags.entries()) {
      const option = new Option(text, help[index]);
      if (option.attributeName() !== key) throw new Error(`options: ${text} is not the flag of ${key}`);
      if (kind === 'list')
        option.argParser((value: string, earlier: string[] | undefined) => [...(earlier ?? []), value]);
      command.addOption(option);
    }
  }
  return command.option('--config <file>', 'configuration file (default outcry.config.json, if it exists)');
}

/** The flags actually given: a negated flag alone has a default of its own, which must not override the file. */
export function givenFlags(command: Command): Flags {
  const values: Flags = command.opts();
  return Object.fromEntries(Object.entries(values).filter(([key]) => command.getOptionValueSource(key) === 'cli'));
}

function requireSecret({ dataDir }: CommandConfig, env: Environment): void {
  if (hasServerSecret(dataDir, env)) return;
  fatal(
    'usage',
    'serve needs the secret that API keys are derived from: set OUTCRY_SECRET, for example to the output of ' +
      `"openssl rand -hex 32", or write such an output to ${secretFileIn(dataDir)}, with mode 600.`,
  );
}

/** Adds the commands that work on a data directory; none of them starts an exchange. */
function addTools(program: Command, env: Environment, folder: string): void {
  const configOf = (command: Command): ToolConfig => resolveToolConfig(givenFlags(command), env, folder);
  addOptions(program.command('verify'), ['dataDir', 'chain', 'json'])
    .description('check a journal: checksums, hash chain, replay, conservation; exit status 1 if it is damaged')
    .option('--signatures', 'also check the signature of every order, for the chain set by --chain (default 137)')
    .addHelpText('after', STATUS_HELP)
    .action(async (_flags, command: Command) => {
      const config = configOf(command);
      const contracts = command.opts().signatures === true ? config.contracts : undefined;
      const { runVerify } = await import('./tools/verify.ts');
      process.exitCode = await runVerify({ dataDir: config.dataDir, contracts, isJson: config.isJson });
    });
  addOptions(program.command('backup'), ['dataDir'])
    .description('copy a data directory into a new folder, even while it is in use, and verify the copy')
    .argument('<folder>', 'folder of the copy; must be absent or empty')
    .addHelpText('after', STATUS_HELP)
    .action(async (target: string, _flags, command: Command) => {
      const { runCopy } = await import('./tools/copy.ts');
      process.exitCode = await runCopy({ from: configOf(command).dataDir, to: target, lastSequence: undefined });
    });
  addOptions(program.command('archive'), ['dataDir'])
    .description(
      'move the records that no snapshot needs to another folder; the exchange must be stopped; nothing is deleted',
    )
    .argument('<folder>', 'folder in which a folder with these records is created')
    .addHelpText('after', `\nRequires disk space for a copy of what remains in the data directory.\n${STATUS_HELP}`)
    .action(async (target: string, _flags, command: Command) => {
      const { runArchive } = await import('./tools/archive.ts');
      process.exitCode = await runArchive(configOf(command).dataDir, target);
    });
  addOptions(program.command('restore'), ['dataDir'])
    .description('create a data directory from a backup or a damaged data directory, up to a sequence')
    .argument('<backup>', 'folder to read')
    .option('--to <sequence>', 'last record to restore; needed where a record is damaged (default: the last one)')
    .addHelpText('after', STATUS_HELP)
    .action(async (source: string, flags: { readonly to?: string }, command: Command) => {
      const { runCopy } = await import('./tools/copy.ts');
      process.exitCode = await runCopy({ from: source, to: configOf(command).dataDir, lastSequence: flags.to });
    });
}

/** Flags of import that have an effect on the import into a running exchange. */
const RUNNING_KEYS = ['url', 'adminToken', 'config'];

/** Refuses the other flags: they are settings of the exchange that an import with --data-dir opens. */
function requireRunningFlags(command: Command): void {
  const flags = givenFlags(command);
  const idle = command.options.find((option) => {
    const key = option.attributeName();
    return key in flags && !RUNNING_KEYS.includes(key) && option.negate === (flags[key] === false);
  });
  if (idle === undefined) return;
  fatal('usage', `${idle.long} requires --data-dir: a running exchange, which --url names, has its own settings.`);
}

/** While an import has the data directory nobody can send a heartbeat: no session lapses (ms) before the next start renews all. */
const IMPORT_HEARTBEAT_MS = 30 * 86_400_000;

/** Imports a file into the exchange at --url, or into the data directory given by --data-dir. */
async function runImport(file: string, command: Command, env: Environment, folder: string): Promise<void> {
  const flags = givenFlags(command);
  const { url, venue } = command.opts<{ readonly url: string; readonly venue?: boolean }>();
  const { importFile } = await import('./import/command.ts');
  const { openedTarget, runningTarget } = await import('./import/targets.ts');
  const printCounts = ({ events, markets }: { readonly events: number; readonly markets: number }): void => {
    process.stdout.write(`Imported ${counted(events, 'event')} with ${counted(markets, 'market')}.\n`);
  };
  if (flags.dataDir === undefined) {
    requireRunningFlags(command);
    printCounts(await importFile(file, await runningTarget(url, resolveAdminToken(flags, env, folder))));
    return;
  }
  const given = resolveConfig(venue === true ? 'production' : 'development', flags, env, folder);
  const engine = { ...given.engine, heartbeatWindowMs: IMPORT_HEARTBEAT_MS };
  const config = { ...given, engine, snapshotEvery: 0 }; // followers stop following the log before the import is submitted
  const { closeServices, openServices, failOnStorage } = await import('./openServices.ts');
  const { firstStart } = await import('./dev/firstStart.ts');
  const onFatal = (error: Error): void => {
    process.stderr.write(`${error.message}\n`);
  };
  const services = await openServices({ config, env, onFatal, onProgress: progressOf(config, 'Reading the journal') });
  try {
    if (venue !== true) await firstStart(services);
    printCounts(await importFile(file, openedTarget(services)));
  } catch (error) {
    const more = ' Either all of it was imported or nothing: start the exchange to find out.';
    failOnStorage(error, 'The import cannot be written', more);
    throw error;
  } finally {
    await closeServices(services);
  }
}

function packageVersion(): string {
  const { version }: { readonly version: string } = JSON.parse(readFileSync(PACKAGE_FILE, 'utf8'));
  return version;
}

/** Fails if the output of a command whose purpose is its output could not be written. */
async function requireReport(): Promise<void> {
  const lost = await lostOutput();
  if (lost !== undefined) fatal('output', `Standard output cannot be written: ${reasonOf(lost)}.`);
}

/** The program; runCli awaits the promises that its actions return. */
function makeProgram(env: Environment, folder: string): Command {
  const program = new Command('outcry').description('A prediction-market exchange that anyone can run.');
  program.exitOverride().addHelpText('after', STATUS_HELP).enablePositionalOptions();
  program.version(packageVersion(), '--version', 'print the version of the program');
  // An exchange continues even if its output cannot be written.
  program.hook('postAction', (_program, command) =>
    ['start', 'serve'].includes(command.name()) ? undefined : requireReport(),
  );
  addOptions(program.command('start'))
    .description('start for development, with seed markets, ten funded wallets and a faucet')
    .addHelpText('after', STATUS_HELP)
    .action((_flags, command: Command) => run(resolveConfig('development', givenFlags(command), env, folder), env));
  addOptions(program.command('serve'))
    .description('start as a venue; requires --chain, an admin token and a secret')
    .addHelpText('after', STATUS_HELP)
    .action((_flags, command: Command) => {
      const config = resolveConfig('production', givenFlags(command), env, folder);
      requireSecret(config, env);
      return run(config, env);
    });
  addTools(program, env, folder);
  const keys = optionTable.map(({ key }) => key).filter((key) => key !== 'dataDir');
  addOptions(program.command('import'), keys)
    .description('import a catalog of JSON lines, all or nothing, into a running or a stopped exchange')
    .argument('<file>', 'tags, series, events and markets, one JSON object per line (plain or .gz)')
    .addOption(
      new Option('--url <address>', 'address of the running exchange')
        .default('http://127.0.0.1:8080')
        .conflicts('dataDir'),
    )
    .option('--data-dir <folder>', 'data directory of an exchange that is not running, to import into instead')
    .option('--venue', 'the data directory belongs, or will belong, to serve')
    .addHelpText('after', `${IMPORT_HELP}\n${STATUS_HELP}`)
    .action((file: string, _flags, command: Command) => runImport(file, command, env, folder));
  program
    .command('replay')
    .description('replay recorded market data against an exchange')
    .helpOption(false)
    .allowUnknownOption()
    .argument('[arguments...]')
    .passThroughOptions()
    .action(async (args: readonly string[]) => {
      const { runReplay } = await import('./dev/replay.ts');
      process.exitCode = await runReplay(args, env, folder);
    });
  return program;
}

/** Runs the program; returns the exit status. Commander also throws when it has printed a help text or the version. */
async function parseAndRun(program: Command, args: readonly string[]): Promise<number> {
  try {
    await program.parseAsync([...args], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) return exitStatuses.usage.status;
    await requireReport();
  }
  return Number(process.exitCode ?? 0);
}

/** The exit status of a command line; errors are printed. */
async function statusOf(args: readonly string[], env: Environment, folder: string): Promise<number> {
  try {
    return await parseAndRun(makeProgram(env, folder), args);
  } catch (error) {
    if (error instanceof FatalError) {
      process.stderr.write(`${error.message}\n`);
      return error.status;
    }
    process.stderr.write(`The exchange stopped because of a defect: ${error instanceof Error ? error.stack : error}\n`);
    return exitStatuses.defect.status;
  }
}

/**
 * Runs a command line to its end.
 * @param args without the program's own name
 * @returns the exit status; errors have been printed
 */
export async function runCli(args: readonly string[], env: Environment, folder: string): Promise<number> {
  const status = await statusOf(args, env, folder);
  if (wouldWaitForJournal()) killLeftOpen();
  return status;
}
