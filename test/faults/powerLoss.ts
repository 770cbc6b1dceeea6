// Power loss without pulling a plug: the writes of a run, recorded by the shim, are reassembled up to a random moment, with
// a random part of the unsynced ones missing and some torn at sectors of 512 bytes. Each image is opened as after a real
// loss. Used by its test and by npm run powerloss -- --images 1000.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { program } from 'commander';
import { SeededRandom } from '../../bench/lib/seededRandom.ts';
import { flagsOf } from '../support/flags.ts';
import { wholeNumberFrom } from '../support/wholeNumber.ts';
import { checkImages } from './images.ts';
import type { Checked, Image } from './powerCheck.ts';
import { shimEnvironment, shimLibrary } from './shim.ts';

const SECTOR_BYTES = 512;
const HEAD_BYTES = 32;

type Kind = 'write' | 'sync' | 'truncate' | 'ack';

/** One recorded call. A write to a descriptor that syncs by itself is durable when it returns. */
interface Call {
  readonly kind: Kind;
  readonly file: string;
  readonly syncsItself: boolean;
  /** The offset of a write, the length of a truncation, or the sequence of an acknowledgement. */
  readonly offset: number;
  readonly bytes: Buffer;
}

const KINDS: Readonly<Record<string, Kind>> = { w: 'write', s: 'sync', t: 'truncate' };

function readLog(file: string, folder: string): readonly Call[] {
  const log = readFileSync(file);
  const calls: Call[] = [];
  for (let at = 0; at < log.length; ) {
    const pathBytes = log.readUInt32LE(at + 4);
    const length = Number(log.readBigUInt64LE(at + 16));
    const pathAt = at + HEAD_BYTES;
    const bytes = log.subarray(pathAt + pathBytes, pathAt + pathBytes + length);
    const path = relative(folder, log.toString('utf8', pathAt, pathAt + pathBytes));
    const isAck = path === 'acks';
    calls.push({
      kind: isAck ? 'ack' : KINDS[String.fromCharCode(log[at])],
      file: path === 'format.json.new' ? 'format.json' : path,
      syncsItself: log[at + 1] === 1,
      offset: isAck ? Number(bytes.toString()) : Number(log.readBigInt64LE(at + 8)),
      bytes,
    });
    at = pathAt + pathBytes + length;
  }
  return calls;
}

/** A file's durable content, and the calls since then that were not synced. */
class DiskFile {
  private durable = Buffer.alloc(0);
  private waiting: Call[] = [];

  take(call: Call): void {
    if (call.kind === 'sync') {
      for (const one of this.waiting) this.durable = applied(this.durable, one, () => true);
      this.waiting = [];
    } else if (call.syncsItself) this.durable = applied(this.durable, call, () => true);
    else this.waiting.push(call);
  }

  get waitingCount(): number {
    return this.waiting.length;
  }

  /** The file after a loss: each waiting call took effect, did not, or did in some of its sectors. */
  afterLoss(random: SeededRandom): Buffer {
    let image = this.durable;
    for (const call of this.waiting) {
      const fate = random.below(3);
      if (fate === 0) continue;
      image = applied(image, call, fate === 1 ? () => true : () => random.below(2) === 0);
    }
    return image;
  }
}

/** A file's bytes after a call of which only some sectors were written. */
function applied(before: Buffer, { kind, offset, bytes }: Call, isThere: () => boolean): Buffer<ArrayBuffer> {
  if (kind === 'truncate') {
    const cut = Buffer.alloc(offset);
    before.copy(cut, 0, 0, offset);
    return cut;
  }
  const after = Buffer.alloc(Math.max(before.length, offset + bytes.length));
  before.copy(after);
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + SECTOR_BYTES - ((offset + at) % SECTOR_BYTES));
    if (isThere()) bytes.copy(after, offset + at, at, end);
    at = end;
  }
  return after;
}

