// The real core and the reference side by side: each command goes through both, and everything that can be observed of them is
// compared. Used by the model test, the toy world and the scenarios. It reads the core only through its public interface.
import { Exchange } from '../../engine/core/index.ts';
import type { Command, EngineEvent } from '../../engine/protocol/index.ts';
import { decodeEvents, EventWriter, encodeCommand } from '../../engine/protocol/index.ts';
import { describeEvent } from './eventWords.ts';
import type { TimedCommand } from './generator.ts';
import { labelOf } from './names.ts';
import { printCommand } from './printing.ts';
import { ReferenceExchange } from './reference.ts';
import type { Level } from './referenceBook.ts';

/** Core and reference differ; `signature` is the same for differences of the same kind. */
export class Disagreement extends Error {
  readonly signature: string;

  constructor(signature: string, text: string) {
    super(text);
    this.signature = signature;
  }
}

/** What is compared after a command, besides its events, the due time and what the events touch. */
interface Depth {
  /** All books and balances. */
  readonly all: boolean;
  /** The core's own invariants. */
  readonly invariants: boolean;
}

/** Everything, after every command. */
export const deepest: Depth = { all: true, invariants: true };

interface Place {
  readonly marketIndex: number;
  readonly accountId: number;
}

/** Shared by all pairs, which are many and short-lived in the toy world. */
const writer = new EventWriter(1 << 14);

export class Pair {
  readonly reference = new ReferenceExchange();
  readonly core = new Exchange();
  private readonly places = new Map<number, Place>();
  private readonly labels = new Map<number, string>();

  /** Applies a command to both and returns the core's events; throws a Disagreement where the two differ. */
  apply({ tMs, command }: TimedCommand, depth: Depth): EngineEvent[] {
    const at = { tMs, nextLabel: 0, nextMarket: this.reference.state.markets.length };
    const expected = this.reference.apply(tMs, command);
    let events: EngineEvent[];
    try {
      events = this.applyToCore(tMs, command);
      if (depth.invariants) this.core.checkInvariants();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const text = `the core fails at: ${printCommand(command, at)}\n${error.stack ?? error.message}`;
      throw new Disagreement(`failure ${error.message.replaceAll(/\d+/g, '')}`, text);
    }
    this.note(command, expected);
    this.note(command, events);
    let difference = firstDifferentEvent(events, expected) === undefined ? undefined : 'the events differ';
    difference ??= this.compareDue() ?? (depth.all ? this.compareAll() : this.compareTouched(events));
    if (difference === undefined) return events;
    const lines = [
      `${difference} at: ${printCommand(command, at)}`,
      ...this.show('core', events),
      ...this.show('reference', expected),
    ];
    throw new Disagreement(signatureOf(command, difference, events, expected), lines.join('\n'));
  }

  /** Applies a command that was compared before in the same state: both apply it, without another comparison. */
  replay({ tMs, command }: TimedCommand): void {
    this.note(command, this.reference.apply(tMs, command));
    writer.begin();
    this.core.apply(tMs, encodeCommand(command), writer);
    writer.finish();
  }

  /** Label of an order's id, such as `#7`, by its number. */
  readonly labelOfNumber = (orderNumber: number): string => this.labels.get(orderNumber) ?? `number ${orderNumber}`;

  private applyToCore(tMs: number, command: Command): EngineEvent[] {
    writer.begin();
    this.core.apply(tMs, encodeCommand(command), writer);
    writer.finish();
    return decodeEvents(writer.bytes.subarray(0, writer.length));
  }

  private note(command: Command, events: readonly EngineEvent[]): void {
    if (command.type !== 'PlaceOrder') return;
    for (const event of events) {
      if (event.type !== 'OrderAccepted' && event.type !== 'OrderKilled') continue;
      this.places.set(event.orderNumber, event);
      this.labels.set(event.orderNumber, `#${labelOf(command.orderId)}`);
    }
  }

  private compareDue(): string | undefined {
    const [core, reference] = [this.core.nextDueMs(), this.reference.nextDue()];
    // Times that no clock ever reaches need not be distinguished.
    const isFar = Math.min(core, reference) > Number.MAX_SAFE_INTEGER;
    return core === reference || isFar ? undefined : `the next due time differs (core ${core}, reference ${reference})`;
  }

