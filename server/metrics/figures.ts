// A registry of figures that are read when somebody asks for them: nothing is handed to it while the exchange works. A thin
// layer over prom-client, which knows the format. Filled by the other files of this folder, each server having its own, so
// that several in one process stay apart.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Distribution } from '../../engine/index.ts';

export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;
const PREFIX = 'outcry_';
/** The loop has its turn after so long. */
const TURN_MS = 1;

/** Values of the labels that a figure was given, by their names. */
export type Labels<Name extends string> = Readonly<Record<Name, string>>;
/** Takes one sample of a figure with labels. */
export type Put<Name extends string> = (labels: Labels<Name>, value: number) => void;

/** Samples as prom-client writes them: labels that many share are made text once, for as long as the object is the same. */
interface Sample {
  readonly metricName: string;
  readonly labels: { readonly le?: number | '+Inf' };
  readonly sharedLabels: Labels<string>;
  readonly value: number;
}

interface About {
  readonly name: string;
  readonly help: string;
  readonly registers: Registry[];
}

/** A histogram that was counted elsewhere. */
class ReadHistogram extends Histogram {
  private readonly about: About;
  private readonly read: () => Iterable<readonly [Labels<string>, Distribution]>;

  constructor(about: About, read: () => Iterable<readonly [Labels<string>, Distribution]>) {
    super(about);
    this.about = about;
    this.read = read;
  }

  /** What prom-client's registry asks for (its histogram.js); its types do not tell of it. */
  async getForPromString(): Promise<object> {
    const { name, help } = this.about;
    const values: Sample[] = [];
    for (const [sharedLabels, { bounds, counts, sum }] of this.read()) {
      let count = 0;
      for (const [part, more] of counts.entries()) {
        count += more;
        const le = part < bounds.length ? bounds[part] : '+Inf';
        values.push({ metricName: `${name}_bucket`, labels: { le }, sharedLabels, value: count });
      }
      values.push({ metricName: `${name}_sum`, labels: {}, sharedLabels, value: sum });
      values.push({ metricName: `${name}_count`, labels: {}, sharedLabels, value: count });
    }
    return { name, help, type: 'histogram', values };
  }
}

/** Names are given without their prefix. */
export class Figures {
  private readonly registry = new Registry();

  /**
   * The text exposition format, made in small steps, since every request waits for the thread that makes it. Rejects when a
   * figure cannot be read.
   */
  async text(): Promise<string> {
    const texts: string[] = [];
    let sinceMs = performance.now();
    for (const { name } of this.registry.getMetricsAsArray()) {
      texts.push(await this.registry.getSingleMetricAsString(name));
      if (performance.now() - sinceMs < TURN_MS) continue;
      await nextTurn();
      sinceMs = performance.now();
    }
    return `${texts.join('\n\n')}\n`;
  }

  /** A value that rises and falls; undefined: unknown at present, and left out. */
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

  /** The same by labels: `read` gives every sample to `put`. */
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

  /** Distributions by labels; `read` always gives those of the same label names. */
  histograms(name: string, help: string, read: () => Iterable<readonly [Labels<string>, Distribution]>): void {
    new ReadHistogram(this.about(name, help), read);
  }

  histogram(name: string, help: string, distribution: Distribution): void {
    this.histograms(name, help, () => [[{}, distribution]]);
  }

  private about(name: string, help: string) {
    return { name: `${PREFIX}${name}`, help, registers: [this.registry] };
  }
}
