// The clock rules: time never falls, a clock that jumps more than a minute ahead of monotonic time is not believed, and a
// journal far ahead of the clock stops the start unless that is accepted. Virtual clocks are always believed.
import { expect, test } from 'vitest';
import { type Clock, ClockBehindJournal, encodeCommand, openExchange, VirtualClock } from '../../engine/index.ts';
import { Sequencer } from '../../engine/pipeline/sequencer.ts';
import { inTempDir } from '../journal/support.ts';
import { START_MS, settings } from './workload.ts';

const IS_BEHIND =
  'warn The clock is behind the last command: time stands still and nothing falls due until it has caught up.';
const JUMPED = 'warn The clock jumped ahead and is not trusted; the exchange continues by monotonic time.';

/** A machine whose wall clock can be set while its monotonic clock only advances. */
class Machine implements Clock {
  wallMs = START_MS;
  upMs = 5_000;
  sleptMs = 0;

  now(): number {
    return this.wallMs;
  }

  monotonicMs(): number {
    return this.upMs;
  }

  bootMs(): number {
    return this.upMs + this.sleptMs;
  }

  sleep(ms: number): void {
    this.wallMs += ms;
    this.sleptMs += ms;
  }

  pass(ms: number): void {
    this.wallMs += ms;
    this.upMs += ms;
  }
}

function sequencerOn(machine: Clock, warnings: string[] = [], lastTMs = 0, acceptsClock = false): Sequencer {
  return new Sequencer(machine, 0, lastTMs, acceptsClock, (level, text) => warnings.push(`${level} ${text}`));
}

test('sequences are consecutive, and each is stamped with the time of the clock', () => {
  const machine = new Machine();
  const sequencer = sequencerOn(machine);
  for (let i = 1; i <= 5; i += 1) {
    machine.pass(10);
    sequencer.stamp();
    expect([sequencer.sequence, sequencer.tMs]).toEqual([i, START_MS + i * 10]);
  }
});

test('time does not advance while the clock is behind, and follows the clock again afterwards', () => {
  const machine = new Machine();
  const sequencer = sequencerOn(machine);
  sequencer.stamp();
  machine.wallMs -= 30_000;
  machine.pass(1_000);
  sequencer.stamp();
  expect(sequencer.tMs).toBe(START_MS);
  machine.pass(29_500);
  expect(sequencer.now()).toBe(START_MS + 500);
});

test('each time the clock falls behind, one warning is logged with how far behind it is', () => {
  const machine = new Machine();
  const logged: unknown[] = [];
  const sequencer = new Sequencer(machine, 0, 0, false, (level, _, figures) => logged.push([level, figures]));
  sequencer.stamp();
  machine.wallMs -= 1_000;
  expect([sequencer.now(), logged]).toEqual([START_MS, []]);
  machine.wallMs -= 3_600_000;
  for (let second = 0; second < 5; second += 1) sequencer.clockMs();
  expect(logged).toEqual([['warn', { behindMs: 3_601_000 }]]);
  machine.pass(3_601_000);
  sequencer.stamp();
  machine.wallMs -= 20_000;
  sequencer.clockMs();
  expect(logged.slice(1)).toEqual([['warn', { behindMs: 20_000 }]]);
});

test('a clock jump of up to a minute is followed; a longer one is ignored with one warning', () => {
  const machine = new Machine();
  const warnings: string[] = [];
  const sequencer = sequencerOn(machine, warnings);
  machine.wallMs += 60_000;
  expect(sequencer.now()).toBe(START_MS + 60_000);
  machine.pass(1_000);
  expect(sequencer.now()).toBe(START_MS + 61_000);
  expect(warnings).toEqual([]);
  machine.wallMs += 3_600_000;
  machine.pass(1_000);
  expect(sequencer.now()).toBe(START_MS + 62_000);
  machine.pass(500);
  expect(sequencer.now()).toBe(START_MS + 62_500);
  expect(warnings).toEqual([JUMPED]);
  machine.wallMs -= 3_600_000;
  machine.pass(500);
  expect(sequencer.now()).toBe(START_MS + 63_000);
  machine.wallMs += 3_600_000;
  expect(sequencer.now()).toBe(START_MS + 63_000);
  expect(warnings.length).toBe(2);
});

test('a clock that was set back and is then corrected is followed', () => {
  const machine = new Machine();
  const warnings: string[] = [];
  const sequencer = sequencerOn(machine, warnings);
  machine.wallMs -= 7_200_000;
  machine.pass(1_000);
  sequencer.stamp();
  machine.wallMs += 7_200_000;
  machine.pass(1_000);
  sequencer.stamp();
  expect(sequencer.tMs).toBe(START_MS + 2_000);
  expect(warnings).toEqual([]);
});

test('a clock that was behind the journal at the start and is then set right is followed, without a warning', () => {
  const machine = new Machine();
  const warnings: string[] = [];
  const sequencer = sequencerOn(machine, warnings, START_MS + 7_200_000, true);
  machine.pass(300_000);
  sequencer.stamp();
  expect(sequencer.tMs).toBe(START_MS + 7_200_000);
  machine.wallMs += 7_200_000;
  expect(sequencer.clockMs()).toBe(START_MS + 7_500_000);
  machine.pass(10_800_000);
  sequencer.stamp();
  expect(sequencer.tMs).toBe(machine.wallMs);
  expect(warnings).toEqual([IS_BEHIND]);
  machine.wallMs += 3_600_000;
  expect(sequencer.clockMs()).toBe(START_MS + 18_300_000);
});

