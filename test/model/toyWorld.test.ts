// A world small enough to be explored exhaustively: tick 0.1, three accounts, one or two lots an order, a handful of
// commands, and every sequence of them up to a length. Core and reference must agree on events and book after every command
// of every sequence. TOY_SECONDS bounds the time: a length beyond the minimum is explored only if the shorter ones suggest
// that it fits.
import { expect, test } from 'vitest';
import type { Command } from '../../engine/protocol/index.ts';
import { environmentNumber } from '../support/wholeNumber.ts';
import { orderIdOf, TIME_ZERO_MS } from './names.ts';
import { readCommand } from './notation.ts';
import { Disagreement, deepest, Pair } from './pair.ts';

const secondsMax = environmentNumber('TOY_SECONDS', 60);

/** Bob has a second wallet of his own; dave has just enough for one order at a time. */
const opening = [
  'started window 86400000 heartbeat 10000 mined 0 confirmed 0 credit 0',
  'market tick 0.1 fee 1000/1 delay 0',
  'market tick 0.1',
  'alice deposits 0.03',
  'alice splits 0.02',
  'bob deposits 0.03',
  'bob splits 0.02',
  'bob deposits 0.01 from bob/1',
  'dave deposits 0.012',
];

/** The possible steps of a sequence; `oldest` is the id of the oldest live order. */
const broad = [
  'alice buys 0.02 YES @ 0.5 GTC',
  'alice buys 0.01 NO @ 0.4 GTC',
  'alice sells 0.02 YES @ 0.6 GTC',
  'alice sells 0.01 NO @ 0.5 GTC',
  'bob buys 0.01 YES @ 0.6 GTC',
  'bob sells 0.02 YES @ 0.5 GTC',
  'bob buys 0.02 NO @ 0.5 GTC from bob/1',
  'bob sells 0.02 NO @ 0.4 GTC',
  'dave buys 0.02 YES @ 0.6 GTC',
  'dave buys 0.01 YES @ 0.5 GTC in m1',
  'alice buys raw 12000:20000 YES FOK',
  'bob sells raw 20000:8000 YES FAK',
  'dave buys raw 11000:20000 NO FAK',
  'alice cancels oldest',
  'bob cancels oldest',
  'dave splits 0.006',
  'alice merges 0.01',
  'bob sells 0.01 YES @ 0.7 GTC post-only',
] as const;

/** The few steps with the most interactions, for longer sequences. */
const narrow = [
  'alice buys 0.02 YES @ 0.5 GTC',
  'alice sells 0.01 NO @ 0.5 GTC',
  'bob buys 0.01 YES @ 0.6 GTC',
  'bob sells 0.02 NO @ 0.4 GTC',
  'dave buys 0.02 YES @ 0.6 GTC',
  'alice buys raw 12000:20000 YES FOK',
  'alice cancels oldest',
] as const;

class Walk {
  sequences = 0;
  private readonly alphabet: readonly string[];
  private readonly opening: readonly Command[];

  constructor(alphabet: readonly string[]) {
    this.alphabet = alphabet;
    let markets = 0;
    this.opening = opening.map((line) => {
      const command = readCommand(line, { tMs: TIME_ZERO_MS, nextLabel: 0, nextMarket: markets });
      if (command.type === 'CreateMarket') markets += 1;
      return command;
    });
  }

  /**
   * Extends a sequence by every command, down to `length`. A command that changed nothing is not extended: its
   * continuations have been walked as shorter sequences. The exchanges that it left unchanged take the next command in its
   * place.
   */
  descend(steps: readonly number[], length: number): void {
    let lines: string[] = [];
    let pair: Pair | undefined;
    for (let next = 0; next < this.alphabet.length; next += 1) {
      if (pair === undefined) [pair, lines] = this.arriveAt(steps);
      const line = this.lineOf(pair, this.alphabet[next]);
      const command = readCommand(line, { tMs: TIME_ZERO_MS, nextLabel: steps.length + 1, nextMarket: 0 });
      if (!this.compare(pair, command, [...lines, line])) continue;
      pair = undefined;
      if (steps.length + 1 < length) this.descend([...steps, next], length);
    }
  }

  /** Fresh exchanges that have replayed a sequence compared before, and its lines. */
  private arriveAt(steps: readonly number[]): [Pair, string[]] {
    const pair = new Pair();
    for (const command of this.opening) pair.replay({ tMs: TIME_ZERO_MS, command });
    const lines: string[] = [];
    for (const [index, step] of steps.entries()) {
      lines.push(this.lineOf(pair, this.alphabet[step]));
      const command = readCommand(lines[index], { tMs: TIME_ZERO_MS, nextLabel: index + 1, nextMarket: 0 });
      pair.replay({ tMs: TIME_ZERO_MS, command });
    }
    return [pair, lines];
  }

  private compare(pair: Pair, command: Command, lines: readonly string[]): boolean {
    this.sequences += 1;
    try {
      const events = pair.apply({ tMs: TIME_ZERO_MS, command }, deepest);
      return events.some(({ type }) => type !== 'Rejected' && type !== 'CancelRefused');
    } catch (error) {
      if (!(error instanceof Disagreement)) throw error;
      throw new Error([...opening, ...lines, error.message].join('\n'));
    }
  }

  private lineOf(pair: Pair, words: string): string {
    if (!words.endsWith('oldest')) return words;
    const owner = readCommand(words.replace('oldest', 'all'), { tMs: 0, nextLabel: 0, nextMarket: 0 });
    const live = pair.reference.state.orders;
    const oldest = live.find((order) => 'owner' in owner && order.account.owner === owner.owner);
    const label = [1, 2, 3, 4, 5, 6, 7, 8, 9].find((number) => orderIdOf(number) === oldest?.id) ?? 10;
    return words.replace('oldest', `#${label}`);
  }
}

/** Walks ever longer sequences while the next length is expected to fit into the time; returns the last length walked. */
function walkAll(alphabet: readonly string[], lengthMin: number, secondsMax: number): number {
  let seconds = 0;
  let growth = alphabet.length;
  for (let length = 1; ; length += 1) {
    if (length > lengthMin && seconds * growth > secondsMax) return length - 1;
    const walk = new Walk(alphabet);
    const startedAt = performance.now();
    walk.descend([], length);
    const took = (performance.now() - startedAt) / 1000;
    if (length > 2) growth = took / seconds;
    seconds = took;
    console.info(
      `${walk.sequences} sequences of ${length} of ${alphabet.length} commands agree (${took.toFixed(1)} s).`,
    );
  }
}

test('core and reference agree on every sequence of four commands', { timeout: 1_200_000 }, () => {
  expect(walkAll(broad, 4, secondsMax / 2)).toBeGreaterThanOrEqual(4);
});

test('core and reference agree on every sequence of five commands from a smaller set', { timeout: 1_200_000 }, () => {
  expect(walkAll(narrow, 5, secondsMax / 2)).toBeGreaterThanOrEqual(5);
});
