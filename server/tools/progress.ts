// How far a tool is: a bar with rate and time left on a terminal, a plain line every ten seconds elsewhere. Called by the
// tools of this folder; it writes to the stream that it is given and to nothing else.
import { Presets, SingleBar } from 'cli-progress';

/** Told how much is done, as often as anyone likes. */
export interface ToolProgress {
  readonly update: (done: number, total: number) => void;
  readonly stop: () => void;
}

const LINE_EVERY_MS = 10_000;

function barOf(stream: NodeJS.WriteStream, what: string): ToolProgress {
  const format = `{bar} {percentage} % | {value}/{total} ${what} | {rate}/s | {left} s left`;
  const bar = new SingleBar({ format, stream, hideCursor: true, fps: 5, barsize: 30 }, Presets.shades_classic);
  const startedMs = Date.now();
  let isStarted = false;
  return {
    update: (done, total) => {
      if (!isStarted) bar.start(total, 0, { rate: '-', left: '-' });
      isStarted = true;
      const rate = done / Math.max(0.001, (Date.now() - startedMs) / 1000);
      bar.update(done, { rate: Math.round(rate), left: rate > 0 ? Math.round((total - done) / rate) : '-' });
    },
    stop: () => bar.stop(),
  };
}

function linesOf(stream: NodeJS.WritableStream, what: string): ToolProgress {
  let shownMs = Date.now();
  return {
    update: (done, total) => {
      const nowMs = Date.now();
      if (nowMs - shownMs < LINE_EVERY_MS) return;
      shownMs = nowMs;
      stream.write(`${done} of ${total} ${what}.\n`);
    },
    stop: () => undefined,
  };
}

/** Progress in units of `what` ("records"), as fits the stream. */
export function showProgress(stream: NodeJS.WriteStream, what: string): ToolProgress {
  return stream.isTTY ? barOf(stream, what) : linesOf(stream, what);
}
