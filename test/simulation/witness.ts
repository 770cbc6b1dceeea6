// Sees every record that an exchange makes durable, over all its lives: audits each once, and after each restart compares
// the replayed log with the one it knows. Used by simulation.ts. On seeds under close comparison it also runs every command
// through the reference exchange and compares all events.
import type { Command, EngineEvent, Follower, LogRecord } from '../../engine/index.ts';
import { EventAudit } from '../model/eventAudit.ts';
import { ReferenceExchange } from '../model/reference.ts';
import { Admission } from './admission.ts';
import { Audit, fail } from './audit.ts';

/** Events that the registry writes, unknown to the reference. */
const ofRegistry: ReadonlySet<EngineEvent['type']> = new Set([
  'EventCreated',
  'ApiKeyCreated',
  'ApiKeyDeleted',
  'WalletBound',
] as const);

export class Witness {
  readonly audit = new Audit();
  /** The highest sequence seen so far. */
  sequence = 0;
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
  private toldSequence = 0;
  private lastTMs = 0;

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
    this.toldSequence = from;
    this.lastTMs = 0;
    return {
      name: 'witness',
      apply: (record) => {
        if (life === this.lives) this.see(record);
      },
    };
  }

  private see(record: LogRecord): void {
    const { sequence, tMs, command, events } = record;
    if (sequence !== this.toldSequence + 1) fail('records come in turn', { sequence, after: this.toldSequence });
    if (tMs < this.lastTMs) fail('time never falls', { tMs, last: this.lastTMs });
    this.toldSequence = sequence;
    this.lastTMs = tMs;
    const digest = digestOf(record);
    if (sequence <= this.sequence) {
      if (this.digests[sequence - 1] !== digest) fail('what was once told is told again', { sequence });
      return;
    }
    this.sequence = sequence;
    this.digests.push(digest);
    if (this.keepsRecords) this.records.push({ sequence, tMs, command, events });
    const wasSeenByCore = this.admission.observe(command, events);
    if (wasSeenByCore) this.compare(tMs, command, events);
    this.audit.observe(command, events);
  }

  private compare(tMs: number, command: Command, events: readonly EngineEvent[]): void {
    const { reference, eventAudit } = this;
    if (reference === undefined || eventAudit === undefined) return;
    const got = events.filter(({ type }) => !ofRegistry.has(type));
    const due = reference.apply(tMs, command);
    const at = due.findIndex((event, index) => !isSame(got[index], event));
    if (at >= 0 || got.length !== due.length) {
      const index = at < 0 ? due.length : at;
      const [is, should] = [got[index], due[index]].map((event) => JSON.stringify(event ?? 'nothing'));
      fail(`the reference says otherwise at ${command.type}`, { event: index + 1, is, should });
    }
    eventAudit.observe(command, got);
    this.comparedCount += 1;
  }
}

function isSame(x: EngineEvent | undefined, y: EngineEvent): boolean {
  if (x === undefined) return false;
  const one: Readonly<Record<string, unknown>> = x;
  const other: Readonly<Record<string, unknown>> = y;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
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
