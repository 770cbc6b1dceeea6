// Shows the progress of a long task: a bar with rate and time left on a terminal, a plain line every ten seconds elsewhere.
// Used by the command line, its tools, import, replay and the benches. It writes only to the stream that it is given.
import { Presets, SingleBar } from 'cli-progress';
import { endSignals } from './fatal.ts';

/** Receives progress, as often as the caller likes. */
export interface Progress {
  readonly update: (done: number, total: number) => void;
  readonly stop: () => void;
}

const LINE_EVERY_MS = 10_000;

/** Rate in whole units a second, and seconds left. */
function paceOf(startedMs: number, done: number, total: number) {
  const rate = done / Math.max(0.001, (performance.now() - startedMs) / 1000);
  return { rate: Math.round(rate), left: rate > 0 ? Math.round((total - done) / rate) : '-' };
}

function barOf(stream: NodeJS.WriteStream, title: string, unit: string): Progress {
  const format = `${title} {bar} {percentage} % | {value}/{total} ${unit} | {rate} per second | {left} s left`;
  const bar = new SingleBar({ format, stream, hideCursor: true, fps: 5, barsize: 30 }, Presets.shades_classic);
  const startedMs = performance.now();
  let removeListeners: (() => void) | undefined;
  const stop = (): void => {
    bar.stop();
    removeListeners?.();
  };
  return {
    update: (done, total) => {
      if (removeListeners === undefined) {
        bar.start(total, 0, { rate: '-', left: '-' });
        removeListeners = beforeProcessEnds(stop);
      }
      bar.setTotal(total);
      bar.update(done, paceOf(startedMs, done, total));
    },
    stop,
  };
}

/**
 * Runs `act` before the process ends, whether by itself or by a signal, which then takes its usual effect. A bar hides the
 * cursor, and the terminal outlives the process.
 * @returns a function that removes the listeners
 */
function beforeProcessEnds(act: () => void): () => void {
  const onSignal = (signal: NodeJS.Signals): void => {
    act(); // removes our signal listeners; any other listener decides what the signal does
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  process.on('exit', act);
  for (const signal of endSignals) process.prependListener(signal, onSignal);
  return () => {
    process.off('exit', act);
    for (const signal of endSignals) process.off(signal, onSignal);
  };
}

/** Progress as an occasional line, for tasks that run while others also write to the stream. */
export function showProgressLines(stream: NodeJS.WritableStream, title: string, unit: string): Progress {
  const startedMs = performance.now();
  let shownMs = startedMs;
  return {
    update: (done, total) => {
      if (performance.now() - shownMs < LINE_EVERY_MS) return;
      shownMs = performance.now();
      const { rate, left } = paceOf(startedMs, done, total);
      stream.write(`${title}: ${done} of ${total} ${unit}, ${rate} per second, about ${left} s left.\n`);
    },
    stop: () => undefined,
  };
}

/** Shows the progress of the task named by `title`, in units of `unit` ("records"), in the form that suits the stream. */
export function showProgress(stream: NodeJS.WriteStream, title: string, unit: string): Progress {
  return stream.isTTY ? barOf(stream, title, unit) : showProgressLines(stream, title, unit);
}
