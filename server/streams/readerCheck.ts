// Whether clients still read. The system takes a megabyte and more for a socket before its sender can tell that nobody
// does, and copies every frame for it; so each client is asked by a ping in turn, which it answers when it comes to it. One
// that does not is held: the streams it follows are owed to it instead of sent, and paid when it answers. Driven by the hub.
import type { Connection } from './connection.ts';
import { streamLimits } from './limits.ts';

/** What a ping says, so that its answer is told from a pong that nobody asked for. */
export const QUESTION = 'reading?';

const { asksABeatMax } = streamLimits;
const LAP_BEATS = Math.ceil(streamLimits.askAgainMs / streamLimits.askEveryMs);

/**
 * Pings in turn and late answers. Time is counted in beats, one a turn of the loop at most, so that a pause of the exchange's
 * own makes nobody late: what was answered meanwhile is read between two beats.
 */
export class ReaderCheck {
  private readonly connections: ReadonlySet<Connection>;
  private readonly beatsMax: number;
  /** Who was asked at which beat and has not answered, the first asked first. */
  private readonly unanswered = new Map<Connection, number>();
  private beat = 0;
  /** Where the lap over all clients is; undefined between two laps. */
  private lap: Iterator<Connection> | undefined;
  private lapAt = -LAP_BEATS;

  /**
   * @param connections all that are open, in the order of their turns
   * @param answerMsMax an answer that takes longer is late, ms
   */
  constructor(connections: ReadonlySet<Connection>, answerMsMax: number) {
    this.connections = connections;
    this.beatsMax = Math.ceil(answerMsMax / streamLimits.askEveryMs);
  }

  /** Holds those whose answers are late, and asks the next. Call it once every `askEveryMs`. */
  step(): void {
    this.beat += 1;
    for (const [connection, askedAt] of this.unanswered) {
      if (this.beat - askedAt <= this.beatsMax) break;
      this.unanswered.delete(connection);
      // Some clients never answer: only of those that did is it known what silence means.
      if (connection.hasAnswered) connection.hold();
    }
    this.askSome();
  }

  /** Pings a client, unless it owes an answer already, or has enough before it: a ping without room would end the socket. */
  ask(connection: Connection): void {
    if (connection.isFull || this.unanswered.has(connection)) return;
    this.unanswered.set(connection, this.beat);
    connection.ping(QUESTION);
  }

  /** A client has answered: it reads. */
  answered(connection: Connection): void {
    this.unanswered.delete(connection);
    connection.hasAnswered = true;
    connection.release();
  }

  /** A socket is gone. */
  forget(connection: Connection): void {
    this.unanswered.delete(connection);
  }

  /** Goes on with the lap, evenly, since what is published waits for each beat; the next begins when everyone may be asked again. */
  private askSome(): void {
    if (this.lap === undefined) {
      if (this.beat - this.lapAt < LAP_BEATS) return;
      this.lap = this.connections.values();
      this.lapAt = this.beat;
    }
    const asks = Math.min(asksABeatMax, Math.ceil(this.connections.size / LAP_BEATS));
    for (let asked = 0; asked < asks; asked += 1) {
      const { value, done } = this.lap.next();
      if (done === true) {
        this.lap = undefined;
        return;
      }
      this.ask(value);
    }
  }
}
