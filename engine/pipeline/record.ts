// A durable record as followers and submitters see it: decoded from the journal's bytes on first access, then shared by all;
// and its delivery to followers. Used by the inline deployment, by recovery, and wherever else followers are fed from a
// journal.
import type { JournalRecord } from '../journal/index.ts';
import { type Command, decodeCommandAt, decodeEventsAt, type EngineEvent, reasonOf } from '../protocol/index.ts';
import type { Follower, LogRecord } from './types.ts';

/** An assertion of a reducer or follower failed: the exchange stops rather than trade on. */
export class EngineDefect extends Error {
  override readonly name = 'EngineDefect';
}

export class DecodedRecord implements LogRecord {
  readonly sequence: number;
  readonly tMs: number;
  private readonly source: JournalRecord;
  private decodedCommand: Command | undefined;
  private decodedEvents: readonly EngineEvent[] | undefined;

  constructor(source: JournalRecord) {
    this.sequence = source.sequence;
    this.tMs = source.tMs;
    this.source = source;
  }

  get command(): Command {
    if (this.decodedCommand === undefined) {
      const { batch, view, commandStart, eventsStart } = this.source;
      this.decodedCommand = decodeCommandAt(batch, view, commandStart, eventsStart);
    }
    return this.decodedCommand;
  }

  get events(): readonly EngineEvent[] {
    if (this.decodedEvents === undefined) {
      const { batch, view, eventsStart, end } = this.source;
      this.decodedEvents = decodeEventsAt(batch, view, eventsStart, end);
    }
    return this.decodedEvents;
  }
}

/** Applies a durable record to every follower. Throws EngineDefect naming the one that failed. */
export function applyToFollowers(followers: readonly Follower[], record: DecodedRecord): void {
  for (const follower of followers) {
    try {
      follower.apply(record);
    } catch (error) {
      const text = reasonOf(error);
      throw new EngineDefect(`The follower ${follower.name} failed at sequence ${record.sequence}: ${text}`, {
        cause: error,
      });
    }
  }
}
