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

/** When a task was first heard of, and what was already done by then, such as the records that a snapshot covers. */
interface Beginning {
  readonly ms: number;
  readonly done: number;
}

/** Rate in whole units a second since the beginning, and seconds left at that rate. */
function paceOf(beginning: Beginning, done: number, total: number) {
  const rate = (done - beginning.done) / Math.max(0.001, (performance.now() - beginning.ms) / 1000);
  return { rate: Math.round(rate), left: rate > 0 ? Math.round((total - done) / rate) : '-' };
}

function barOf(stream: NodeJS.WriteStream, title: string, unit: string): Progress {
  const format = `${title} {bar} {percentage} % | {value}/{total} ${unit} | {rate} per second | {left} s left`;
  const bar = new SingleBar({ format, stream, hideCursor: true, fps: 5, barsize: 30 }, Presets.shades_classic);
  let beginning: Beginning | undefined;
  let removeListeners: (() => void) | undefined;
  const stop = (): void => {
    bar.stop();
    removeListeners?.();
  };
  return {
    update: (done, total) => {
      if (beginning === undefined) {
        beginning = { ms: performance.now(), done };
        bar.start(total, 0, { rate: '-', left: '-' });
        removeListeners = beforeProcessEnds(stop);
      }
      bar.setTotal(total);
      bar.update(done, paceOf(beginning, done, total));
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

/**
 * Progress as an occasional line, for tasks that run while others also write to the stream. After `stop`, an update begins the
 * task anew.
 */
export function showProgressLines(stream: NodeJS.WritableStream, title: string, unit: string): Progress {
  let beginning: Beginning | undefined;
  let shownMs = 0;
  return {
    update: (done, total) => {
      const nowMs = performance.now();
      if (beginning === undefined) {
        beginning = { ms: nowMs, done };
        shownMs = nowMs;
      }
      if (nowMs - shownMs < LINE_EVERY_MS) return;
      shownMs = nowMs;
      const { rate, left } = paceOf(beginning, done, total);
      stream.write(`${title}: ${done} of ${total} ${unit}, ${rate} per second, about ${left} s left.\n`);
    },
    stop: () => {
      beginning = undefined;
    },
  };
}

/** Shows the progress of the task named by `title`, in units of `unit` ("records"), in the form that suits the stream. */
export function showProgress(stream: NodeJS.WriteStream, title: string, unit: string): Progress {
  return stream.isTTY ? barOf(stream, title, unit) : showProgressLines(stream, title, unit);
}
