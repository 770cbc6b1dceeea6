// Due items of the core (expiries, releases, heartbeats, trade statuses): a lost one is an order that never ends. The invariants
// find each that a snapshot lost or misplaced, and what is due first is derived from the items, never stored.
import { expect, test } from 'vitest';
import { Exchange } from '../../engine/core/index.ts';
import { keyOf, TIME_ZERO_MS } from '../model/names.ts';
import { readCommand } from '../model/notation.ts';
import { DecodingCore } from '../support/decodingCore.ts';
import { KeptSections } from '../support/keptSections.ts';

/** Three orders that expire, two delayed ones, two silent keys and one with a session, four trades that are not confirmed. */
const LINES = `started window 86400000 heartbeat 60000 mined 5000 confirmed 5000 credit 0
  market
  market delay 3
  alice gets 20 YES
  alice gets 20 YES in m1
  bob deposits 50
  alice sells 4 YES @ 0.5 GTC
  bob buys 1 YES @ 0.5 GTC
  bob buys 1 YES @ 0.5 GTC
  bob buys 1 YES @ 0.5 GTC
  bob buys 1 YES @ 0.4 GTD expires +70s
  bob buys 1 YES @ 0.4 GTD expires +80s
  bob buys 1 YES @ 0.4 GTD expires +90s
  bob buys 1 YES @ 0.4 GTC
  alice sells 5 YES @ 0.5 GTC in m1
  bob buys 1 YES @ 0.5 GTC in m1
  bob buys 1 YES @ 0.5 GTC in m1`.split('\n');

type Values = Map<string, unknown>;

function makeCore(): DecodingCore {
  const core = new DecodingCore();
  let nextMarket = 0;
  for (const [index, line] of LINES.entries()) {
    const command = readCommand(line.trim(), { tMs: TIME_ZERO_MS, nextLabel: index, nextMarket });
    if (command.type === 'CreateMarket') nextMarket += 1;
    core.apply(TIME_ZERO_MS, command);
  }
  for (const owner of [0, 1]) {
    const by = { owner: `0x${String(owner + 1).padStart(40, '0')}`, keyId: keyOf(owner, 0) };
    const [given, next] = [0, owner + 1].map((id) => `0x${String(id).padStart(32, '0')}`);
    core.apply(TIME_ZERO_MS + owner, { type: 'Heartbeat', ...by, given, next, refresh: 0 });
  }
  return core;
}

function snapshotOf({ exchange }: DecodingCore): Values {
  const values: Values = new Map();
  exchange.visit(new KeptSections(values, false));
  return values;
}

function loaded(values: Values): Exchange {
  const exchange = new Exchange();
  exchange.visit(new KeptSections(values, true));
  return exchange;
}

type Change = (values: Values) => void;

/** Exchanges two entries of a list. */
const swapped =
  (name: string, first: number, second: number): Change =>
  (values) => {
    const list = Float64Array.from(values.get(name) as Float64Array); // the snapshot of a core, which has this list
    [list[first], list[second]] = [list[second], list[first]];
    values.set(name, list);
  };

/** Sets a number, or the entry of a list at a place. */
const changed =
  (name: string, value: number, at = 0): Change =>
  (values) => {
    const before = values.get(name);
    if (before instanceof Float64Array || before instanceof Int32Array) values.set(name, before.with(at, value));
    else values.set(name, value);
  };

test.each<readonly [what: string, change: Change]>([
  ['expiries that are gone', changed('expiries/size', 0)],
  ['the last expiry, which is gone', changed('expiries/size', 2)],
  ['expiries in the wrong order', swapped('expiries/due', 0, 2)],
  ['an expiry of another order', changed('expiries/items', 7, 0)],
  ['releases that are gone', changed('releases/size', 0)],
  ['a release at another time', changed('releases/due', TIME_ZERO_MS + 2_000, 0)],
  ['heartbeats that are gone', changed('heartbeats/due/size', 0)],
  ['a heartbeat at another time', changed('heartbeats/due/due', TIME_ZERO_MS + 2_000, 0)],
  ['trade statuses in the wrong order', swapped('statuses/first', 0, 2)],
  ['a trade status of no market', changed('statuses/items', 9, 2)],
])('the invariants find %s', (_, change) => {
  const values = snapshotOf(makeCore());
  loaded(values).checkInvariants();
  change(values);
  const exchange = loaded(values);
  expect(() => exchange.checkInvariants()).toThrow(/^core invariant 11: /);
});

test('what is due first is derived from the items of a snapshot, which stores neither it nor the time', () => {
  const core = makeCore();
  const values = snapshotOf(core);
  expect([...values.keys()].filter((name) => /^numbers\/(?:alarm|tMs)$/.test(name))).toEqual([]);
  const exchange = loaded(values);
  expect(exchange.nextDueMs()).toBe(TIME_ZERO_MS + 3_000);
  const restored = Object.assign(new DecodingCore(), { exchange });
  for (const atMs of [2_999, 3_000, 10_000, 30_000, 61_000].map((ms) => TIME_ZERO_MS + ms)) {
    const events = core.apply(atMs, { type: 'Tick' });
    expect(restored.apply(atMs, { type: 'Tick' })).toEqual(events);
    expect(events.length > 0).toBe(atMs !== TIME_ZERO_MS + 2_999);
    exchange.checkInvariants();
  }
});
