// The notation is lossless: whatever command is drawn, its printed line parses back to that very command. A field that got
// lost on the way would let a failing sequence shrink to one that does not fail.
import { expect, test } from 'vitest';
import { type Command, commandLayouts, encodeCommand, notificationItem } from '../../engine/protocol/index.ts';
import { PLAIN_TERMS } from '../support/plainTerms.ts';
import { beatOf, keyOf, marketIds, orderIdOf, TIME_ZERO_MS, walletOf } from './names.ts';
import { readCommand } from './notation.ts';
import { printCommand } from './printing.ts';
import { Random } from './random.ts';

const MOMENT = { tMs: TIME_ZERO_MS, nextLabel: 77, nextMarket: 3 };
const DRAWS = 400;

type Fields = Readonly<Record<string, { readonly kind: string; readonly max: number }>>;

/** Values of the next market's ids and of plain terms, which have words. */
const plain: Readonly<Record<string, string | number>> = { ...PLAIN_TERMS, ...marketIds(MOMENT.nextMarket) };

function drawField(random: Random, name: string, kind: string, max: number): string | number {
  if (name in plain && random.chance(85)) return plain[name];
  const owner = random.int(0, 7);
  if (kind === 'bytes16') return name === 'keyId' ? keyOf(owner, random.int(0, 31)) : beatOf(random.int(0, 99));
  if (kind === 'bytes20') return walletOf(owner, random.int(0, random.pick([0, 3, 11])));
  if (kind === 'bytes32') return orderIdOf(random.int(0, 99));
  const ofTime = name === 'timestampMs' ? TIME_ZERO_MS : name === 'expirationS' ? TIME_ZERO_MS / 1000 : 1;
  return Math.min(max, random.pick([0, 1, 2, ofTime, random.int(0, 20_000), max]));
}

function drawItem(random: Random, kind: string): string {
  if (kind === 'bytes32') return orderIdOf(random.int(0, 99));
  if (kind === 'bytes20') return walletOf(random.int(0, 7), random.int(0, 11));
  return notificationItem(random.int(1, 99));
}

function drawCommand(random: Random, type: Command['type']): Command {
  const { fields, item } = commandLayouts[type];
  const values = Object.entries<Fields[string]>(fields).map(([name, { kind, max }]) => [
    name,
    drawField(random, name, kind, max),
  ]);
  const items =
    item === undefined ? {} : { items: Array.from({ length: random.int(0, 3) }, () => drawItem(random, item)) };
  const tail = random.chance(15)
    ? { tail: Uint8Array.from({ length: random.int(1, 40) }, () => random.int(0, 255)) }
    : {};
  return { type, ...Object.fromEntries(values), ...items, ...tail };
}

const types = Object.keys(commandLayouts) as Command['type'][]; // the keys of the literal

test.each(types)('a printed %s parses back to the same command, in words or as JSON', (type) => {
  const random = new Random(type.length);
  let inWords = 0;
  for (let count = 0; count < DRAWS; count += 1) {
    const command = drawCommand(random, type);
    const line = printCommand(command, MOMENT);
    expect(line).not.toContain('\n');
    const read = readCommand(line, MOMENT);
    expect(read, line).toEqual(command);
    expect(encodeCommand(read), line).toEqual(encodeCommand(command));
    if (!line.startsWith('{')) inWords += 1;
  }
  expect(inWords, 'commands that were printed in words').toBeGreaterThan(DRAWS / 100);
});

test('flags, numbers of events and changes of terms have words', () => {
  const who = { owner: walletOf(0, 0), keyId: keyOf(0, 0) };
  const cases: readonly (readonly [Command, string])[] = [
    [
      { type: 'Split', ...who, wallet: walletOf(0, 2), marketIndex: 1, amountMicro: 1_500_000, flags: 2 },
      'alice splits 1.5 bound in m1 from alice/2',
    ],
    [{ type: 'Redeem', ...who, wallet: who.owner, marketIndex: 0, flags: 2 }, 'alice redeems bound'],
    [
      { type: 'CreateApiKey', owner: who.owner, keyId: keyOf(0, 1), nonce: 2, generation: 1, kind: 0, items: [] },
      'alice creates alice:1 kind 0 nonce 2 generation 1',
    ],
    [{ type: 'DropNotifications', ...who, items: [3, 4].map(notificationItem) }, 'alice drops 3 4'],
    [
      { type: 'CreateMarket', ...PLAIN_TERMS, ...marketIds(5), eventNumber: 2 },
      'market 5 of event 2 tick 0.01 min 0.01 buy-min 0 fee 0/1 delay 0 auto-tick 0 status OPEN',
    ],
    [{ type: 'UpdateMarket', marketIndex: 1, mask: 2, ...PLAIN_TERMS, tickPips: 10 }, 'm1 changes tick 0.001'],
  ];
  for (const [command, words] of cases) expect(printCommand(command, MOMENT)).toBe(words);
});

test('an update of a market keeps the terms that its mask does not name', () => {
  const update = { type: 'UpdateMarket', marketIndex: 1, mask: 2, ...PLAIN_TERMS, tickPips: 10, feeRate: 200 } as const;
  const line = printCommand(update, MOMENT);
  expect(line).toBe('m1 changes tick 0.001 beside fee 200/1');
  expect(readCommand(line, MOMENT)).toEqual(update);
});
