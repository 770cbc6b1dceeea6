// Run by vitest before each test file. From then on every reply of every server in this process is checked against
// /openapi.json, and the file fails at its end when one deviated. The checker is loaded at the first reply, since most
// files start no server.
import { subscribe } from 'node:diagnostics_channel';
import { afterAll } from 'vitest';
import { ANSWERED_CHANNEL, type Answered } from '../../server/http/answered.ts';

const DEVIATIONS_SHOWN = 20;
const deviations = new Set<string>();
let deviationOf: ((answered: Answered) => string | undefined) | undefined;
let loading: Promise<void> | undefined;
let early: Answered[] = [];

function check(answered: Answered): void {
  const deviation = deviationOf?.(answered);
  if (deviation !== undefined) deviations.add(deviation);
}

async function load(): Promise<void> {
  ({ deviationOf } = await import('./openApiCheck.ts'));
  early.forEach(check);
  early = [];
}

subscribe(ANSWERED_CHANNEL, (message) => {
  const answered = message as Answered; // the channel carries nothing else
  if (deviationOf !== undefined) return check(answered);
  early.push(answered);
  loading ??= load();
});

afterAll(async () => {
  await loading;
  if (deviations.size === 0) return;
  const shown = [...deviations].slice(0, DEVIATIONS_SHOWN).join('\n');
  deviations.clear();
  throw new Error(`Requests or replies deviate from /openapi.json; mend the schema or the code:\n${shown}`);
});
