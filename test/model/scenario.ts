// Plays a scenario written in the notation through core and reference at once, line by line, and checks both against it:
// `command → events` a line, books drawn as tables, balances in words. Used by the rule tests; a shrunk counter-example of
// the model test can be pasted as it was printed.
import { expect, test } from 'vitest';
import type { EngineEvent } from '../../engine/protocol/index.ts';
import { describeEvent } from './eventWords.ts';
import { addressNamed, TIME_ZERO_MS } from './names.ts';
import { readCommand, readDecimal } from './notation.ts';
import { deepest, Pair } from './pair.ts';
import { printDecimal } from './printing.ts';

/** Events that a line need not mention. */
const silent: readonly EngineEvent['type'][] = ['AccountOpened', 'OrderAccepted', 'TradeStatusChanged'];

const usualStart = 'started window 86400000 heartbeat 10000 mined 0 confirmed 0 credit 0';

class Player {
  readonly pair = new Pair();
  private tMs = TIME_ZERO_MS;
  private labelCount = 0;

  play(line: string, table: readonly string[]): void {
    if (line.startsWith('book')) this.checkBook(line, table);
    else if (/^\w+(\/\d)? has /.test(line)) this.checkHolder(line);
    else this.command(line);
  }

  private command(line: string): void {
    const [words, expected] = line.split('→').map((part) => part.trim());
    const wait = /^\+(\d+)ms (.*)$/.exec(words);
    this.tMs += Number(wait?.[1] ?? 0);
    this.labelCount += 1;
    const nextMarket = this.pair.reference.state.markets.length;
    const command = readCommand(wait?.[2] ?? words, { tMs: this.tMs, nextLabel: 1000 + this.labelCount, nextMarket });
    const events = this.pair.apply({ tMs: this.tMs, command }, deepest);
    if (expected === undefined) return;
    const wanted = expected.split(',').map((phrase) => phrase.trim());
    const firstWords = wanted.map((phrase) => phrase.split(' ')[0]);
    const phrases = events
      .map((event) => ({ event, phrase: describeEvent(event, this.pair.labelOfNumber) }))
      .filter(({ event, phrase }) => !silent.includes(event.type) || firstWords.includes(phrase.split(' ')[0]))
      .map(({ phrase }, index) => shorten(phrase, wanted[index]));
    expect(phrases, line).toEqual(wanted[0] === 'nothing' ? [] : wanted);
  }

  private checkBook(line: string, table: readonly string[]): void {
    const marketIndex = Number(/m(\d+)/.exec(line)?.[1] ?? 0);
    const { bids, asks } = this.pair.core.bookLevels(marketIndex);
    const rows = table.map((row) =>
      row
        .split('|')
        .slice(1, 3)
        .map((cell) => cell.trim()),
    );
    const [drawnBids, drawnAsks] = [0, 1].map((column) => rows.map((row) => row[column]).filter((cell) => cell !== ''));
    const draw = ({ pips, lots }: { readonly pips: number; readonly lots: number }): string =>
      `${printDecimal(lots, 2)} @ ${printDecimal(pips, 4)}`;
    expect({ bids: bids.map(draw), asks: asks.map(draw) }, line).toEqual({ bids: drawnBids, asks: drawnAsks });
  }

  /** Checks a line such as `alice has 45, 100 YES, 0 NO in m1`. */
  private checkHolder(line: string): void {
    const [, name, list, market] = /^(\S+) has (.*?)(?: in m(\d+))?$/.exec(line) ?? [];
    const { core } = this.pair;
    const account = core.accountIdOf(addressNamed(name));
    for (const part of list.split(',').map((text) => text.trim())) {
      const [amount, token] = part.split(' ');
      const outcome = token === 'NO' ? 1 : 0;
      const held =
        token === undefined ? core.collateralMicro(account) : core.sharesMicro(account, Number(market ?? 0), outcome);
      expect(held, `${line}: ${part}`).toBe(readDecimal(amount, 6));
    }
  }
}

/** The part of an event's phrase that the expectation gives: a line may omit the figures. */
function shorten(phrase: string, wanted: string | undefined): string {
  return wanted !== undefined && phrase.startsWith(`${wanted} `) ? wanted : phrase;
}

/** Plays a scenario; fails where core and reference differ, or where either deviates from the scenario. */
function playScenario(text: string): void {
  const player = new Player();
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('//'));
  if (!lines[0].startsWith('started')) player.play(usualStart, []);
  lines.forEach((line, index) => {
    if (line.startsWith('|')) return;
    const end = lines.findIndex((later, at) => at > index && !later.startsWith('|'));
    player.play(line, lines.slice(index + 1, end < 0 ? lines.length : end));
  });
}

/** A rule by example. @param name the rule, which is the test's name */
export const scenario = (name: string, text: string): void => test(name, () => playScenario(text));
