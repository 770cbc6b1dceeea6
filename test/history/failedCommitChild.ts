// A process under the shim that brings an index from its middle to the end of the journal again and again, while the disk fails
// once: at the first call to the file system, at the second, and so on. It prints a line for each, with what the historian logged
// and answered. Started by failedCommit.test.ts; arguments: data directory, a sequence in the middle, and the last one.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openHistorian } from '../../server/history/historian.ts';
import { CONTROL_FILE } from '../faults/shim.ts';
import { askText, WAIT_MS_MAX } from './harness.ts';
import { OPEN_INTEREST } from './questions.ts';

const [dataDir, middle, last] = process.argv.slice(2);
const CALLS = 4;
const EIO = 5;
const ASK_AGAIN_MS = 20;
const control = join(dataDir, CONTROL_FILE);

function open(logged: string[]) {
  const log = (_: string, text: string, figures: object = {}): void => void logged.push(text + JSON.stringify(figures));
  return openHistorian({ dataDir, recordsPerCommit: 5, log, waitMsMax: WAIT_MS_MAX });
}

for (let call = 1; call <= CALLS; call += 1) {
  const logged: string[] = [];
  rmSync(join(dataDir, 'history'), { recursive: true, force: true });
  const before = open(logged);
  before.durable(new Uint8Array(), Number(middle));
  await before.caughtUp();
  await before.close();
  writeFileSync(control, `fail ${call} ${EIO} 1`);
  const historian = open(logged);
  historian.durable(new Uint8Array(), Number(last));
  let answer: string | undefined;
  while (answer === undefined) {
    answer = await askText(historian, OPEN_INTEREST).catch(() => undefined);
    if (answer === undefined) await sleep(ASK_AGAIN_MS); // it is being started again
  }
  await historian.close();
  writeFileSync(control, 'off');
  process.stdout.write(`${JSON.stringify({ logged, answer })}\n`);
}
