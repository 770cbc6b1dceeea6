// The commands verify, backup and restore, as an operator runs them: on the journal of a running exchange with a busy house, and
// on copies of it that were damaged by hand. Each command is a process of its own, except where calls are watched.
import { fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { open } from 'lmdb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nodeOptions } from '../../.ci/nodeOptions.mjs';
import { copyJournal, JournalReader } from '../../engine/index.ts';
import { SERVER_SECRET_FILE } from '../../server/auth/serverSecret.ts';
import { runCopy } from '../../server/tools/copy.ts';
import { send } from '../support/client.ts';
import { runToEnd, type ServerProcess, startServerProcess } from '../support/process.ts';
import { canRehearse } from '../support/rehearsal.ts';
import { watchSyncs } from '../support/syncs.ts';

const RECORDS_MIN = 1_500;

let folder: string;
let dataDir: string;
let server: ServerProcess;
let count = 0;
const fresh = (): string => join(folder, `copy-${count++}`);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'outcry-tools-'));
  dataDir = join(folder, 'data');
  server = await startServerProcess({ dataDir, args: ['--house', 'busy'] });
  while ((await send(server.url, 'GET', '/readyz')).json.durable_sequence < RECORDS_MIN) await sleep(50);
});
afterAll(async () => {
  await server?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

async function verifyJson(dir: string, args: readonly string[] = []) {
  const end = await runToEnd(['verify', '--json', '--data-dir', dir, ...args]);
  return { status: end.status, report: JSON.parse(end.stdout) };
}

/** A copy of the journal in which `edit` may replace one batch. */
async function damagedCopy(edit: (batch: Buffer, first: number) => Buffer | undefined): Promise<string> {
  const dir = fresh();
  const batches: { readonly first: number; readonly bytes: Buffer }[] = [];
  const reader = new JournalReader(dataDir);
  for (const records of reader.read()) {
    batches.push({ first: records[0].sequence, bytes: Buffer.concat(records.map(({ bytes }) => bytes)) });
  }
  await reader.close();
  mkdirSync(dir);
  cpSync(join(dataDir, 'format.json'), join(dir, 'format.json'));
  const journal = open<Uint8Array, number>({
    path: join(dir, 'journal'),
    encoding: 'binary',
    overlappingSync: false,
    eventTurnBatching: false,
    maxDbs: 1,
  });
  for (const { first, bytes } of batches) {
    const edited = edit(Buffer.from(bytes), first);
    if (edited !== undefined) await journal.put(first, edited);
  }
  await journal.close();
  return dir;
}

test('verify --signatures finds the journal of a running exchange sound, and the exchange runs on', async () => {
  const end = await runToEnd(['verify', '--signatures', '--data-dir', dataDir]);
  expect(end.output).toContain(`The journal of ${dataDir} is sound.`);
  expect(end.output).toMatch(/signatures {2}[1-9][0-9,]* orders, each/);
  expect(end.status).toBe(0);
  expect((await send(server.url, 'GET', '/readyz')).status).toBe(200);
});

test('verify --signatures for another chain fails and names an order whose id does not match', async () => {
  const { status, report } = await verifyJson(dataDir, ['--signatures', '--chain', '80002']);
  expect(status).toBe(1);
  expect(report.kind).toBe('failed');
  expect(report.text).toMatch(
    /^The order 0x[0-9a-f]{64} at sequence \d+ is not as its owner signed it: its id should be 0x[0-9a-f]{64} on chain 80002 and its contracts\.$/,
  );
  expect(report.sequence).toBeGreaterThan(1);
});

test('a backup of a running exchange has the state of its last record, and a server starts from it', async () => {
  const backup = fresh();
  const end = await runToEnd(['backup', backup, '--data-dir', dataDir]);
  expect(end.output).toContain(`Copied ${dataDir} to ${backup}, up to sequence`);
  expect(end.status).toBe(0);
  expect(statSync(join(backup, SERVER_SECRET_FILE)).mode & 0o777).toBe(0o600);
  const copied = await verifyJson(backup);
  const { recordCount, hashes } = copied.report.journal;
  expect(recordCount).toBeGreaterThanOrEqual(RECORDS_MIN);
  // The same prefix of the original, taken later, gives the same state.
  const prefix = fresh();
  expect((await runToEnd(['restore', dataDir, '--to', String(recordCount), '--data-dir', prefix])).status).toBe(0);
  expect((await verifyJson(prefix)).report.journal.hashes).toEqual(hashes);
  const started = await startServerProcess({ dataDir: backup });
  expect((await send(started.url, 'GET', '/readyz')).json.durable_sequence).toBeGreaterThan(recordCount);
  await started.stop();
});

test('a backup of a data directory without a server secret says that it lacks one, and others do not', async () => {
  const [withSecret, copy, copyOfCopy] = [fresh(), fresh(), fresh()];
  const first = await runToEnd(['backup', withSecret, '--data-dir', dataDir]);
  expect([first.status, first.output]).toEqual([0, expect.not.stringContaining('OUTCRY_SECRET')]);
  rmSync(join(withSecret, SERVER_SECRET_FILE));
  const second = await runToEnd(['backup', copy, '--data-dir', withSecret]);
  expect([second.status, second.output]).toEqual([0, expect.stringContaining('no server secret')]);
  const restored = await runToEnd(['restore', copy, '--data-dir', copyOfCopy]);
  expect([restored.status, restored.output]).toEqual([0, expect.stringContaining('no server secret')]);
});

test('a backup syncs format.json, mode and the server secret against a power loss', async () => {
  const backup = fresh();
  const synced = await watchSyncs(() => runCopy({ from: dataDir, to: backup, lastSequence: undefined }));
  for (const name of ['format.json', 'mode', SERVER_SECRET_FILE]) {
    expect(synced).toContain(`synced ${join(backup, name)}`);
  }
});

/** The remains of a backup whose process dies in a call to the file system. */
async function killedBackup(call: string): Promise<string> {
  const backup = fresh();
  const script = `import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const { copyFileSync, renameSync } = fs;
    const die = () => process.kill(process.pid, 'SIGKILL');
    ${call}
    syncBuiltinESMExports();`;
  const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(script)}` };
  expect((await runToEnd(['backup', backup, '--data-dir', dataDir], { env })).signal).toBe('SIGKILL');
  return backup;
}

async function expectNoStart(backup: string): Promise<void> {
  const start = await runToEnd(['start', '--port', '0', '--data-dir', backup]);
  expect([start.status, start.output]).toEqual([5, expect.stringContaining('is missing or empty')]);
}

test('no exchange starts from a backup killed before its last step, and verify finds no journal', async () => {
  // It has copied, and dies before the rename that would complete
  // the backup. Cached stripped sources are also renamed into place.
  const backup = await killedBackup(`fs.renameSync = (from, to) =>
    from.endsWith('journal-draft') ? die() : renameSync(from, to);`);
  expect(existsSync(join(backup, 'mode'))).toBe(true);
  await expectNoStart(backup);
  const verify = await runToEnd(['verify', '--data-dir', backup]);
  expect([verify.status, verify.output]).toEqual([
    5,
    `There is no journal in ${backup}: name the data directory of an exchange.\n`,
  ]);
});

test('no exchange starts in a backup that was killed after its first file', async () => {
  const backup = await killedBackup('fs.copyFileSync = (...files) => { copyFileSync(...files); die(); };');
  expect(readdirSync(backup)).toEqual(['mode']);
  await expectNoStart(backup);
});

test('on a full disk backup and restore name the copy that cannot be written and remove it', async () => {
  if (!canRehearse('the full disk')) return;
  const main = join(import.meta.dirname, '../../server/main.ts');
  for (const command of [
    (to: string) => ['backup', to, '--data-dir', dataDir],
    (to: string) => ['restore', dataDir, '--data-dir', to],
  ]) {
    const to = fresh();
    const args = ['--fsize=16384:', process.execPath, ...nodeOptions, main, ...command(to)];
    const { status, stderr } = spawnSync('prlimit', args, { encoding: 'utf8' });
    const reason = `The copy in ${to}/journal-draft cannot be written: EFBIG: file too large, write.`;
    expect([status, stderr]).toEqual([1, `${reason}\nNothing was copied.\n`]);
    expect(existsSync(to)).toBe(false);
  }
});

test('a changed byte is found at its record: backup copies nothing, restore gets the records before it', async () => {
  const badSequence = 777;
  const dir = await damagedCopy((batch, first) => {
    const view = new DataView(batch.buffer, batch.byteOffset, batch.byteLength);
    let start = 0;
    for (let sequence = first; start < batch.length; sequence += 1) {
      const length = view.getUint32(start + 4, true);
      if (sequence === badSequence) batch[start + length - 1] ^= 1;
      start += length;
    }
    return batch;
  });
  const { status, report } = await verifyJson(dir);
  expect({ status, sequence: report.sequence }).toEqual({ status: 1, sequence: badSequence });
  expect(report.text).toContain(`damaged at sequence ${badSequence}: the record does not match its checksum`);
  const backup = fresh();
  const refused = await runToEnd(['backup', backup, '--data-dir', dir]);
  expect(refused.status).toBe(1);
  expect(refused.output).toContain(
    `Nothing was copied. What comes before it can be had: npm run -s outcry -- restore ${dir} --to 776`,
  );
  expect(existsSync(backup)).toBe(false);
  const restored = await runToEnd(['restore', dir, '--to', '776', '--data-dir', backup]);
  expect(restored.output).toContain('up to sequence 776, and read the copy back');
  expect(restored.status).toBe(0);
});

test('verify names the sequences of a missing batch and exits with status 1', async () => {
  let gone = 0;
  const dir = await damagedCopy((batch, first) => {
    if (gone > 0 || first < 500) return batch;
    gone = first;
    return undefined;
  });
  const { status, report } = await verifyJson(dir);
  expect({ status, sequence: report.sequence }).toEqual({ status: 1, sequence: gone });
  expect(report.text).toMatch(/the records from it to \d+ are missing/);
});

test('a backup of a journal whose first record is damaged says that nothing can be had', async () => {
  const dir = await damagedCopy((batch, first) => {
    if (first === 1) batch[batch.length - 1] ^= 1;
    return batch;
  });
  const backup = fresh();
  const end = await runToEnd(['backup', backup, '--data-dir', dir]);
  expect([end.status, end.output]).toEqual([
    1,
    'The journal is damaged at sequence 1: the record does not match its checksum.\n' +
      'Nothing was copied: there is nothing before it.\n',
  ]);
  expect(existsSync(backup)).toBe(false);
});

test('a copy that has been damaged by the time it is verified is reported as not sound', async () => {
  const backup = fresh();
  const script = `import { truncateSync } from 'node:fs';
    const [, file, task] = process.argv;
    if (file.endsWith('journalChild.ts') && JSON.parse(task).kind === 'verify')
      truncateSync(${JSON.stringify(join(backup, 'journal', 'data.mdb'))}, 10_000);`;
  const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(script)}` };
  const end = await runToEnd(['backup', backup, '--data-dir', dataDir], { env });
  expect([end.status, end.stdout]).toEqual([1, '']);
  expect(end.output).toMatch(
    new RegExp(`^The copy in ${backup} is not sound\\. The journal is damaged at sequence \\d+: `),
  );
});

