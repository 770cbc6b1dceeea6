// Runs one exchange in this process from its start to its end: what is printed, what stops it, and how long a stop may take
// before the process kills itself. Called by cli.ts for start and serve. It knows no flag.
import { existsSync } from 'node:fs';
import { errorOf, journalFileIn, withDeadline } from '../engine/index.ts';
import type { CommandConfig, ServerConfig } from './config/config.ts';
import type { Environment } from './config/settings.ts';
import { FirstLookEnded } from './dataDirectory/firstLook.ts';
import { isFollowUpOfCommit } from './process/commitFollowUp.ts';
import { endSignals, FatalError } from './process/fatal.ts';
import { showProgress, showProgressLines } from './process/progress.ts';
import { STOP_SECONDS_MAX, stopLimit } from './process/stopLimit.ts';
import type { RunningServer } from './start.ts';

/** Why the exchange stops: a signal, or an error after which it cannot continue. */
type StopCause = NodeJS.Signals | Error;

/** Stops the exchange when it is fired; only the first cause counts. */
interface StopTrigger {
  readonly cause: Promise<StopCause>;
  /** Aborted when it is fired. */
  readonly stopped: AbortSignal;
  readonly fire: (cause: StopCause) => void;
}

/** A trigger that signals and unhandled errors fire. */
function makeStopTrigger(): StopTrigger {
  const controller = new AbortController();
  let resolveCause: (cause: StopCause) => void = () => {};
  const cause = new Promise<StopCause>((resolve) => {
    resolveCause = resolve;
  });
  const fire = (given: StopCause): void => {
    controller.abort();
    resolveCause(given);
  };
  // A second signal changes nothing: the launcher forwards each one, so a single Ctrl+C may arrive twice.
  for (const signal of endSignals) process.on(signal, () => fire(signal));
  process.on('uncaughtException', (error) => fire(error));
  process.on('unhandledRejection', (reason) => {
    if (isFollowUpOfCommit(reason)) return;
    fire(errorOf(reason));
  });
  return { cause, stopped: controller.signal, fire };
}

/** Aborts the journal's replay when the exchange is told to stop during start-up. */
class StoppedInReplay extends Error {}

async function printBanner(server: RunningServer): Promise<void> {
  const { config } = server.services;
  const { bannerJson, bannerText } = await import('./banner.ts');
  if (config.isJson) process.stdout.write(`${bannerJson(server)}\n`);
  else if (!config.isQuiet) process.stdout.write(bannerText(server));
}

/** Prints that a clean shutdown begins or has ended, if a text banner was printed. */
function printStop({ isJson, isQuiet }: ServerConfig, text: string): void {
  if (!isJson && !isQuiet) process.stdout.write(`${text}\n`);
}

async function stopOnSignal(server: RunningServer, config: CommandConfig, signal: NodeJS.Signals): Promise<void> {
  const { log } = server.services;
  log.info({ signal }, 'The exchange is stopping.');
  const newLine = process.stdout.isTTY && signal === 'SIGINT' ? '\n' : ''; // the terminal shows ^C
  printStop(
    config,
    `${newLine}${signal}: the exchange completes requests in progress and stops within ${STOP_SECONDS_MAX} s.`,
  );
  await stopInTime(server);
  log.info('The exchange has stopped.');
  const isInPlace = existsSync(journalFileIn(config.dataDir));
  const whereabouts = isInPlace ? 'All acknowledged data is in' : 'The exchange no longer finds its journal in';
  printStop(config, `Stopped. ${whereabouts} ${config.dataDir}.`);
}

/** Stops the server; if that takes longer than the limit, kills the process. `failure` is why it stops, unless on a signal. */
async function stopInTime(server: RunningServer, failure?: FatalError): Promise<void> {
  const isStopped = await withDeadline(
    server.stop().then(() => true),
    stopLimit.ms,
  );
  if (isStopped === undefined) killSelf(stoppedLate(), failure);
  else if (server.services.exchange.isLeftOpen) killLeftOpen(failure);
}

