// A catalog import: accepts line after line, validates each against its schema, the earlier lines and the existing catalog,
// and stores the resulting commands. Nothing reaches the log until all lines are valid and commit() submits them as one
// act. Used by routes/imports.ts and, without a server, by the command `import`.

import { type CommandOf, commandLayouts, dataViewOf, encodeCommand, limits, MarketStatus } from '../../engine/index.ts';
import { decimalOfHex, hexOfDecimal } from '../auth/uint256.ts';
import { closeCommand, creationOf, eventCommandOf, requireResolvable, resolutionOf } from '../commands/creation.ts';
import { counted, isOrAre } from '../lib/counted.ts';
import type { Services } from '../services.ts';
import { DEFAULT_OUTCOMES } from '../views/texts.ts';
import { BadRequest } from '../wire/badRequest.ts';
import { readFields } from '../wire/bodies.ts';
import {
  type EventLine,
  LINE_KINDS,
  lineSchemas,
  type MarketLine,
  type SeriesLine,
  type TagLine,
} from '../wire/importLines.ts';

/** An event that markets may name: an existing one by its number, or the n-th of this import, from 0. */
interface KnownEvent {
  readonly number: number | undefined;
  readonly at: number;
  readonly negRisk: boolean;
}

interface ImportCounts {
  readonly events: number;
  readonly markets: number;
}

const EVENT_AT = commandLayouts.CreateMarket.offsets.eventNumber;
/** UpdateMarket and ResolveMarket both begin with the market's index. */
const MARKET_AT = commandLayouts.ResolveMarket.offsets.marketIndex;

/** Commands are stored in slabs of this size: hundreds of thousands of separate buffers would cost more than their contents. */
const SLAB_BYTES = 1_048_576;

/** A place in a command for a number that is known only at submission. */
interface Patch {
  readonly command: Uint8Array;
  readonly at: number;
  /** Counted from the first event or market of the import. */
  readonly relative: number;
}

/** Writes a patch's number, little-endian. @param first the number of the import's first event or market */
function fill({ command, at, relative }: Patch, first: number): void {
  dataViewOf(command).setUint32(at, first + relative, true);
}

export class CatalogImport {
  private readonly services: Services;
  private readonly commands: Uint8Array[] = [];
  private readonly eventPatches: Patch[] = [];
  private readonly marketPatches: Patch[] = [];
  private readonly tags = new Map<string, string>();
  private readonly series = new Map<string, SeriesLine>();
  /** Tags named by events so far; a line that defines one of them would come too late. */
  private readonly tagsNamed = new Set<string>();
  private readonly seriesNamed = new Set<string>();
  private readonly events = new Map<string, KnownEvent>();
  private readonly marketSlugs = new Set<string>();
  private readonly ids = new Set<string>();
  /** The exchange's counts when this import began. */
  private readonly eventsBefore: number;
  private readonly marketsBefore: number;
  private slab = new Uint8Array(SLAB_BYTES);
  private slabUsed = 0;
  private eventCount = 0;
  private marketCount = 0;
  private badCount = 0;

  constructor(services: Services) {
    this.services = services;
    this.eventsBefore = services.views.markets.eventList().length;
    this.marketsBefore = services.views.markets.list().length;
  }

  get counts(): ImportCounts {
    return { events: this.eventCount, markets: this.marketCount };
  }

  /** Adds lines; returns the errors of those that were not accepted. */
  addAll(lines: readonly { readonly line: number; readonly row: unknown }[]): { line: number; error: string }[] {
    const bad: { line: number; error: string }[] = [];
    for (const { line, row } of lines) {
      try {
        this.addLine(row);
      } catch (error) {
        if (!(error instanceof BadRequest)) throw error;
        bad.push({ line, error: error.message });
      }
    }
    this.badCount += bad.length;
    return bad;
  }

