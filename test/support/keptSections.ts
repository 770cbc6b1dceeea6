// A snapshot kept in memory as plain copies, which can be loaded any number of times. Used by the tests of what lists its
// fields for snapshots, by the mutants, so that these lists are checked against the traces too, and by the simulation.
import { deserialize, serialize } from 'node:v8';
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
    return this.pass(name, array, (words) => words.slice());
  }

  float64(name: string, array: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
    return this.pass(name, array, (numbers) => numbers.slice());
  }

  uint8(name: string, array: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    // slice() of a Buffer would share its memory.
    return this.pass(name, array, (bytes) => new Uint8Array(bytes));
  }

  plain<T>(name: string, value: T): T {
    const bytes = this.pass(name, this.isLoading ? new Uint8Array() : serialize(value), (kept) => kept);
    return this.isLoading ? deserialize(bytes) : value;
  }

  /** Reads the value kept under a name, or keeps it: copied in either case. */
  private pass<T>(name: string, value: T, copy: (value: T) => T): T {
    const key = this.path + name;
    if (this.isLoading) {
      if (!this.values.has(key)) throw new Error(`${key} was not written`);
      return copy(this.values.get(key) as T); // the same list wrote it under this name
    }
    if (this.values.has(key)) throw new Error(`${key} is written twice`);
    this.values.set(key, copy(value));
    return value;
  }
}
