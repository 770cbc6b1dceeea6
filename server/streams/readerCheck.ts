// Finds clients that no longer read. The system buffers a megabyte and more for a socket before its sender can tell, and copies every
// frame into that buffer; so clients are pinged in turn, and a client answers when it has read up to the ping. One that does
// not answer in time is held: what it follows is owed to it instead of sent, and paid when it answers. Driven by the hub.
import { randomInt } from 'node:crypto';
import type { Connection } from './connection.ts';
import { type StreamSettings, streamLimits } from './limits.ts';

/** The payload of our pings, which tells their answers from unsolicited pongs. */
export const QUESTION = 'reading?';

const { asksABeatMax } = streamLimits;
const beatsOf = (ms: number): number => Math.ceil(ms / streamLimits.askEveryMs);
const LAP_BEATS = beatsOf(streamLimits.askAgainMs);
/** An answer is late when it takes this many times as long as the slowest recent answer. */
const PATIENCE = 2;
/** Factor by which the slowest recent time decays at each beat: half of it is left after about two seconds. */
const REMEMBERED = 0.98;

/**
 * Pings in turn and late answers. Time is counted in beats, one a turn of the loop at most, so that a pause of the exchange's
 * own makes nobody late: what was answered meanwhile is read between two beats.
 */
export class ReaderCheck {
  private readonly connections: ReadonlySet<Connection>;
  private readonly beatsMin: number;
  private readonly beatsMax: number;
  /** Who was asked at which beat and has not answered, the first asked first. */
  private readonly unanswered = new Map<Connection, number>();
  private beat = 0;
  /** How often a client was held since the start. */
  holdCount = 0;
  /** Beats that the slowest answer in time took, decaying. */
  private slowest = 0;
  /** Clients still to be asked in this lap; those that have gone since are skipped. */
  private lap: Connection[] = [];
  private lapAt = -LAP_BEATS;

  /**
   * @param connections all that are open
   * @param settings how long an answer may take at least and at most, however long others take
   */
  constructor(
    connections: ReadonlySet<Connection>,
    { answerMsMin, answerMsMax }: Pick<StreamSettings, 'answerMsMin' | 'answerMsMax'>,
  ) {
    this.connections = connections;
    this.beatsMin = beatsOf(answerMsMin);
    this.beatsMax = beatsOf(answerMsMax);
  }

  /** Holds those whose answers are late, and asks the next. Call it once every `askEveryMs`. */
  step(): void {
    this.beat += 1;
    this.slowest *= REMEMBERED;
    // If all answers take longer, since much is sent or clients are far away, nobody is late.
    const beats = Math.min(this.beatsMax, Math.max(this.beatsMin, PATIENCE * this.slowest));
    for (const [connection, askedAt] of this.unanswered) {
      if (this.beat - askedAt <= beats) break;
      this.unanswered.delete(connection);
      // Some clients never answer: only of those that did is it known what silence means.
      if (!connection.hasAnswered) continue;
      connection.hold();
      this.holdCount += 1;
    }
    this.askSome();
  }

  /** Pings a client, unless it owes an answer already, or its socket is full: a ping without room would end the socket. */
  ask(connection: Connection): void {
    if (connection.isFull || this.unanswered.has(connection)) return;
    this.unanswered.set(connection, this.beat);
    connection.ping(QUESTION);
  }

  /** A client has answered: it reads. */
  answered(connection: Connection): void {
    this.slowest = Math.max(this.slowest, this.beat - (this.unanswered.get(connection) ?? this.beat));
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
    if (this.lap.length === 0) {
      if (this.beat - this.lapAt < LAP_BEATS) return;
      this.lap = [...this.connections];
      this.lapAt = this.beat;
    }
    let asks = Math.min(asksABeatMax, Math.ceil(this.connections.size / LAP_BEATS));
    while (asks > 0 && this.lap.length > 0) {
      const connection = this.draw();
      if (!connection.isOpen) continue;
      this.ask(connection);
      asks -= 1;
    }
  }

  /** Takes a random client out of the lap: clients that connected together may stop together, and must not all be asked last. */
  private draw(): Connection {
    const { lap } = this;
    const last = lap.length - 1;
    const at = randomInt(lap.length);
    const drawn = lap[at];
    lap[at] = lap[last];
    lap.length = last;
    return drawn;
  }
}