  /**
   * Submits everything as one act and waits until it is durable.
   * @param onSubmit called once nothing can refuse the import any more, before it is submitted
   * @throws BadRequest if a line was bad, there are no lines, or one of the names or ids has been taken meanwhile
   */
  async commit(onSubmit: () => void = () => {}): Promise<ImportCounts> {
    const { badCount } = this;
    if (badCount > 0) {
      throw new BadRequest(`${counted(badCount, 'line')} ${isOrAre(badCount)} invalid; nothing was imported`);
    }
    if (this.commands.length === 0) throw new BadRequest('there is nothing to import');
    const { exchange, views } = this.services;
    const isBehind = (): boolean =>
      views.markets.eventList().length + 1 < exchange.nextEventNumber ||
      views.markets.list().length < exchange.nextMarketIndex;
    // Concurrent creations must be visible before names can be compared with them.
    while (isBehind()) await exchange.submit(encodeCommand({ type: 'Tick' }));
    this.requireStillFree();
    const { nextEventNumber, nextMarketIndex } = exchange;
    for (const patch of this.eventPatches) fill(patch, nextEventNumber);
    for (const patch of this.marketPatches) fill(patch, nextMarketIndex);
    onSubmit();
    await exchange.submitTogether(this.commands);
    return this.counts;
  }

  /** Compares with what was created since this import began; every line was already compared with what existed before. */
  private requireStillFree(): void {
    const { markets } = this.services.views;
    const taken = (what: string): BadRequest =>
      new BadRequest(`${what} was created in the meantime; nothing was imported`);
    for (const { texts } of markets.eventList().slice(this.eventsBefore)) {
      const slug = String(texts.slug);
      if (this.hasEvent(slug)) throw taken(`the event ${slug}`);
    }
    for (const { slug, conditionId, tokens } of markets.list().slice(this.marketsBefore)) {
      const ids = [conditionId, ...tokens.map(hexOfDecimal)];
      if (this.marketSlugs.has(slug) || ids.some((id) => this.ids.has(id))) throw taken(`the market ${slug}`);
    }
    if (markets.list().length + this.marketCount > limits.marketsMax) {
      throw new BadRequest(`the exchange can have at most ${limits.marketsMax} markets; nothing was imported`);
    }
  }

  private addLine(line: unknown): void {
    const kind: unknown = typeof line === 'object' && line !== null && 'kind' in line ? line.kind : undefined;
    const known = LINE_KINDS.find((one) => one === kind);
    if (known === undefined) throw new BadRequest(`invalid_field: kind: it must be one of ${LINE_KINDS.join(', ')}`);
    if (known === 'tag') this.addTag(readFields(lineSchemas.tag, line));
    else if (known === 'series') this.addSeries(readFields(lineSchemas.series, line));
    else if (known === 'event') this.addEvent(readFields(lineSchemas.event, line));
    else this.addMarket(readFields(lineSchemas.market, line));
  }

  private addTag({ slug, label }: TagLine): void {
    if (this.tags.has(slug)) throw new BadRequest(`tag ${slug} appears twice`);
    if (this.tagsNamed.has(slug)) throw tooLate(`tag ${slug}`);
    this.tags.set(slug, label);
  }

  private addSeries(line: SeriesLine): void {
    if (this.series.has(line.slug)) throw new BadRequest(`series ${line.slug} appears twice`);
    if (this.seriesNamed.has(line.slug)) throw tooLate(`series ${line.slug}`);
    this.series.set(line.slug, line);
  }

  private addEvent(line: EventLine): void {
    const { kind: _, ...body } = line;
    if (this.hasEvent(line.slug)) throw new BadRequest(`event ${line.slug} appears twice`);
    if (this.services.views.markets.eventBySlug(line.slug) !== undefined) {
      throw new BadRequest(`the exchange already has an event ${line.slug}`);
    }
    const labels = (line.tags ?? []).flatMap((slug) => {
      const label = this.tags.get(slug);
      return label === undefined ? [] : [[slug, label] as const];
    });
    const series = line.series === undefined ? undefined : this.series.get(line.series);
    const extra = {
      ...(labels.length > 0 && { tagLabels: { ...Object.fromEntries(labels), ...line.tag_labels } }),
      ...(series !== undefined && { seriesTexts: { title: series.title, recurrence: series.recurrence } }),
    };
    this.store(encodeCommand(eventCommandOf(body, line.slug, extra)));
    for (const slug of line.tags ?? []) this.tagsNamed.add(slug);
    if (line.series !== undefined) this.seriesNamed.add(line.series);
    this.events.set(line.slug, { number: undefined, at: this.eventCount, negRisk: line.neg_risk === true });
    this.eventCount += 1;
  }