test('verify and backup of a truncated file name it and exit with status 1', async () => {
  const dir = fresh();
  mkdirSync(dir);
  await copyJournal(dataDir, join(dir, 'journal'));
  cpSync(join(dataDir, 'format.json'), join(dir, 'format.json'));
  const file = join(dir, 'journal', 'data.mdb');
  truncateSync(file, Math.floor(statSync(file).size / 2));
  for (const args of [
    ['verify', '--data-dir', dir],
    ['backup', fresh(), '--data-dir', dir],
  ]) {
    const end = await runToEnd(args);
    expect(end.output).toContain('the file data.mdb is cut off');
    expect(end.status).toBe(1);
  }
});

test('verify, backup, restore and archive reject unusable folders and --to values with a reason', async () => {
  const full = fresh();
  mkdirSync(full);
  writeFileSync(join(full, 'note'), '');
  const cases = [
    [['verify', '--data-dir', full], 5, `There is no journal in ${full}: name the data directory of an exchange.`],
    [['backup', full, '--data-dir', dataDir], 2, `The folder ${full} is not empty`],
    [['backup', join(full, 'note'), '--data-dir', dataDir], 2, 'cannot be made: ENOTDIR'],
    [['backup', join(full, 'note', 'x'), '--data-dir', dataDir], 2, 'cannot be made: ENOTDIR'],
    [['backup', '/proc/nope/x', '--data-dir', dataDir], 2, 'cannot be made: ENOENT'],
    [['backup', join(dataDir, 'x'), '--data-dir', dataDir], 2, 'lies within the data directory'],
    [['restore', dataDir, '--data-dir', join(dataDir, 'x')], 2, 'lies within the data directory'],
    [['archive', join(dataDir, 'journal-kept'), '--data-dir', dataDir], 2, 'lies within the data directory'],
    [['restore', dataDir, '--to', 'x', '--data-dir', fresh()], 2, '--to must be a whole number from 1; it is x.'],
    [['restore', dataDir, '--to', '999999999', '--data-dir', fresh()], 1, 'Nothing was copied.'],
  ] as const;
  for (const [args, status, text] of cases) {
    const end = await runToEnd(args);
    expect(end.output).toContain(text);
    expect(end.status).toBe(status);
  }
});

