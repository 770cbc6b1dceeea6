// A disk that is full for a while, on real LMDB: a child process whose files may not grow any more refuses commands, loses
// nothing that it acknowledged, and resumes by itself once there is room. The limit is set from outside with prlimit.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { nodeOptions } from '../../.ci/nodeOptions.mjs';
import { openExchange } from '../../engine/index.ts';
import { inTempDir, lastSequenceIn } from '../journal/support.ts';
import { canRehearse } from '../support/rehearsal.ts';
import { settings } from './workload.ts';

const limitFileSize = (pid: number | undefined, bytes: string) =>
  spawnSync('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:`], { encoding: 'utf8' });

test('a full disk rejects commands until there is space again, and nothing acknowledged is lost', async () => {
  if (!canRehearse('the full disk')) return;
  await inTempDir(async (dataDir) => {
    const child = spawn(process.execPath, [...nodeOptions, join(import.meta.dirname, './child.ts'), dataDir, '5'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const phases: string[] = [];
    let acknowledged = 0;
    let count = 0;
    const follow = (line: string): void => {
      const word = line.split(' ')[0];
      if (word === 'ack') acknowledged = Math.max(acknowledged, Number(line.split(' ')[1]));
      count += 1;
      if (phases.length === 0 && word === 'ack' && count > 200) {
        phases.push('full');
        const sizeBytes = statSync(join(dataDir, 'journal', 'data.mdb')).size;
        expect(limitFileSize(child.pid, String(sizeBytes + 8_192)).stderr).toBe('');
      } else if (phases.length === 1 && word === 'refused') {
        expect(line).toContain('the journal cannot be written');
        phases.push('refused');
        count = 0;
      } else if (phases.length === 2 && count > 300) {
        phases.push('room');
        limitFileSize(child.pid, 'unlimited');
        count = 0;
      } else if (phases.length === 3 && word === 'ack' && count > 300) {
        phases.push('accepted');
        child.kill('SIGKILL');
      }
    };
    try {
      for await (const line of createInterface({ input: child.stdout })) follow(line);
    } finally {
      child.kill('SIGKILL');
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    expect(phases).toEqual(['full', 'refused', 'room', 'accepted']);
    expect(await lastSequenceIn(dataDir)).toBeGreaterThanOrEqual(acknowledged);
    const exchange = await openExchange({ dataDir, settings, followers: [] });
    exchange.checkInvariants();
    await exchange.close();
  });
});