  private addMarket(line: MarketLine): void {
    const { kind: _, closed: _closed, winner, event: eventSlug, ...body } = line;
    const { markets } = this.services.views;
    if (winner === undefined) requireResolvable(body);
    if (this.marketSlugs.has(line.slug)) throw new BadRequest(`market ${line.slug} appears twice`);
    if (markets.bySlug(line.slug) !== undefined) {
      throw new BadRequest(`the exchange already has a market ${line.slug}`);
    }
    const event = eventSlug === undefined ? undefined : this.findEvent(eventSlug);
    const command = creationOf(this.services, body, line.slug, event?.negRisk ?? false, event?.number ?? 0);
    const { conditionId, firstToken, secondToken } = command;
    for (const id of [conditionId, firstToken, secondToken]) {
      if (this.ids.has(id)) throw new BadRequest(`id ${id} appears twice`);
    }
    if (markets.byCondition(conditionId) !== undefined) {
      throw new BadRequest(`the exchange already has a market with condition id ${conditionId}`);
    }
    for (const token of decimalTokens(line, command)) {
      if (markets.byToken(token) === undefined) continue;
      throw new BadRequest(`the exchange already has a market with token id ${token}`);
    }
    const end = endOf(line);
    const creation = this.store(encodeCommand(command));
    if (event !== undefined && event.number === undefined) {
      this.eventPatches.push({ command: creation, at: EVENT_AT, relative: event.at });
    }
    if (end !== undefined)
      this.marketPatches.push({ command: this.store(end), at: MARKET_AT, relative: this.marketCount });
    this.marketSlugs.add(line.slug);
    for (const id of [conditionId, firstToken, secondToken]) this.ids.add(id);
    this.marketCount += 1;
  }

  /** Stores a command of the import; returns its stored bytes. */
  private store(command: Uint8Array): Uint8Array {
    if (this.slabUsed + command.length > this.slab.length) {
      this.slab = new Uint8Array(Math.max(SLAB_BYTES, command.length));
      this.slabUsed = 0;
    }
    const kept = this.slab.subarray(this.slabUsed, this.slabUsed + command.length);
    kept.set(command);
    this.slabUsed += command.length;
    this.commands.push(kept);
    return kept;
  }

  /** Whether an event belongs to this import, and is not an existing one that a market named. */
  private hasEvent(slug: string): boolean {
    const known = this.events.get(slug);
    return known !== undefined && known.number === undefined;
  }

  private findEvent(slug: string): KnownEvent {
    const known = this.events.get(slug);
    if (known !== undefined) return known;
    const row = this.services.views.markets.eventBySlug(slug);
    if (row === undefined)
      throw new BadRequest(`there is no event with slug ${slug} in the exchange or on an earlier line`);
    const found = { number: row.eventNumber, at: 0, negRisk: row.negRisk };
    this.events.set(slug, found);
    return found;
  }
}

const tooLate = (what: string): BadRequest =>
  new BadRequest(`${what} comes after an event that uses it; tags and series must come first`);

/** The token ids of a line as decimal texts. */
const decimalTokens = ({ token_ids: given }: MarketLine, command: CommandOf<'CreateMarket'>): readonly string[] =>
  given ?? [command.firstToken, command.secondToken].map(decimalOfHex);

/** The command that ends a market that is over; its index is filled in later. */
function endOf({ closed, winner, outcomes: given, status }: MarketLine): Uint8Array | undefined {
  if (closed !== true && winner === undefined) return undefined;
  if (closed === false) throw new BadRequest('invalid_field: closed: it must not be false for a market with a winner');
  if (status === MarketStatus.DRAFT)
    throw new BadRequest('invalid_field: status: it must not be draft for a market that is closed or has a winner');
  if (winner === undefined) return encodeCommand(closeCommand(0));
  const outcomes = given ?? DEFAULT_OUTCOMES;
  const resolution = resolutionOf(outcomes, winner);
  if (resolution === undefined) {
    throw new BadRequest(`invalid_field: winner: it must be "split" or one of ${JSON.stringify(outcomes)}`);
  }
  return encodeCommand({ type: 'ResolveMarket', marketIndex: 0, resolution });
}