test('archive and verify report a system error (EISDIR) without a stack and exit with status 1', async () => {
  const dir = fresh();
  mkdirSync(dir);
  await copyJournal(dataDir, join(dir, 'journal'));
  mkdirSync(join(dir, 'format.json'));
  const archived = await runToEnd(['archive', fresh(), '--data-dir', dir]);
  const refused = /^The journal cannot be archived: EISDIR: [^\n]*\.\nNo record was removed from [^\n]*\.\n$/;
  expect([archived.status, archived.output]).toEqual([1, expect.stringMatching(refused)]);
  const verified = await runToEnd(['verify', '--data-dir', dir]);
  expect([verified.status, verified.output]).toEqual([
    1,
    expect.stringMatching(/^The journal cannot be read: EISDIR: [^\n]*\.\n$/),
  ]);
});

test('verify names a snapshot that the system does not let it open, and does not say so of the journal', async () => {
  const dir = fresh();
  mkdirSync(join(dir, 'snapshots'), { recursive: true });
  await copyJournal(dataDir, join(dir, 'journal'));
  cpSync(join(dataDir, 'format.json'), join(dir, 'format.json'));
  const snapshot = join(dir, 'snapshots', '777.snapshot');
  writeFileSync(snapshot, '');
  const script = `import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const { openSync } = fs;
    fs.openSync = (path, ...how) => {
      if (path !== '${snapshot}') return openSync(path, ...how);
      throw Object.assign(new Error('EMFILE: too many open files, open'), { code: 'EMFILE' });
    };
    syncBuiltinESMExports();`;
  const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(script)}` };
  const end = await runToEnd(['verify', '--data-dir', dir], { env });
  const reason = 'EMFILE: too many open files, open';
  expect([end.status, end.output]).toEqual([1, `The snapshot ${snapshot} cannot be read now: ${reason}.\n`]);
});

test('a backup with an unreadable server secret names it and leaves nothing behind', async () => {
  const dir = fresh();
  mkdirSync(dir);
  await copyJournal(dataDir, join(dir, 'journal'));
  cpSync(join(dataDir, 'format.json'), join(dir, 'format.json'));
  mkdirSync(join(dir, SERVER_SECRET_FILE));
  const backup = fresh();
  const end = await runToEnd(['backup', backup, '--data-dir', dir]);
  expect([end.status, end.output]).toEqual([
    1,
    expect.stringMatching(
      /^The data directory cannot be copied: EISDIR[^\n]*server-secret[^\n]*\.\nNothing was copied\.\n$/,
    ),
  ]);
  expect(existsSync(backup)).toBe(false);
});

test('a backup with a server secret behind a link that leads nowhere names it and leaves nothing behind', async () => {
  const dir = fresh();
  mkdirSync(dir);
  await copyJournal(dataDir, join(dir, 'journal'));
  cpSync(join(dataDir, 'format.json'), join(dir, 'format.json'));
  symlinkSync(join(dir, 'volume', 'secret'), join(dir, SERVER_SECRET_FILE));
  for (const secret of ['', 'ab'.repeat(32)]) {
    const backup = fresh();
    const end = await runToEnd(['backup', backup, '--data-dir', dir], { env: { OUTCRY_SECRET: secret } });
    expect([end.status, end.output], secret).toEqual([
      1,
      expect.stringMatching(
        /^The data directory cannot be copied: ENOENT[^\n]*server-secret[^\n]*\.\nNothing was copied\.\n$/,
      ),
    ]);
    expect(existsSync(backup)).toBe(false);
  }
});

test('a backup whose verification is ended from outside is not reported as unsound', async () => {
  const backup = fresh();
  const script = `const [, file, task] = process.argv;
    if (file.endsWith('journalChild.ts') && JSON.parse(task).kind === 'verify') process.kill(process.pid, 'SIGTERM');`;
  const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(script)}` };
  const end = await runToEnd(['backup', backup, '--data-dir', dataDir], { env });
  expect(end.output).toContain(`The copy in ${backup} could not be verified. `);
  expect(end.output).toContain(
    `was ended by SIGTERM.\nVerify it with: npm run -s outcry -- verify --data-dir ${backup}\n`,
  );
  expect(end.output).not.toContain('not sound');
  expect(end.status).toBe(1);
  expect((await runToEnd(['verify', '--data-dir', backup])).status).toBe(0);
});

