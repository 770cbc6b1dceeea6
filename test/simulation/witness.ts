// Sees every record that an exchange makes durable, over all its lives: audits each once, and after each restart compares
// the replayed log with the one it knows. Used by simulation.ts. On seeds under close comparison it also runs every command
// through the reference exchange and compares all events.
import type { Command, EngineEvent, Follower, LogRecord } from '../../engine/index.ts';
import { EventAudit } from '../model/eventAudit.ts';
import { firstDifferentEvent } from '../model/pair.ts';
import { ReferenceExchange } from '../model/reference.ts';
import { Admission } from './admission.ts';
import { Audit, fail } from './audit.ts';
import { Outcomes } from './outcomes.ts';

/** Events that the registry writes, unknown to the reference. */
const registryEvents: ReadonlySet<EngineEvent['type']> = new Set([
  'EventCreated',
  'ApiKeyCreated',
  'ApiKeyDeleted',
  'WalletBound',
] as const);

/** Whether commands of a type are counted: not those that an exchange or its clock submits by itself. */
export const isCounted = (type: Command['type']): boolean => type !== 'Tick' && type !== 'Started';

export class Witness {
  readonly audit = new Audit();
  readonly outcomes = new Outcomes();
  /** The highest sequence seen so far. */
  sequence = 0;
  /** How many commands were seen, see isCounted. */
  commandCount = 0;
  /** How many records the reference agreed with. */
  comparedCount = 0;
  /** All records seen, if they are kept for queries about histories. */
  readonly records: LogRecord[] = [];
  private readonly keepsRecords: boolean;
  private readonly admission = new Admission();
  private readonly reference: ReferenceExchange | undefined;
  private readonly eventAudit: EventAudit | undefined;
  /** By sequence − 1. */
  private readonly digests: number[] = [];
  private lives = 0;
  /** Sequence and time (ms) of the latest record of the current life. */
  private latestSequence = 0;
  private latestTMs = 0;

  constructor(isClose: boolean, keepsRecords: boolean) {
    this.keepsRecords = keepsRecords;
    if (!isClose) return;
    this.reference = new ReferenceExchange();
    this.eventAudit = new EventAudit();
  }

  /**
   * The follower for one life of the exchange. It gets the log from the record after `from` on; earlier ones are in the
   * snapshot that the life starts from. Records from an earlier life are ignored: its opening may have been under way when
   * the power went, and goes on here, where no process ends.
   */
  follower(from: number): Follower {
    this.lives += 1;
    const life = this.lives;
    this.latestSequence = from;
    this.latestTMs = 0;
    return {
      name: 'witness',
      apply: (record) => {
        if (life === this.lives) this.observe(record);
      },
    };
  }

  /** Whether it has seen this very record. */
  hasSeen(record: LogRecord): boolean {
    return this.digests[record.sequence - 1] === digestOf(record);
  }

  private observe(record: LogRecord): void {
    const { sequence, tMs, command, events } = record;
    if (sequence !== this.latestSequence + 1) fail('records come in turn', { sequence, after: this.latestSequence });
    if (tMs < this.latestTMs) fail('time never falls', { tMs, latest: this.latestTMs });
    this.latestSequence = sequence;
    this.latestTMs = tMs;
    const digest = digestOf(record);
    if (sequence <= this.sequence) {
      if (this.digests[sequence - 1] !== digest) fail('a replayed record is as it was before', { sequence });
      return;
    }
    this.sequence = sequence;
    this.digests.push(digest);
    if (isCounted(command.type)) this.commandCount += 1;
    if (this.keepsRecords) this.records.push({ sequence, tMs, command, events });
    const wasSeenByCore = this.admission.observe(command, events);
    if (wasSeenByCore) this.compare(tMs, command, events);
    this.audit.observe(command, events);
    this.outcomes.note(command, events);
  }

  private compare(tMs: number, command: Command, events: readonly EngineEvent[]): void {
    const { reference, eventAudit } = this;
    if (reference === undefined || eventAudit === undefined) return;
    const got = events.filter(({ type }) => !registryEvents.has(type));
    const due = reference.apply(tMs, command);
    const index = firstDifferentEvent(got, due);
    if (index !== undefined) {
      const [is, should] = [got[index], due[index]].map((event) => JSON.stringify(event ?? 'nothing'));
      fail(`core and reference differ at ${command.type}`, { event: index + 1, is, should });
    }
    eventAudit.observe(command, got);
    this.comparedCount += 1;
  }
}

/** A digest of a record's essentials: its time, its command's kind, its events' figures. */
function digestOf({ tMs, command, events }: LogRecord): number {
  let digest = Math.imul((tMs % 0x7fff_ffff) ^ command.type.length, 0x9e3779b1);
  for (let i = 0; i < events.length; i += 1) {
    const event = events[i];
    let figure = event.type.length;
    if (event.type === 'Trade') figure += event.takerCollateralMicro + event.lots * 3;
    else if (event.type === 'Fill') figure += event.makerOrderNumber * 5 + event.lots + event.makerCollateralMicro;
    else if ('orderNumber' in event) figure += event.orderNumber * 7 + ('lots' in event ? event.lots : 0);
    else if ('collateralMicro' in event) figure += event.collateralMicro;
    else if ('code' in event) figure += event.code;
    digest = Math.imul(digest ^ (figure % 0x7fff_ffff), 0x85ebca6b) ^ (digest >>> 13);
  }
  return digest;
}
