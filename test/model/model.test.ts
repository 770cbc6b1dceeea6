// The core against the reference on hundreds of thousands of random commands: the same events in the same order, the same
// books, balances and due times. MODEL_COMMANDS sets how many, MODEL_SEED the first seed. A difference is shrunk and
// printed in the notation, ready to be pasted into a scenario test.
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { Exchange } from '../../engine/core/index.ts';
import type { EngineEvent } from '../../engine/protocol/index.ts';
import {
  CancelReason,
  EventWriter,
  encodeCommand,
  eventLayouts,
  FillKind,
  reasonOf,
  rejectionName,
  rejections,
} from '../../engine/protocol/index.ts';
import { messageOf } from '../support/layOut.ts';
import { environmentNumber } from '../support/wholeNumber.ts';
import { EventAudit } from './eventAudit.ts';
import { Generator, type TimedCommand } from './generator.ts';
import { checkState } from './invariants.ts';
import { Pair } from './pair.ts';
import { Random } from './random.ts';
import { firstDifference, printSequence, shrink } from './shrink.ts';

const fullRun = 200_000;
const commandsMin = environmentNumber('MODEL_COMMANDS', fullRun);
const firstSeed = environmentNumber('MODEL_SEED', 1);
const perSeed = 2_500;
/** Up to this many commands invariants are checked after each one, then now and then. */
const closelyWatchedCommands = 20_000;

/** Produced by the registry, or by nobody: the core never writes these. */
const neverWrittenByCore: readonly string[] = [
  ...['KEY_UNKNOWN', 'MARKET_EXISTS', 'TOKEN_EXISTS', 'SLUG_EXISTS', 'EVENT_UNKNOWN', 'KEY_EXISTS'],
  ...['WALLET_TAKEN', 'EventCreated', 'ApiKeyCreated', 'ApiKeyDeleted', 'WalletBound'],
];

function namesOf(event: EngineEvent): string[] {
  if (event.type === 'Rejected' || event.type === 'OrderKilled') return [event.type, rejectionName(event.code)];
  if (event.type === 'OrderCanceled') return [event.type, `reason ${event.reason}`];
  return event.type === 'Fill' ? [event.type, `kind ${event.kind}`] : [event.type];
}

function report(seed: number, sequence: readonly TimedCommand[], text: string): never {
  const repeat = `MODEL_SEED=${seed} MODEL_COMMANDS=${sequence.length} npx vitest run test/model/model.test.ts`;
  const small = shrink(sequence);
  const difference = firstDifference(small)?.text ?? 'it does not fail when run again';
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

/** Runs one seed, and counts in `seen` how often each kind of event and reason came up. */
function runSeed(seed: number, done: number, commands: number, seen: Map<string, number>): void {
  const generator = new Generator(seed);
  const pair = new Pair();
  const audit = new EventAudit();
  const sequence: TimedCommand[] = [];
  for (let index = 0; index < commands; index += 1) {
    const timed = generator.next(pair.reference.state);
    sequence.push(timed);
    const isWatched = done + index < closelyWatchedCommands || index % 20 === 0;
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
      report(seed, sequence, reasonOf(error));
    }
  }
  expectSameStates(seed, pair, sequence);
}

/** Applies the same commands again on fresh cores, one by one and in batches; hashes and events must be the same. */
function expectSameStates(seed: number, pair: Pair, sequence: readonly TimedCommand[]): void {
  const single = new Exchange();
  const batched = new Exchange();
  const hash = createHash('sha256');
  const batchedHash = createHash('sha256');
  const out = new EventWriter();
  const random = new Random(seed);
  for (let from = 0; from < sequence.length; ) {
    const batch = sequence.slice(from, from + random.int(1, 40));
    from += batch.length;
    const encoded = batch.map(({ command }) => encodeCommand(command));
    for (const [i, { tMs }] of batch.entries()) {
      out.begin();
      single.apply(tMs, encoded[i], out);
      out.finish();
      hash.update(out.copy());
    }
    const { message, offsets } = messageOf(encoded);
    batched.applyBatch(
      Float64Array.from(batch, ({ tMs }) => tMs),
      message,
      offsets,
      0,
      batch.length,
      out,
    );
    batchedHash.update(out.copy());
  }
  const hashes = [pair.core.stateHash(), pair.core.idSetHash()];
  expect([single.stateHash(), single.idSetHash()]).toEqual(hashes);
  expect([batched.stateHash(), batched.idSetHash()]).toEqual(hashes);
  expect(batchedHash.digest('hex'), 'the events of batches').toBe(hash.digest('hex'));
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
  const missing = wanted.filter((name) => !seen.has(name) && !neverWrittenByCore.includes(name));
  expect(missing, 'The generator never reached these: give it a way there.').toEqual([]);
});
