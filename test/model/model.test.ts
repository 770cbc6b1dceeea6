// The core against the reference on hundreds of thousands of random commands: the same events in the same order, the same
// books, balances and due times. MODEL_COMMANDS sets how many, MODEL_SEED the first seed. A difference is shrunk and printed
// in the notation, so that it can be pasted into a scenario test.
import { expect, test } from 'vitest';
import { Exchange } from '../../engine/core/index.ts';
import type { EngineEvent } from '../../engine/protocol/index.ts';
import {
  CancelReason,
  EventWriter,
  encodeCommand,
  eventLayouts,
  FillKind,
  rejectionName,
  rejections,
} from '../../engine/protocol/index.ts';
import { EventAudit } from './eventAudit.ts';
import { Generator, type Timed } from './generator.ts';
import { checkState } from './invariants.ts';
import { Pair } from './pair.ts';
import { firstDifference, printSequence, shrink } from './shrink.ts';

const fullRun = 200_000;
const commandsMin = Number(process.env.MODEL_COMMANDS ?? fullRun);
const firstSeed = Number(process.env.MODEL_SEED ?? 1);
const perSeed = 2_500;
/** Invariants run after every command up to here, then now and then. */
const closelyWatched = 20_000;

/** What the registry says, or nobody: the core never writes these. */
const notOfTheCore: readonly string[] = [
  ...['KEY_UNKNOWN', 'MARKET_EXISTS', 'TOKEN_EXISTS', 'SLUG_EXISTS', 'EVENT_UNKNOWN', 'KEY_EXISTS', 'HEARTBEAT_ID'],
  ...['WALLET_TAKEN', 'EventCreated', 'ApiKeyCreated', 'ApiKeyDeleted', 'WalletBound'],
];

function namesOf(event: EngineEvent): string[] {
  if (event.type === 'Rejected' || event.type === 'OrderKilled') return [event.type, rejectionName(event.code)];
  if (event.type === 'OrderCanceled') return [event.type, `reason ${event.reason}`];
  return event.type === 'Fill' ? [event.type, `kind ${event.kind}`] : [event.type];
}

function report(seed: number, sequence: readonly Timed[], text: string): never {
  const repeat = `MODEL_SEED=${seed} MODEL_COMMANDS=${sequence.length} npx vitest run test/model/model.test.ts`;
  const small = shrink(sequence);
  const difference = firstDifference(small)?.text ?? 'it does not show when run again';
  throw new Error(
    [
      `seed ${seed}, command ${sequence.length - 1}: ${text}`,
      `Run it again: ${repeat}`,
      `Shrunk to ${small.length} commands:`,
      printSequence(small),
      difference,
    ].join('\n'),
  );
}

/** Runs one seed and returns how many commands it took. */
function runSeed(seed: number, done: number, commands: number, seen: Map<string, number>): void {
  const generator = new Generator(seed);
  const pair = new Pair();
  const audit = new EventAudit();
  const sequence: Timed[] = [];
  for (let index = 0; index < commands; index += 1) {
    const timed = generator.next(pair.reference.state);
    sequence.push(timed);
    const isWatched = done + index < closelyWatched || index % 20 === 0;
    const depth = { all: index % 100 === 99, invariants: isWatched };
    try {
      const before = isWatched ? pair.core.stateHash() : '';
      const events = pair.apply(timed, depth);
      const isRefused = events.length === 1 && events[0].type === 'Rejected';
      if (isWatched && isRefused) expect(pair.core.stateHash(), 'a refused command changes nothing').toBe(before);
      audit.observe(timed.command, events);
      if (isWatched) checkState(pair.reference.state);
      for (const event of events) for (const name of namesOf(event)) seen.set(name, (seen.get(name) ?? 0) + 1);
    } catch (error) {
      report(seed, sequence, error instanceof Error ? error.message : String(error));
    }
  }
  expectSameTwin(pair, sequence);
}

/** The same commands once more on a fresh core lead to the same hashes. */
function expectSameTwin(pair: Pair, sequence: readonly Timed[]): void {
  const twin = new Exchange();
  const out = new EventWriter();
  for (const { tMs, command } of sequence) {
    out.begin();
    twin.apply(tMs, encodeCommand(command), out);
    out.finish();
  }
  expect([twin.stateHash(), twin.idSetHash()]).toEqual([pair.core.stateHash(), pair.core.idSetHash()]);
}

test('core and reference agree on every event, book, balance and due time', { timeout: 1_200_000 }, () => {
  const seen = new Map<string, number>();
  let done = 0;
  for (let seed = firstSeed; done < commandsMin; seed += 1) {
    const commands = Math.min(perSeed, commandsMin - done);
    runSeed(seed, done, commands, seen);
    done += commands;
  }
  console.info(`${done} commands from seed ${firstSeed} on agree.`);
  console.info(
    [...seen]
      .sort()
      .map(([name, count]) => `${name} ${count}`)
      .join(', '),
  );
  if (done < fullRun) return;
  const wanted = [
    ...Object.keys(rejections),
    ...Object.keys(eventLayouts),
    ...Object.values(CancelReason).map((reason) => `reason ${reason}`),
    ...Object.values(FillKind).map((kind) => `kind ${kind}`),
  ];
  const missing = wanted.filter((name) => !seen.has(name) && !notOfTheCore.includes(name));
  expect(missing, 'The generator never reached these: give it a way there.').toEqual([]);
});
