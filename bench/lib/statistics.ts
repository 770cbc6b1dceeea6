// The few statistics that the benches quote: medians and ranges of interleaved rounds, percentiles of latencies, and the
// machine on which they were measured. Pure functions, except machine(), which asks the operating system.
import { cpus } from 'node:os';

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** The value below which a share (0..1) of the sorted values lies; NaN for none. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) return Number.NaN;
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

/** The middle value, or the mean of the two; NaN for none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Median, minimum and maximum of the rounds. */
export function spread(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

export interface Machine {
  readonly cpuModel: string;
  readonly cores: number;
  readonly node: string;
  readonly platform: string;
  readonly date: string;
}

/** The machine and time of a run, which every figure is quoted with. */
export function machine(): Machine {
  const processors = cpus();
  return {
    cpuModel: processors[0]?.model ?? 'unknown',
    cores: processors.length,
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    date: new Date().toISOString(),
  };
}

/** A machine as the benches print it above their figures. */
export const machineText = ({ cpuModel, cores, node, date }: Machine): string =>
  `${cpuModel}, ${cores} cores, Node ${node}, ${date}`;
