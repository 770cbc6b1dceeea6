// A binary heap of due items, ordered by due time and then by two numbers. The core has one for each kind of item: expiries,
// releases, heartbeats and trade statuses. Where items can be withdrawn, the heap tells their holder each item's place.
import { requireRoom, requireSound, type Sections } from '../protocol/sections.ts';
import { growFloat64, growInt32 } from './grow.ts';
import { NONE } from './orderPool.ts';

/** The holder of withdrawable items: stores the place of each in the heap (NONE when it is not in the heap). */
export interface HeapPlaces {
  heapPlace(item: number): number;
  setHeapPlace(item: number, place: number): void;
}

/** A lower bound of all heaps' next due times, ms. Every command checks it twice. A push lowers it, settling corrects it. */
export interface Alarm {
  ms: number;
}

export class DueHeap {
  size = 0;
  /** Due time of the next item, ms; Infinity when there is none. */
  nextMs = Infinity;
  private due = new Float64Array(64);
  private first = new Float64Array(64);
  private second = new Float64Array(64);
  private items = new Int32Array(64);
  declare private readonly places: HeapPlaces | undefined;

  declare private readonly alarm: Alarm;

  constructor(alarm: Alarm, places?: HeapPlaces) {
    this.alarm = alarm;
    this.places = places;
  }

  /** The next item and its two numbers; the heap must not be empty. */
  topItem(): number {
    return this.items[0];
  }

  topFirst(): number {
    return this.first[0];
  }

  topSecond(): number {
    return this.second[0];
  }

  push(dueMs: number, first: number, second: number, item: number): void {
    if (this.size === this.items.length) this.grow();
    const at = this.size;
    this.size += 1;
    this.due[at] = dueMs;
    this.first[at] = first;
    this.second[at] = second;
    this.items[at] = item;
    this.places?.setHeapPlace(item, at);
    this.siftUp(at);
    this.nextMs = this.due[0];
    if (this.nextMs < this.alarm.ms) this.alarm.ms = this.nextMs;
  }

  pop(): void {
    this.removeAt(0);
  }

  /** Removes a withdrawable item if it is in the heap. */
  withdraw(item: number): void {
    const place = this.places?.heapPlace(item) ?? NONE;
    if (place !== NONE) this.removeAt(place);
  }

  /** Items with their due times in heap order: for the state hash (sorted there) and checks. */
  *entries(): Generator<readonly [dueMs: number, first: number, second: number, item: number]> {
    for (let i = 0; i < this.size; i += 1) yield [this.due[i], this.first[i], this.second[i], this.items[i]];
  }

  /** What is wrong with the heap itself; undefined when it is in order, knows its next due time and each item its place. */
  fault(): string | undefined {
    const nextMs = this.size === 0 ? Infinity : this.due[0];
    if (this.nextMs !== nextMs) return `the next item is due at ${nextMs}, not ${this.nextMs}`;
    for (let at = 0; at < this.size; at += 1) {
      const parent = (at - 1) >> 1;
      if (at > 0 && this.isBefore(at, parent)) return `item ${at} comes before item ${parent}`;
      const place = this.places?.heapPlace(this.items[at]) ?? at;
      if (place !== at) return `item ${at} believes to be item ${place}`;
    }
    return undefined;
  }

  /** Saves or loads its part of a snapshot. The holder of the items saves their places. */
  visit(sections: Sections): void {
    this.size = sections.number('size', this.size);
    this.due = sections.float64('due', this.due);
    this.first = sections.float64('first', this.first);
    this.second = sections.float64('second', this.second);
    this.items = sections.int32('items', this.items);
    const { due, first, second } = this;
    requireRoom(this.items.length, { due, first, second });
    requireSound(this.size >= 0 && this.size <= this.items.length, `a heap of ${this.items.length} holds ${this.size}`);
    this.nextMs = this.size === 0 ? Infinity : this.due[0];
  }

  private removeAt(place: number): void {
    this.places?.setHeapPlace(this.items[place], NONE);
    this.size -= 1;
    if (place !== this.size) {
      this.move(this.size, place);
      this.siftDown(place);
      this.siftUp(place);
    }
    this.nextMs = this.size === 0 ? Infinity : this.due[0];
  }

  private isBefore(a: number, b: number): boolean {
    if (this.due[a] !== this.due[b]) return this.due[a] < this.due[b];
    if (this.first[a] !== this.first[b]) return this.first[a] < this.first[b];
    return this.second[a] < this.second[b];
  }

  private move(from: number, to: number): void {
    this.due[to] = this.due[from];
    this.first[to] = this.first[from];
    this.second[to] = this.second[from];
    this.items[to] = this.items[from];
    this.places?.setHeapPlace(this.items[to], to);
  }

  private swap(a: number, b: number): void {
    const due = this.due[a];
    const first = this.first[a];
    const second = this.second[a];
    const item = this.items[a];
    this.move(b, a);
    this.due[b] = due;
    this.first[b] = first;
    this.second[b] = second;
    this.items[b] = item;
    this.places?.setHeapPlace(item, b);
  }

  private siftUp(start: number): void {
    let at = start;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (!this.isBefore(at, parent)) return;
      this.swap(at, parent);
      at = parent;
    }
  }

  private siftDown(start: number): void {
    let at = start;
    for (;;) {
      const left = at * 2 + 1;
      if (left >= this.size) return;
      const right = left + 1;
      const child = right < this.size && this.isBefore(right, left) ? right : left;
      if (!this.isBefore(child, at)) return;
      this.swap(child, at);
      at = child;
    }
  }

  private grow(): void {
    const length = this.items.length * 2;
    this.due = growFloat64(this.due, length);
    this.first = growFloat64(this.first, length);
    this.second = growFloat64(this.second, length);
    this.items = growInt32(this.items, length);
  }
}
