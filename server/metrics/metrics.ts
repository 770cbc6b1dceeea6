// A server's figures in one place: those that its parts update while they work, and the text of all figures for GET
// /metrics. Created by openServices.ts; start.ts has server/watch.ts fill it. Nothing depends on it.
import { Figures } from './figures.ts';
import { processFigures } from './process.ts';
import { RequestFigures } from './requests.ts';

export class Metrics {
  /** Counts of answered requests. */
  readonly requests = new RequestFigures();
  /** Figures read from the server's parts on request. */
  readonly figures = new Figures();
  private inProgress: Promise<string> | undefined;

  /**
   * All figures in Prometheus' text exposition format 0.0.4, those of the process last. Concurrent callers share one text,
   * so many readers cost no more than one. Rejects if a figure cannot be read.
   */
  text(): Promise<string> {
    this.inProgress ??= this.gather().finally(() => {
      this.inProgress = undefined;
    });
    return this.inProgress;
  }

  private async gather(): Promise<string> {
    const texts = await Promise.all([this.figures.text(), processFigures().text()]);
    return texts.join('\n');
  }
}
