// A bar for what takes a bench long, with rate and time left; on a stream that is no terminal, a line every ten seconds.
// Used by the bench of histories and its child. It only writes to standard error.
import { Presets, SingleBar } from 'cli-progress';

const LINE_EVERY_MS = 10_000;

export interface ProgressBar {
  /** So many are done. */
  update(done: number): void;
  stop(): void;
}

/** A bar over so many of what `unit` names. */
export function progressBar(title: string, total: number, unit: string): ProgressBar {
  const startedMs = performance.now();
  const rateOf = (done: number): number => done / Math.max(0.001, (performance.now() - startedMs) / 1000);
  if (!process.stderr.isTTY) return lines(title, total, unit, rateOf);
  const format = `${title} {bar} {percentage} % | {value}/{total} ${unit} | {rate} a second | {left} s left`;
  const bar = new SingleBar({ format, hideCursor: true, fps: 5, barsize: 30 }, Presets.shades_classic);
  bar.start(total, 0, { rate: '-', left: '-' });
  return {
    update: (done) => {
      const rate = rateOf(done);
      bar.update(done, { rate: Math.round(rate), left: Math.round((total - done) / rate) });
    },
    stop: () => bar.stop(),
  };
}

function lines(title: string, total: number, unit: string, rateOf: (done: number) => number): ProgressBar {
  let shownMs = performance.now();
  return {
    update: (done) => {
      if (performance.now() - shownMs < LINE_EVERY_MS) return;
      shownMs = performance.now();
      console.error(`${title}: ${done} of ${total} ${unit}, ${Math.round(rateOf(done))} a second.`);
    },
    stop: () => undefined,
  };
}
