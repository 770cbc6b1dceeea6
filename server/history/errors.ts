// What keeps the historian from answering, as error classes. Thrown by its handle and its tables; the door makes a 503 of
// the first, the thread mends the second by building the index anew. A client never causes either.

/** No answer at present, for a reason of the historian's own; it is mending itself, so asking again later helps. */
export class HistorianUnavailable extends Error {
  override readonly name = 'HistorianUnavailable';
  readonly reason: string;

  constructor(reason: string) {
    super(`The history cannot be read at present: ${reason}`);
    this.reason = reason;
  }
}

/** The index holds something that this program never writes: it is dropped and built anew from the journal. */
export class IndexDamaged extends Error {
  override readonly name = 'IndexDamaged';
}
