// Shows how far a replay is: a bar with rate and time left on a terminal, a plain line now and then elsewhere. Called by
// the command alone; it only writes to the stream it is given.
import { Presets, SingleBar } from 'cli-progress';

/** Told of the rows played. */
export interface Progress {
  readonly advance: (rows: number) => void;
  readonly stop: () => void;
}

const LINE_EVERY_MS = 10_000;

function barOf(stream: NodeJS.WriteStream, total: number): Progress {
  const format = '{bar} {percentage} % | {value}/{total} rows | {rate} rows/s | {left} s left';
  const bar = new SingleBar({ format, stream, hideCursor: true, fps: 5, barsize: 30 }, Presets.shades_classic);
  const startedMs = Date.now();
  let done = 0;
  bar.start(total, 0, { rate: '-', left: '-' });
  return {
    advance: (rows) => {
      done += rows;
      const rate = done / Math.max(0.001, (Date.now() - startedMs) / 1000);
      bar.update(done, { rate: Math.round(rate), left: Math.round((total - done) / rate) });
    },
    stop: () => bar.stop(),
  };
}

function linesOf(stream: NodeJS.WritableStream, total: number): Progress {
  const startedMs = Date.now();
  let done = 0;
  let shownMs = startedMs;
  return {
    advance: (rows) => {
      done += rows;
      const nowMs = Date.now();
      if (nowMs - shownMs < LINE_EVERY_MS) return;
      shownMs = nowMs;
      const rate = done / ((nowMs - startedMs) / 1000);
      const left = Math.round((total - done) / rate);
      stream.write(`${done} of ${total} rows, ${Math.round(rate)} rows/s, about ${left} s left.\n`);
    },
    stop: () => undefined,
  };
}

/** Progress over so many rows, as fits the stream. */
export function showProgress(stream: NodeJS.WriteStream, total: number): Progress {
  return stream.isTTY ? barOf(stream, total) : linesOf(stream, total);
}
