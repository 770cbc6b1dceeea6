// Loaded into every server process that tests start: every reply is held against /openapi.json, and the first that deviates
// ends the process with its text, so that the test sees it. What it needs is loaded at the first reply, so that processes
// which never answer anything start as fast as a user's.
import { subscribe } from 'node:diagnostics_channel';
import { ANSWERED_CHANNEL, type Answered } from '../../server/http/answered.ts';

const DEVIATED = 98;

async function check(told: Answered): Promise<void> {
  const { deviationOf } = await import('./openApiCheck.ts');
  const deviation = deviationOf(told);
  if (deviation === undefined) return;
  process.stderr.write(`A request or reply deviates from /openapi.json: ${deviation}\n`);
  process.exit(DEVIATED);
}

subscribe(ANSWERED_CHANNEL, (told) => void check(told as Answered)); // what this channel carries
