// Checks a core, which may be a mutant, against the recorded traces: same events, same due times, same answers, invariants
// that detect the same damage and, if all of that is the same, the same effort. Used by worker.ts, and by main.ts for the
// unchanged core; a core that throws counts as different.
import type { Exchange } from '../../engine/core/index.ts';
import { EventWriter, Message } from '../../engine/protocol/index.ts';
import { KeptSections } from '../support/keptSections.ts';
import { layOut } from '../support/layOut.ts';
import { answerOrError } from './answerOrError.ts';
import { differentAside } from './asides.ts';
import { differentReport } from './corruption.ts';
import { differentLoadOutcome } from './damagedSnapshots.ts';
import { effortOf } from './effort.ts';
import { askEverything, CROWD, type Recording, type Trace } from './traces.ts';

/** Additional questions to a core: what its invariants report on damage, and how it responds to damaged snapshots. */
export interface Questions {
  readonly invariants: boolean;
  readonly snapshots: boolean;
}

/**
 * The difference of a core that gives the same results in all traces, but not the same effort, or fails in what effort.ts plays.
 */
export const EFFORT = 'effort';

/** The first way in which a core differs from the recording, by which a mutant is detected; undefined when it never does. */
export function differenceFrom(
  { traces, effort }: Recording,
  make: new () => Exchange,
  questions: Questions,
): string | undefined {
  for (const trace of traces) {
    // A crowd fills tables beyond their initial room, but tables of a
    // loaded state already have their later size: play it both ways.
    for (const isReloading of trace.name === CROWD ? [true, false] : [true]) {
      try {
        const difference = new Killer(make, trace, isReloading).difference(questions);
        if (difference !== undefined) return `${trace.name}: ${difference}`;
      } catch (error) {
        return `${trace.name}: ${error instanceof Error ? error.message.slice(0, 100) : String(error)}`;
      }
    }
  }
  return answerOrError(() => effortOf(make)) === effort ? undefined : EFFORT;
}

/** A command may also come inside a longer message, at any multiple of 8 bytes. */
const message = new Message(new ArrayBuffer(1 << 16));
const PLACE_BYTES = 64;
const PLACES = 100;
/** Batch size, and how often a batch is applied, in commands. */
const BATCH = { commands: 20, every: 60 } as const;
/** How often, in commands, the core is replaced by one loaded from its snapshot; only after a batch has followed a batch. */
const RELOAD_EVERY = 45;
const RELOAD_FROM = BATCH.every + BATCH.commands;

class Killer {
  private core: Exchange;
  private readonly make: new () => Exchange;
  private readonly trace: Trace;
  private readonly isReloading: boolean;
  /** Initially so small that it must grow repeatedly, in the middle of a command or of a batch. */
  private readonly writer = new EventWriter(256);

  constructor(make: new () => Exchange, trace: Trace, isReloading: boolean) {
    this.core = new make();
    this.make = make;
    this.trace = trace;
    this.isReloading = isReloading;
  }

  /** The first difference between the core and the trace; undefined when there is none. */
  difference(questions: Questions): string | undefined {
    const { commands } = this.trace;
    for (let index = 0; index < commands.length; ) {
      const isBatch = index % BATCH.every === 0;
      const end = isBatch ? this.batchEnd(index) : index + 1;
      if (isBatch) this.applyBatch(index, end);
      else this.applyOne(index);
      const events = Buffer.concat(commands.slice(index, end).map((command) => command.events));
      if (Buffer.compare(this.writer.copy(), events) !== 0) return `events of command ${index}`;
      const last = end - 1;
      if (this.core.nextDueMs() !== commands[last].nextDueMs) return `due time after command ${last}`;
      const found = this.compareAfter(last, questions);
      if (found !== undefined) return found;
      if (this.isReloading && last >= RELOAD_FROM && last % RELOAD_EVERY === RELOAD_EVERY - 1) this.reload();
      index = end;
    }
    return undefined;
  }

  /** Applies one command, alone or within a longer message; sometimes the next one is prefetched and never applied. */
  private applyOne(index: number): void {
    const { core, writer } = this;
    const { tMs, bytes } = this.trace.commands[index];
    const next = this.trace.commands[index + 1];
    if (index % 5 === 0 && next !== undefined) {
      message.bytes.set(next.bytes);
      core.lookAhead(message, Int32Array.of(0), 0, 1);
      core.forgetAhead();
    }
    writer.begin();
    if (index % 3 === 0) {
      const offset = (index % PLACES) * PLACE_BYTES;
      message.bytes.set(bytes, offset);
      core.applyAt(tMs, message, offset, writer);
    } else {
      core.apply(tMs, bytes, writer);
    }
    writer.finish();
  }

  /** A batch ends before the next command after which the trace compares everything. */
  private batchEnd(index: number): number {
    const { checkpoints, corrupted, commands } = this.trace;
    const stops = [...checkpoints.map(({ after }) => after + 1), (corrupted?.after ?? -1) + 1].filter(
      (stop) => stop > index,
    );
    return Math.min(index + BATCH.commands, commands.length, ...stops);
  }

  private applyBatch(index: number, end: number): void {
    const batch = this.trace.commands.slice(index, end);
    const offsets = layOut(
      message,
      batch.map(({ bytes }) => bytes),
    );
    this.core.applyBatch(
      Float64Array.from(batch, ({ tMs }) => tMs),
      message,
      offsets,
      0,
      batch.length,
      this.writer,
    );
  }

  private compareAfter(index: number, questions: Questions): string | undefined {
    const { core } = this;
    const checkpoint = this.trace.checkpoints.find(({ after }) => after === index);
    if (checkpoint !== undefined && askEverything(core) !== checkpoint.text) {
      return `answers after ${index}`;
    }
    const { corrupted } = this.trace;
    if (corrupted?.after !== index) return undefined;
    const aside = differentAside(this.make, corrupted.asideAnswers);
    if (aside !== undefined) return aside;
    const report = questions.invariants ? differentReport(core, corrupted.found) : undefined;
    if (report !== undefined) return `invariants on ${report}`;
    return questions.snapshots ? differentLoadOutcome(core, this.make, corrupted.loadOutcomes) : undefined;
  }

  /** Replaces the core by a new one that has loaded what the old one wrote. */
  private reload(): void {
    const values = new Map<string, unknown>();
    this.core.visit(new KeptSections(values, false));
    this.core = new this.make();
    this.core.visit(new KeptSections(values, true));
  }
}
