// A registry of figures that are read on request: the exchange reports nothing to it while it works. A thin layer over
// prom-client, which implements the format. Filled by the other files of this folder; each server has its own, so several
// in one process stay separate.
import { Counter, Gauge, Registry } from 'prom-client';
import { type Distribution, LoopTurn } from '../../engine/index.ts';

export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;
const PREFIX = 'outcry_';
/** How long (ms) the text is rendered before requests get their turn. */
const TURN_MS = 1;

/** Values of a figure's labels, by name. */
type Labels<Name extends string> = Readonly<Record<Name, string>>;
/** Records one sample of a figure with labels. */
type Put<Name extends string> = (labels: Labels<Name>, value: number) => void;

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };
const labelText = (labels: Labels<string>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, (found) => escapes[found])}"`)
    .join(',');

/** The samples of one distribution: cumulative buckets, sum and count. */
function distributionText(name: string, labels: string, { bounds, counts, sum }: Distribution): string {
  const [and, own] = labels === '' ? ['', ''] : [`,${labels}`, `{${labels}}`];
  let text = '';
  let count = 0;
  for (let part = 0; part < counts.length; part += 1) {
    count += counts[part];
    text += `${name}_bucket{le="${part < bounds.length ? bounds[part] : '+Inf'}"${and}} ${count}\n`;
  }
  return `${text}${name}_sum${own} ${sum}\n${name}_count${own} ${count}`;
}

/** Names are passed without their prefix. */
export class Figures {
  private readonly registry = new Registry();
  /** Renders each figure, in the order of registration. */
  private readonly writers: ((turn: LoopTurn) => Promise<string>)[] = [];

  /**
   * The text exposition format, rendered in small steps, since every request waits for the thread that renders it. Rejects
   * if a figure cannot be read.
   */
  async text(): Promise<string> {
    const turn = new LoopTurn(TURN_MS);
    const texts: string[] = [];
    for (const write of this.writers) {
      texts.push(await write(turn));
      if (turn.isOver) await turn.next();
    }
    return `${texts.join('\n\n')}\n`;
  }

  /** A value that rises and falls; undefined = unknown at present, and left out. */
  gauge(name: string, help: string, read: () => number | undefined | Promise<number | undefined>): void {
    const gauge: Gauge = new Gauge({
      ...this.about(name, help),
      collect: async () => {
        const value = await read();
        if (value === undefined) gauge.remove();
        else gauge.set(value);
      },
    });
  }

  /** Values that rise and fall, by labels: `read` passes every sample to `put`; labels that it omits are not shown. */
  gauges<Name extends string>(name: string, help: string, labelNames: readonly Name[], read: (put: Put<Name>) => void) {
    const gauge: Gauge<Name> = new Gauge({
      ...this.about(name, help),
      labelNames: [...labelNames],
      collect: () => {
        gauge.reset();
        read((labels, value) => gauge.set(labels, value));
      },
    });
  }

  /** A value that only rises while the process lives. */
  counter(name: string, help: string, read: () => number): void {
    const counter: Counter = new Counter({
      ...this.about(name, help),
      collect: () => {
        counter.reset();
        counter.inc(read());
      },
    });
  }

  /** Values that only rise, by labels; see gauges. */
  counters<Name extends string>(
    name: string,
    help: string,
    labelNames: readonly Name[],
    read: (put: Put<Name>) => void,
  ) {
    const counter: Counter<Name> = new Counter({
      ...this.about(name, help),
      labelNames: [...labelNames],
      collect: () => {
        counter.reset();
        read((labels, value) => counter.inc(labels, value));
      },
    });
  }

  /**
   * Distributions by labels; `read` always yields the same label names. Rendered here, since prom-client shows only what it
   * has counted itself, and renders all endpoints in one step.
   */
  histograms(name: string, help: string, read: () => Iterable<readonly [Labels<string>, Distribution]>): void {
    const full = `${PREFIX}${name}`;
    this.writers.push(async (turn) => {
      const texts = [`# HELP ${full} ${help}`, `# TYPE ${full} histogram`];
      for (const [labels, distribution] of read()) {
        texts.push(distributionText(full, labelText(labels), distribution));
        if (turn.isOver) await turn.next();
      }
      return texts.join('\n');
    });
  }

  /** A distribution without labels. */
  histogram(name: string, help: string, distribution: Distribution): void {
    this.histograms(name, help, () => [[{}, distribution]]);
  }

  private about(name: string, help: string) {
    const full = `${PREFIX}${name}`;
    this.writers.push(() => this.registry.getSingleMetricAsString(full));
    return { name: full, help, registers: [this.registry] };
  }
}
