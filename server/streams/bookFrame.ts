// The only frames that hold several messages: the books that answer a subscription or follow a gap, in an array. Used by the
// market channel, one for each socket that is owed books.
import { bookMessage } from '../wire/marketEvents.ts';
import { MessageBatch } from '../wire/streamMessages.ts';

/** Collects books into one frame after another. */
export class BookFrame {
  private books: MessageBatch | undefined;

  /**
   * Adds a token's book.
   *
   * @param text the book as JSON
   * @param streamId the stream's name, Latin-1
   */
  add(text: string, outcome: 0 | 1, streamId: Buffer, sequence: number, serverMs: number): void {
    this.books ??= new MessageBatch();
    const { books } = this;
    books.text(books.count === 0 ? '[' : ',');
    bookMessage(books, text, outcome, serverMs);
    books.filled(books.count - 1, streamId, sequence);
  }

  get byteLength(): number {
    return this.books?.byteLength ?? 0;
  }

  /** Hands over the frame, if it has any books; its memory goes with it. */
  take(): Buffer | undefined {
    const { books } = this;
    if (books === undefined) return undefined;
    this.books = undefined;
    books.text(']');
    return books.buffer.subarray(0, books.byteLength);
  }
}
