// Detects clients that no longer read. The system buffers a megabyte or more per socket before the sender can tell, and copies
// every frame into that buffer; so clients are pinged in turn, and a client answers once it has read up to the ping. A client
// that does not answer in time is held: its messages are owed instead of sent, and paid when it answers. Driven by the hub.
import { randomInt } from 'node:crypto';
import type { Connection } from './connection.ts';
import { type StreamSettings, streamLimits } from './limits.ts';

/** The payload of our pings; it distinguishes their answers from unsolicited pongs. */
export const PING_PAYLOAD = 'reading?';

const { pingsPerBeatMax } = streamLimits;
const beatsOf = (ms: number): number => Math.ceil(ms / streamLimits.pingEveryMs);
const LAP_BEATS = beatsOf(streamLimits.pingLapMs);
/** An answer is late if it takes this many times as long as the slowest recent answer. */
const PATIENCE = 2;
/** Factor by which the slowest recent answer time decays each beat; it halves in about two seconds. */
const SLOWEST_DECAY = 0.98;

/**
 * Pings clients in turn and detects late answers. Time is counted in beats, at most one per event-loop turn: a pause of the
 * exchange itself makes no client late, since the answers that arrived meanwhile are read between two beats.
 */
export class ReaderCheck {
  private readonly connections: ReadonlySet<Connection>;
  private readonly beatsMin: number;
  private readonly beatsMax: number;
  /** Clients with an unanswered ping and the beat of that ping, in the order of the pings. */
  private readonly unanswered = new Map<Connection, number>();
  private beat = 0;
  /** How often clients were held since the start. */
  holdCount = 0;
  /** The slowest recent answer, in beats, decaying. */
  private slowest = 0;
  /** Clients still to be pinged in this lap; closed ones are skipped. */
  private lap: Connection[] = [];
  private lapStartedAt = -LAP_BEATS;

  /**
   * @param connections all open connections
   * @param settings bounds of the time allowed for an answer, however long other clients take
   */
  constructor(
    connections: ReadonlySet<Connection>,
    { answerMsMin, answerMsMax }: Pick<StreamSettings, 'answerMsMin' | 'answerMsMax'>,
  ) {
    this.connections = connections;
    this.beatsMin = beatsOf(answerMsMin);
    this.beatsMax = beatsOf(answerMsMax);
  }

  /** Holds the clients whose answers are late and pings the next ones. Call it once every `pingEveryMs`. */
  step(): void {
    this.beat += 1;
    this.slowest *= SLOWEST_DECAY;
    // If all answers take longer, because much is sent or clients are far away, no client is late.
    const beats = Math.min(this.beatsMax, Math.max(this.beatsMin, PATIENCE * this.slowest));
    for (const [connection, pingedAt] of this.unanswered) {
      if (this.beat - pingedAt <= beats) break;
      this.unanswered.delete(connection);
      // Some clients never answer pings: silence means something only for a client that has answered before.
      if (!connection.hasAnswered || connection.isLost) continue;
      connection.hold();
      this.holdCount += 1;
    }
    this.pingNext();
  }

  /** Pings a client, unless a ping is unanswered or the socket is full: a ping that finds no room would end the socket. */
  ping(connection: Connection): void {
    if (connection.isFull || this.unanswered.has(connection)) return;
    this.unanswered.set(connection, this.beat);
    connection.ping(PING_PAYLOAD);
  }

  /** A client answered, so it reads. */
  answered(connection: Connection): void {
    this.slowest = Math.max(this.slowest, this.beat - (this.unanswered.get(connection) ?? this.beat));
    this.unanswered.delete(connection);
    connection.hasAnswered = true;
    connection.release();
  }

  /** Forgets a closed socket. */
  forget(connection: Connection): void {
    this.unanswered.delete(connection);
  }

  /** Pings the next clients, spread evenly because each beat delays what is published. A new lap starts after LAP_BEATS. */
  private pingNext(): void {
    if (this.lap.length === 0) {
      if (this.beat - this.lapStartedAt < LAP_BEATS) return;
      this.lap = [...this.connections];
      this.lapStartedAt = this.beat;
    }
    let count = Math.min(pingsPerBeatMax, Math.ceil(this.connections.size / LAP_BEATS));
    while (count > 0 && this.lap.length > 0) {
      const connection = this.draw();
      if (!connection.isOpen) continue;
      this.ping(connection);
      count -= 1;
    }
  }

  /** Draws a random client of the lap: clients that connected together may stop together and must not all be pinged last. */
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