test('the journal child exits with status 0 and no output when its parent disconnects', async () => {
  const task = { kind: 'verify', dataDir };
  const path = join(import.meta.dirname, '../../server/tools/journalChild.ts');
  const child = fork(path, [JSON.stringify(task)], {
    execArgv: [...nodeOptions],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  child.disconnect();
  const [[status], printed] = await Promise.all([once(child, 'exit'), text(child.stderr ?? Readable.from([]))]);
  expect([status, printed]).toEqual([0, '']);
});

/** Runs a command whose standard output goes into a file that accepts nothing. */
async function runInto(file: string, args: readonly string[]) {
  const main = join(import.meta.dirname, '../../server/main.ts');
  const output = openSync(file, 'w');
  const child = spawn(process.execPath, [...nodeOptions, main, ...args], { stdio: ['ignore', output, 'pipe'] });
  const [[status], printed] = await Promise.all([once(child, 'exit'), text(child.stderr ?? Readable.from([]))]);
  closeSync(output);
  return [status, printed];
}

test.runIf(process.platform === 'linux')(
  'a command that cannot write to standard output exits with status 8 and a one-line error',
  async () => {
    const lost = [8, 'Standard output cannot be written: ENOSPC: no space left on device, write.\n'];
    const copy = fresh();
    expect(await runInto('/dev/full', ['backup', copy, '--data-dir', dataDir])).toEqual(lost);
    expect(await runInto('/dev/full', ['verify', '--data-dir', copy])).toEqual(lost);
    expect(await runInto('/dev/full', ['verify', '--json', '--data-dir', copy])).toEqual(lost);
    for (const args of [['--help'], ['help', 'start'], ['serve', '--help'], ['--version']])
      expect(await runInto('/dev/full', args), args.join(' ')).toEqual(lost);
  },
);

test('verify exits with status 0 if the reader of its output closes the pipe early', async () => {
  const child = spawn(
    process.execPath,
    [...nodeOptions, join(import.meta.dirname, '../../server/main.ts'), 'verify', '--data-dir', dataDir],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  child.stdout.destroy();
  const [[status], printed] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
  expect([status, printed]).toEqual([0, '']);
});
