// A board in shared memory (a seqlock) on which the historian's thread shows a few numbers of many records to the main thread,
// as of a sequence: questions for these numbers need no round trip. Used by totals.ts and traded.ts. Nothing here blocks.

/** Layout: an int32 version that is odd during a write, then f64 sequence, record count, and the numbers of each record. */
const VERSION = 0;
const at = { sequence: 1, count: 2, first: 4 } as const;
const FIRST_RECORDS = 4_096;
/** The sequence of a board that was replaced by a larger one. */
const NEVER = -1;

/** The thread's side: the writer. */
export class Board {
  private readonly numbersPerRecord: number;
  private readonly onMemory: (memory: SharedArrayBuffer) => void;
  private memory = new SharedArrayBuffer(0);
  private versions = new Int32Array(this.memory);
  private numbers = new Float64Array(this.memory);

  /** @param onMemory called with new memory, which the other side must read from then on */
  constructor(numbersPerRecord: number, onMemory: (memory: SharedArrayBuffer) => void) {
    this.numbersPerRecord = numbersPerRecord;
    this.onMemory = onMemory;
  }

  /**
   * Shows `count` records as of a sequence. `write` must put the numbers of the records that changed, or of all records if the
   * board is new.
   */
  show(sequence: number, count: number, write: (isNew: boolean) => void): void {
    const isNew = at.first + count * this.numbersPerRecord > this.numbers.length;
    if (isNew) this.enlarge(count);
    const { versions, numbers } = this;
    Atomics.add(versions, VERSION, 1);
    write(isNew);
    numbers[at.sequence] = sequence;
    numbers[at.count] = count;
    Atomics.add(versions, VERSION, 1);
    if (isNew) this.onMemory(this.memory);
  }

  /** Puts a number of a record; called only by the function passed to `show`. */
  put(record: number, place: number, value: number): void {
    this.numbers[at.first + record * this.numbersPerRecord + place] = value;
  }

  private enlarge(count: number): void {
    if (this.numbers.length > 0) this.numbers[at.sequence] = NEVER;
    let records = FIRST_RECORDS;
    while (records < count) records *= 2;
    this.memory = new SharedArrayBuffer((at.first + records * this.numbersPerRecord) * Float64Array.BYTES_PER_ELEMENT);
    this.versions = new Int32Array(this.memory);
    this.numbers = new Float64Array(this.memory);
  }
}

/** The main thread's side: the reader. */
export class BoardReader {
  private readonly numbersPerRecord: number;
  private readonly versions: Int32Array;
  private readonly numbers: Float64Array;

  constructor(numbersPerRecord: number, memory: SharedArrayBuffer) {
    this.numbersPerRecord = numbersPerRecord;
    this.versions = new Int32Array(memory);
    this.numbers = new Float64Array(memory);
  }

  /** The result of `read` on the board as of the sequence or later; undefined if it is older or being written. */
  asOf<Result>(sequence: number, read: () => Result | undefined): Result | undefined {
    const version = Atomics.load(this.versions, VERSION);
    if (version % 2 !== 0 || this.numbers[at.sequence] < sequence) return undefined;
    const result = read();
    return Atomics.load(this.versions, VERSION) === version ? result : undefined;
  }

  /** The sequence of the last write; NEVER for a board that was replaced. */
  get sequence(): number {
    return this.numbers[at.sequence];
  }

  /** Whether a record is shown; called, like `get`, only by the function passed to `asOf`. */
  has(record: number): boolean {
    return record < this.numbers[at.count];
  }

  get(record: number, place: number): number {
    return this.numbers[at.first + record * this.numbersPerRecord + place];
  }
}
