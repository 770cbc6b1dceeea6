// A server's figures in one place: those that its parts add to while they work, and the text of all that GET /metrics
// answers. Made by openServices.ts; start.ts has watch.ts fill it. It is never needed for anything but being read.
import { Figures } from './figures.ts';
import { processFigures } from './process.ts';
import { RequestFigures } from './requests.ts';

export class Metrics {
  /** What the door has answered. */
  readonly requests = new RequestFigures();
  /** What is read from the server's parts when somebody asks. */
  readonly figures = new Figures();
  private inProgress: Promise<string> | undefined;

  /**
   * All figures in Prometheus' text exposition format 0.0.4, those of the process last. Who asks while they are gathered gets
   * the same text, so that many readers cost no more than one. Rejects when a figure cannot be read.
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