/** Runs the child under the shim and returns its calls. */
function recordRun(library: string, rounds: number): readonly Call[] {
  const folder = mkdtempSync(join(tmpdir(), 'outcry-power-'));
  const dataDir = join(folder, 'data');
  const logFile = join(folder, 'calls');
  mkdirSync(dataDir);
  try {
    const env = { ...process.env, ...shimEnvironment(library, dataDir, logFile) };
    const args = [join(import.meta.dirname, './powerChild.ts'), dataDir, String(rounds)];
    const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`the recorded run ended with ${status}:\n${stderr}`);
    return readLog(logFile, dataDir);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Images at random moments of a run, each moment given as the number of calls that had returned. */
function makeImages(calls: readonly Call[], count: number, random: SeededRandom, folder: string): readonly Image[] {
  const places = Array.from({ length: count }, () => 1 + random.below(calls.length)).sort((a, b) => a - b);
  const files = new Map<string, DiskFile>();
  const images: Image[] = [];
  let acknowledged = 0;
  let done = 0;
  for (const [index, place] of places.entries()) {
    for (; done < place; done += 1) {
      const call = calls[done];
      if (call.kind === 'ack') {
        acknowledged = call.offset;
        continue;
      }
      const file = files.get(call.file) ?? new DiskFile();
      files.set(call.file, file);
      file.take(call);
    }
    const dataDir = join(folder, `image-${index}`);
    for (const [name, file] of files) {
      mkdirSync(dirname(join(dataDir, name)), { recursive: true });
      writeFileSync(join(dataDir, name), file.afterLoss(random));
    }
    const waitingCount = [...files.values()].reduce((sum, file) => sum + file.waitingCount, 0);
    images.push({ dataDir, acknowledged, waitingCount });
  }
  return images;
}

const IMAGES_A_ROUND = 60;
const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function run(imageCount: number, rounds: number, seed: number): Promise<number> {
  const library = shimLibrary();
  if (library === undefined) {
    say('There is no C compiler here: the loss of power cannot be rehearsed.');
    return 0;
  }
  const calls = recordRun(library, rounds);
  const random = new SeededRandom(seed);
  const outcomes = new Map<string, number>();
  const histories = new Map<string, number>();
  const wrong: Checked[] = [];
  let withLoss = 0;
  for (let made = 0; made < imageCount; made += IMAGES_A_ROUND) {
    const folder = mkdtempSync(join(tmpdir(), 'outcry-images-'));
    try {
      const images = makeImages(calls, Math.min(IMAGES_A_ROUND, imageCount - made), random, folder);
      withLoss += images.filter(({ waitingCount }) => waitingCount > 0).length;
      for (const one of await checkImages(images)) {
        outcomes.set(one.outcome, (outcomes.get(one.outcome) ?? 0) + 1);
        histories.set(one.history, (histories.get(one.history) ?? 0) + 1);
        if (one.outcome !== 'opened' && one.outcome !== 'refused') wrong.push(one);
        else if (one.history === 'wrong') wrong.push(one);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  for (const { dataDir, outcome, text } of wrong.slice(0, 10)) say(`WRONG ${dataDir}: ${outcome}: ${text}`);
  const listed = (counts: ReadonlyMap<string, number>) =>
    [...counts].map(([name, count]) => `${name} ${count}`).join(', ');
  const files = [...new Set(calls.map(({ file }) => file))].join(', ');
  say(`seed ${seed}; ${calls.length} calls recorded of ${files}; ${withLoss} of the images lost something`);
  say(`histories: ${listed(histories)}`);
  say(`images ${imageCount}: ${listed(outcomes)}; acknowledged operations lost: ${outcomes.get('lost') ?? 0}`);
  return wrong.length === 0 ? 0 : 1;
}

program
  .name('powerloss')
  .option('--images <N>', 'how many moments of loss', wholeNumberFrom(1), 300)
  .option('--rounds <N>', 'rounds of the recorded run', wholeNumberFrom(1), 100)
  .option('--seed <N>', 'what is drawn', wholeNumberFrom(0), 1 + (Date.now() % 1_000_000));
const flags: { readonly images: number; readonly rounds: number; readonly seed: number } = flagsOf(program);
process.exitCode = await run(flags.images, flags.rounds, flags.seed);
