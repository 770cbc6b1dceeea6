// A board in shared memory (a seqlock), on which the historian's thread shows a few numbers of many records to the main
// thread, as of a sequence: what a question needs no trip to the thread for. Used by totals.ts and traded.ts. Nothing here
// waits.

/** An int32 that is odd while the board is written, then numbers: sequence, records shown, and those of each record. */
const VERSION = 0;
const at = { sequence: 1, count: 2, first: 4 } as const;
const FIRST_RECORDS = 4_096;
/** Of a board that was replaced by a larger one. */
const NEVER = -1;

/** The thread's side. */
export class Board {
  private readonly numbersARecord: number;
  private readonly onMemory: (memory: SharedArrayBuffer) => void;
  private memory = new SharedArrayBuffer(0);
  private versions = new Int32Array(this.memory);
  private numbers = new Float64Array(this.memory);

  /** @param onMemory is told of the memory that the other side is to read from then on */
  constructor(numbersARecord: number, onMemory: (memory: SharedArrayBuffer) => void) {
    this.numbersARecord = numbersARecord;
    this.onMemory = onMemory;
  }

  /**
   * Shows so many records as of a sequence. `write` puts the numbers of those that changed, or of all where the board is a
   * new one.
   */
  show(sequence: number, count: number, write: (isNew: boolean) => void): void {
    const isNew = at.first + count * this.numbersARecord > this.numbers.length;
    if (isNew) this.enlarge(count);
    const { versions, numbers } = this;
    Atomics.add(versions, VERSION, 1);
    write(isNew);
    numbers[at.sequence] = sequence;
    numbers[at.count] = count;
    Atomics.add(versions, VERSION, 1);
    if (isNew) this.onMemory(this.memory);
  }

  /** Puts a number of a record; called by what `show` was given. */
  put(record: number, place: number, value: number): void {
    this.numbers[at.first + record * this.numbersARecord + place] = value;
  }

  private enlarge(count: number): void {
    if (this.numbers.length > 0) this.numbers[at.sequence] = NEVER;
    let records = FIRST_RECORDS;
    while (records < count) records *= 2;
    this.memory = new SharedArrayBuffer((at.first + records * this.numbersARecord) * Float64Array.BYTES_PER_ELEMENT);
    this.versions = new Int32Array(this.memory);
    this.numbers = new Float64Array(this.memory);
  }
}

/** The main thread's side. */
export class BoardReader {
  private readonly numbersARecord: number;
  private readonly versions: Int32Array;
  private readonly numbers: Float64Array;

  constructor(numbersARecord: number, memory: SharedArrayBuffer) {
    this.numbersARecord = numbersARecord;
    this.versions = new Int32Array(memory);
    this.numbers = new Float64Array(memory);
  }

  /** What `read` makes of the board as of the sequence or later; undefined when that is not shown, or is being written. */
  asOf<Result>(sequence: number, read: () => Result | undefined): Result | undefined {
    const version = Atomics.load(this.versions, VERSION);
    if (version % 2 !== 0 || this.numbers[at.sequence] < sequence) return undefined;
    const result = read();
    return Atomics.load(this.versions, VERSION) === version ? result : undefined;
  }

  /** The sequence as of which it was written last; NEVER of a board that was replaced. */
  get sequence(): number {
    return this.numbers[at.sequence];
  }

  /** Whether a record is shown; called by what `asOf` was given, as `get`. */
  has(record: number): boolean {
    return record < this.numbers[at.count];
  }

  get(record: number, place: number): number {
    return this.numbers[at.first + record * this.numbersARecord + place];
  }
}