/** Kills the process if a start does not end in time after the exchange was told to stop. */
function limitStart(starting: Promise<unknown>, { cause }: StopTrigger): void {
  const ended = starting.then(
    () => true,
    () => true,
  );
  void cause.then(async (given) => {
    if ((await withDeadline(ended, stopLimit.ms)) !== undefined) return;
    killSelf(stoppedLate(), typeof given === 'string' ? undefined : failureOf(given));
  });
}

const stoppedLate = (): string => `did not stop within ${stopLimit.ms / 1000} s`;

/** Kills the process: a call to a hanging disk never returns, and a clean exit would wait for it too. */
function killSelf(what: string, failure?: FatalError): void {
  const cause = failure === undefined ? '' : `${failure.message}\n`;
  process.stderr.write(`${cause}The exchange ${what}; it now kills itself with SIGKILL.\n`);
  process.kill(process.pid, 'SIGKILL');
}

/** Kills the process because its journal cannot be closed. `failure` is why it stops, unless on a signal. */
export const killLeftOpen = (failure?: FatalError): void => killSelf('could not close its journal', failure);

/** The end of an exchange that an error stops. */
const failureOf = (cause: Error): FatalError =>
  cause instanceof FatalError
    ? cause
    : new FatalError('defect', `The exchange stopped because of a defect: ${cause.message}`);

/**
 * Shows the number of journal records done on standard error; ends with the last record. Not with --json, which keeps every
 * line there an object of the log.
 */
export function progressOf(
  { isJson, isQuiet }: Pick<ServerConfig, 'isJson' | 'isQuiet'>,
  what: string,
  show = showProgress,
): (done: number, total: number) => void {
  if (isJson || isQuiet) return () => {};
  const progress = show(process.stderr, what, 'records');
  return (done, total) => {
    progress.update(done, total);
    if (done >= total) progress.stop();
  };
}

/**
 * Runs an exchange until a signal stops it.
 * @throws FatalError if the start fails or an error stops the exchange
 */
export async function run(config: CommandConfig, env: Environment): Promise<void> {
  const stop = makeStopTrigger();
  const { stopped } = stop;
  // Loaded only now, so a wrong flag is reported at once.
  const { startServer } = await import('./start.ts');
  const showReplay = progressOf(config, 'Reading the journal');
  const onProgress = (done: number, total: number): void => {
    if (stopped.aborted) throw new StoppedInReplay();
    showReplay(done, total);
  };
  const onHistoryProgress = progressOf(config, 'Indexing the histories', showProgressLines);
  const onFatal = stop.fire;
  const starting = startServer({ config, env, onFatal, onProgress, onHistoryProgress, stopped });
  limitStart(starting, stop);
  const server = await starting.catch((error: unknown) => {
    const isStopped = error instanceof FirstLookEnded ? stopped.aborted : error instanceof StoppedInReplay;
    if (!isStopped) throw error;
  });
  if (server === undefined) {
    const cause = await stop.cause;
    if (typeof cause !== 'string') throw cause;
    return printStop(config, `${cause}: stopped while reading the journal.`);
  }
  server.services.log.info(
    { url: server.url, dataDir: config.dataDir, mode: config.mode },
    'The exchange has started.',
  );
  if (!stopped.aborted) await printBanner(server);
  const cause = await stop.cause;
  if (typeof cause === 'string') return stopOnSignal(server, config, cause);
  server.services.log.fatal({ err: cause }, 'The exchange cannot continue and is stopping.');
  // The cause may make the clean shutdown fail too; only the first error is reported.
  const failure = failureOf(cause);
  await stopInTime(server, failure).catch((error: unknown) =>
    server.services.log.error({ err: error }, 'The shutdown failed too.'),
  );
  throw failure;
}
