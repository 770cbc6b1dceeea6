// The exchange of a simulation on clocks that are set and that sleep, in short scenarios: what the clocks do is noticed as on a
// real machine, and the timekeeper, which judges it in every run, agrees.
import { expect, test } from 'vitest';
import { TIME_ZERO_MS } from '../model/names.ts';
import { PLAIN_SETTINGS } from '../support/plainSettings.ts';
import { Simulation } from './simulation.ts';
import { readSteps } from './steps.ts';

/** Plays the lines. Returns the types of commands in the log with their times (s), and those of events that concern heartbeats. */
async function play(lines: string): Promise<{ readonly commands: string[]; readonly heartbeats: string[] }> {
  const settings = { ...PLAIN_SETTINGS, heartbeatWindowMs: 10_000 };
  const simulation = new Simulation({ settings, isClose: true, keepsRecords: true });
  await simulation.open();
  for (const step of readSteps(lines)) await simulation.play(step);
  await simulation.play({ kind: 'flush' });
  const { records } = simulation.witness;
  const commands = records.map(({ tMs, command }) => `${command.type} ${(tMs - TIME_ZERO_MS) / 1000}`);
  const events = records.flatMap((record) => record.events.map(({ type }) => type));
  await simulation.finish(true);
  return { commands, heartbeats: events.filter((type) => type.startsWith('Heartbeat')) };
}

const BEATING = `
  alice creates alice:0 kind 0 crediting alice
  alice beats given 1 next 2`;

test('a machine that sleeps costs no key its heartbeats, and its time goes on', async () => {
  const { commands, heartbeats } = await play(`${BEATING}
    the machine sleeps for 3600000ms
    +9999ms alice beats given 2 next 3`);
  expect(heartbeats).toEqual(['HeartbeatAccepted', 'HeartbeatAccepted']);
  expect(commands.slice(-3)).toEqual(['Started 3600', 'Heartbeat 3609.999', 'Tick 3609.999']);
});

test('a key that is silent after the sleep loses its session at its new deadline', async () => {
  const { commands, heartbeats } = await play(`${BEATING}
    the machine sleeps for 60000ms
    +30000ms time passes`);
  expect(heartbeats).toEqual(['HeartbeatAccepted', 'HeartbeatLapsed']);
  expect(commands.slice(-4)).toEqual(['Started 60', 'Tick 70', 'Tick 90', 'Tick 90']);
});

test('a clock that is set an hour ahead is not believed until the exchange starts again', async () => {
  const { commands } = await play(`
    the clock jumps by 3600000ms
    +500ms time passes
    the disk has written
    the exchange stops and starts
    time passes`);
  expect(commands).toEqual([
    'Started 0',
    'Tick 0.5',
    'Tick 0.5',
    'Tick 0.5',
    'Started 3600.5',
    'Tick 3600.5',
    'Tick 3600.5',
  ]);
});

test('an exchange that starts far behind its log stands still until its clock is set right', async () => {
  const { commands } = await play(`
    +5000ms time passes
    the clock jumps by -300000ms
    the exchange stops and starts
    +7000ms time passes
    the clock jumps by 300000ms
    time passes`);
  expect(commands).toEqual(['Started 0', 'Tick 5', 'Tick 5', 'Started 5', 'Tick 5', 'Tick 12', 'Tick 12']);
});