  private compareTouched(events: readonly EngineEvent[]): string | undefined {
    const markets = new Set<number>();
    const accounts = new Set<number>();
    for (const event of events) {
      const number = 'makerOrderNumber' in event ? event.makerOrderNumber : orderNumberOf(event);
      const place = number === undefined ? undefined : this.places.get(number);
      if (place !== undefined) markets.add(place.marketIndex);
      if (place !== undefined) accounts.add(place.accountId);
      if ('marketIndex' in event && event.type !== 'TradeStatusChanged') markets.add(event.marketIndex);
      if ('accountId' in event) accounts.add(event.accountId);
    }
    return this.compare(accounts, markets);
  }

  private compareAll(): string | undefined {
    const { accounts, markets } = this.reference.state;
    return this.compare(accounts.keys(), new Set(markets.keys()));
  }

  private compare(accounts: Iterable<number>, markets: ReadonlySet<number>): string | undefined {
    for (const marketIndex of markets) {
      const difference = compareBooks(this.core.bookLevels(marketIndex), this.reference.book(marketIndex));
      if (difference !== undefined) return `the book of m${marketIndex} differs ${difference}`;
    }
    for (const account of accounts) {
      const { wallet } = this.reference.state.accounts[account];
      if (this.core.accountIdOf(wallet) !== account) return `the account of ${wallet} differs`;
      const [core, reference] = [this.core.collateralMicro(account), this.reference.collateral(account)];
      if (BigInt(core) !== reference)
        return `collateral of account ${account} differs (core ${core}, reference ${reference})`;
      for (const marketIndex of markets) {
        for (const outcome of [0, 1]) {
          const held = this.core.sharesMicro(account, marketIndex, outcome);
          const due = this.reference.shares(account, marketIndex, outcome);
          const where = `account ${account} in m${marketIndex}, token ${outcome}`;
          if (BigInt(held) !== due) return `shares of ${where} differ (core ${held}, reference ${due})`;
        }
      }
    }
    return undefined;
  }

  private show(title: string, events: readonly EngineEvent[]): string[] {
    const lines = events.map((event) => `    ${describeEvent(event, this.labelOfNumber)}    ${JSON.stringify(event)}`);
    return [`  ${title}: ${events.length} events`, ...lines];
  }
}

function orderNumberOf(event: EngineEvent): number | undefined {
  if ('orderNumber' in event) return event.orderNumber;
  return event.type === 'Trade' ? event.takerOrderNumber : undefined;
}

/** The index of the first event that differs or that only one of the lists has; undefined when the lists are the same. */
export function firstDifferentEvent(
  events: readonly EngineEvent[],
  expected: readonly EngineEvent[],
): number | undefined {
  const shorter = Math.min(events.length, expected.length);
  for (let index = 0; index < shorter; index += 1) if (!isSameEvent(events[index], expected[index])) return index;
  return events.length === expected.length ? undefined : shorter;
}

function isSameEvent(x: EngineEvent, y: EngineEvent): boolean {
  const one: Readonly<Record<string, unknown>> = x;
  const other: Readonly<Record<string, unknown>> = y;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

/** The kind of a difference: the command, what differs, and how the first differing events begin. */
function signatureOf(
  command: Command,
  difference: string,
  events: readonly EngineEvent[],
  expected: readonly EngineEvent[],
): string {
  const at = firstDifferentEvent(events, expected) ?? expected.length;
  const sort = [events[at], expected[at]].map((event) =>
    event === undefined
      ? 'none'
      : `${event.type} ${'code' in event ? event.code : ''}${'reason' in event ? event.reason : ''}`,
  );
  return `${command.type} ${difference.replaceAll(/\d+/g, '').slice(0, 30)} ${sort.join(' / ')}`;
}

interface Sides {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

function compareBooks(core: Sides, reference: Sides): string | undefined {
  for (const side of ['bids', 'asks'] as const) {
    const [one, other] = [core[side], reference[side]].map((levels) =>
      levels.map(({ pips, lots }) => `${lots}@${pips}`).join(' '),
    );
    if (one !== other) return `in its ${side} (core ${one}; reference ${other})`;
  }
  return undefined;
}