test('a clock that was behind the journal at the start is followed once it is set right, however long nothing ran', () => {
  const machine = new Machine();
  const warnings: string[] = [];
  const lastTMs = START_MS + 7_200_000;
  const sequencer = sequencerOn(machine, warnings, lastTMs, true);
  machine.wallMs += 600_000;
  machine.pass(30_000);
  expect(sequencer.clockMs()).toBe(START_MS + 630_000);
  machine.wallMs = lastTMs + 7_200_000;
  expect(sequencer.clockMs()).toBe(lastTMs + 7_200_000);
  machine.pass(1_000);
  expect(sequencer.now()).toBe(lastTMs + 7_201_000);
  expect(warnings).toEqual([IS_BEHIND]);
  machine.wallMs += 60_001;
  expect(sequencer.now()).toBe(lastTMs + 7_201_000);
  expect(warnings).toEqual([IS_BEHIND, JUMPED]);
});

test('once a clock has caught up with a journal that was ahead of it, a jump of less than that is not believed', () => {
  const machine = new Machine();
  const warnings: string[] = [];
  const sequencer = sequencerOn(machine, warnings, START_MS + 7_200_000, true);
  machine.pass(1_000);
  machine.wallMs += 3_600_000; // not past the journal: nothing is stamped by it
  expect(sequencer.now()).toBe(START_MS + 7_200_000);
  machine.wallMs -= 3_600_000;
  machine.pass(10_799_000);
  machine.wallMs += 6_600_000;
  expect(sequencer.clockMs()).toBe(START_MS + 10_800_000);
  expect(warnings).toEqual([IS_BEHIND, JUMPED]);
});

test('a clock that is less than a minute behind the journal, and was not accepted so, must not jump either', () => {
  const machine = new Machine();
  const warnings: string[] = [];
  const sequencer = sequencerOn(machine, warnings, START_MS + 60_000);
  machine.wallMs += 60_001;
  expect(sequencer.clockMs()).toBe(START_MS);
  expect(warnings).toEqual([JUMPED]);
});

test('slow clock drift over 1,000 hours is followed without a warning', () => {
  const machine = new Machine();
  const warnings: string[] = [];
  const sequencer = sequencerOn(machine, warnings);
  for (let hour = 0; hour < 1_000; hour += 1) {
    machine.pass(3_600_000);
    machine.wallMs += 1_000;
    sequencer.stamp();
  }
  expect(sequencer.tMs).toBe(machine.wallMs);
  expect(warnings).toEqual([]);
});

test('a journal more than a minute ahead of the clock stops the start unless the clock is accepted', () => {
  const machine = new Machine();
  expect(sequencerOn(machine, [], START_MS + 60_000).now()).toBe(START_MS + 60_000);
  expect(() => sequencerOn(machine, [], START_MS + 60_001)).toThrow(ClockBehindJournal);
  expect(() => sequencerOn(machine, [], START_MS + 90_000)).toThrow(/90 s ahead .* --accept-clock/);
  const accepted = sequencerOn(machine, [], START_MS + 90_000, true);
  accepted.stamp();
  expect(accepted.tMs).toBe(START_MS + 90_000);
  expect(sequencerOn(new VirtualClock(START_MS), [], START_MS + 90_000).now()).toBe(START_MS + 90_000);
});

test('an exchange starts on a journal from the future only with acceptClock', async () => {
  await inTempDir(async (dataDir) => {
    const clock = new VirtualClock(Date.now() + 600_000);
    const exchange = await openExchange({ dataDir, clock, settings, followers: [] });
    await exchange.close();
    await expect(openExchange({ dataDir, settings, followers: [] })).rejects.toThrow(ClockBehindJournal);
    const accepted = await openExchange({ dataDir, settings, followers: [], acceptClock: true });
    const { tMs } = await accepted.submit(encodeCommand({ type: 'Tick' }));
    expect(tMs).toBe(exchange.durableTMs);
    await accepted.close();
  });
});

test('a virtual clock moves forward only', () => {
  const clock = new VirtualClock(5);
  clock.advance(0);
  clock.advance(2);
  expect(clock.now()).toBe(7);
  expect(() => clock.advance(-1)).toThrow('moves forward only');
});

test('time that the machine slept is followed; a clock set ahead during the sleep is not', () => {
  const machine = new Machine();
  const warnings: string[] = [];
  const sequencer = sequencerOn(machine, warnings);
  machine.sleep(8 * 3_600_000);
  machine.pass(20);
  sequencer.stamp();
  expect(sequencer.tMs).toBe(START_MS + 8 * 3_600_000 + 20);
  for (let night = 0; night < 5; night += 1) machine.sleep(50_000);
  machine.pass(10);
  sequencer.stamp();
  expect(sequencer.tMs).toBe(START_MS + 8 * 3_600_000 + 250_030);
  expect(warnings).toEqual([]);
  const before = machine.wallMs;
  machine.sleep(3_600_000);
  machine.wallMs += 100_000;
  sequencer.stamp();
  expect(sequencer.tMs).toBe(before + 3_600_000);
  expect(warnings).toHaveLength(1);
});

test('clockMs() follows a clock that is set back, while now() does not go back', () => {
  const machine = new Machine();
  const sequencer = sequencerOn(machine);
  sequencer.stamp();
  machine.wallMs -= 3_600_000;
  expect(sequencer.now()).toBe(START_MS);
  expect(sequencer.clockMs()).toBe(START_MS - 3_600_000);
});
