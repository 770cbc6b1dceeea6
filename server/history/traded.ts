// The board on which the historian's thread shows the main thread in how many markets each account has traded: a question for
// this one number then needs no round trip. Written by thread.ts, read by historian.ts.
import { Board, BoardReader } from './board.ts';

/** The thread's accounts (accounts.ts). */
interface TradedAccounts {
  readonly count: number;
  tradedOf(account: number): number;
}

/** The thread's side of the board. */
export class TradedBoard {
  private readonly board: Board;

  /** @param onMemory called with new memory, which the other side must read from then on */
  constructor(onMemory: (memory: SharedArrayBuffer) => void) {
    this.board = new Board(1, onMemory);
  }

  /** Shows the changed accounts as of a sequence. */
  show(changed: Iterable<number>, accounts: TradedAccounts, sequence: number): void {
    const { board } = this;
    const { count } = accounts;
    board.show(sequence, count, (isNew) => {
      if (isNew) for (let account = 0; account < count; account += 1) board.put(account, 0, accounts.tradedOf(account));
      else for (const account of changed) board.put(account, 0, accounts.tradedOf(account));
    });
  }
}

/** The main thread's side of the board. */
export class TradedReader {
  private readonly board: BoardReader;

  constructor(memory: SharedArrayBuffer) {
    this.board = new BoardReader(1, memory);
  }

  /** How many markets an account has traded in, as of the sequence or later; undefined if the board does not show that. */
  read(account: number, sequence: number): number | undefined {
    const { board } = this;
    return board.asOf(sequence, () => (board.has(account) ? board.get(account, 0) : undefined));
  }
}
