// Loaded into every server process that tests start. It checks every reply against /openapi.json; the first deviation ends
// the process and prints the reason, which makes it visible to the test. The checker is loaded at the first reply, so
// processes that never answer start as fast as a user's.
import { subscribe } from 'node:diagnostics_channel';
import { ANSWERED_CHANNEL, type Answered } from '../../server/http/answered.ts';

const DEVIATED = 98;

async function check(answered: Answered): Promise<void> {
  const { deviationOf } = await import('./openApiCheck.ts');
  const deviation = deviationOf(answered);
  if (deviation === undefined) return;
  process.stderr.write(`A request or reply deviates from /openapi.json: ${deviation}\n`);
  process.exit(DEVIATED);
}

subscribe(ANSWERED_CHANNEL, (answered) => void check(answered as Answered)); // the channel carries nothing else
