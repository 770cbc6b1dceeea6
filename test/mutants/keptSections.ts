// A snapshot that is kept in memory as plain copies, and can be loaded as often as one likes. Used by killer.ts, so that the
// fields which the core lists for snapshots are held against the traces like everything else, and by the simulation.
import type { Sections } from '../../engine/protocol/index.ts';

export class KeptSections implements Sections {
  readonly isLoading: boolean;
  private readonly values: Map<string, unknown>;
  private readonly path: string;

  constructor(values: Map<string, unknown>, isLoading: boolean, path = '') {
    this.values = values;
    this.isLoading = isLoading;
    this.path = path;
  }

  part(name: string): Sections {
    return new KeptSections(this.values, this.isLoading, `${this.path}${name}/`);
  }

  number(name: string, value: number): number {
    return this.pass(name, value, (number) => number);
  }

  int32(name: string, array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
    return this.pass(name, array, copyOf);
  }

  float64(name: string, array: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
    return this.pass(name, array, copyOf);
  }

  uint8(name: string, array: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    return this.pass(name, array, copyOf);
  }

  plain<T>(name: string, value: T): T {
    return this.pass(name, value, structuredClone);
  }

  private pass<T>(name: string, value: T, copy: (kept: T) => T): T {
    const key = this.path + name;
    if (!this.isLoading) {
      if (this.values.has(key)) throw new Error(`${key} is written twice`);
      this.values.set(key, copy(value));
      return value;
    }
    if (!this.values.has(key)) throw new Error(`${key} was not written`);
    return copy(this.values.get(key) as T); // what was written under this name by the same list
  }
}

const copyOf = <T extends Int32Array | Float64Array | Uint8Array>(array: T): T => array.slice() as T; // of its own kind
