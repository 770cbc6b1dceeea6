// Detects clients that no longer read. The system buffers a megabyte or more per socket before the sender can tell, and copies
// every frame into that buffer; so clients are pinged in turn, and a client answers once it has read up to the ping. A client
// that does not answer in time is held: its messages are owed instead of sent, and paid when it answers. Driven by the hub.
import { randomInt } from 'node:crypto';
import type { StreamSettings } from '../config/streamSettings.ts';
import type { Connection } from './connection.ts';
import { streamLimits } from './limits.ts';

/** The payload of our pings; it distinguishes their answers from unsolicited pongs. */
export const PING_PAYLOAD = 'reading?';

const { pingsPerBeatMax } = streamLimits;
const beatsOf = (ms: number): number => Math.ceil(ms / streamLimits.pingEveryMs);
const LAP_BEATS = beatsOf(streamLimits.pingLapMs);
/** An answer is late if it takes this many times as long as the slowest recent one of all clients, and as its client's latest. */
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
  /** The same for clients whose answer is late. */
  private readonly overdue = new Map<Connection, number>();
  private beat = 0;
  /** How often clients were held since the start. */
  holdCount = 0;
  /** The slowest recent answer among those in time, in beats, decaying. */
  private slowest = 0;
  /** How many beats an answer of any client may take. */
  private allowed = 0;
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
    // If all answers take longer, because much is sent, no client is late.
    this.allowed = Math.min(this.beatsMax, Math.max(this.beatsMin, PATIENCE * this.slowest));
    for (const [connection, pingedAt] of this.unanswered) {
      const waited = this.beat - pingedAt;
      if (waited <= this.allowed) break;
      // Nor is a client that always takes longer than others, because it is far away.
      if (waited <= Math.min(this.beatsMax, PATIENCE * connection.answerBeats)) continue;
      this.unanswered.delete(connection);
      this.overdue.set(connection, pingedAt);
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
    const pingedAt = this.unanswered.get(connection) ?? this.overdue.get(connection);
    if (pingedAt !== undefined) this.measured(connection, this.beat - pingedAt);
    this.forget(connection);
    connection.hasAnswered = true;
    connection.release();
  }

  /** Learns from an answer how long the next ones may take. */
  private measured(connection: Connection, beats: number): void {
    // A late answer counts for its own client only: others that stop must be noticed as soon as before.
    if (beats <= this.allowed) this.slowest = Math.max(this.slowest, beats);
    // A client that took longer than is ever allowed had stopped: that tells nothing of its usual time.
    if (beats <= this.beatsMax) connection.answerBeats = beats;
  }

  /** Expects no answer from a client any more. Call it when its socket is closed. */
  forget(connection: Connection): void {
    this.unanswered.delete(connection);
    this.overdue.delete(connection);
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
