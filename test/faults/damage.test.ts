// Flipped bits in a journal's file, and truncated files: each is found and named, or was harmless; what opens is what was
// there, to the last hash. A file that crashes its reader is noticed by the process that started the reader (outcry
// verify). DAMAGE_FLIPS and DAMAGE_CUTS set how many, DAMAGE_SEED repeats a run.
import { randomInt } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SeededRandom } from '../../bench/lib/seededRandom.ts';
import { openExchange, VirtualClock } from '../../engine/index.ts';
import { commandsOf, START_MS, settings, submitFounding } from '../pipeline/workload.ts';
import { usedBytesOf } from '../support/lmdbFile.ts';
import { environmentNumber } from '../support/wholeNumber.ts';
import { checkImages } from './images.ts';
import type { Checked, Image } from './powerCheck.ts';

const FLIPS = environmentNumber('DAMAGE_FLIPS', 300, 0);
const CUTS = environmentNumber('DAMAGE_CUTS', 30, 0);
const SEED = environmentNumber('DAMAGE_SEED', randomInt(2 ** 31), 0);
const IMAGES_A_ROUND = 60;

/** Makes a journal of several batches and returns its last sequence. */
async function makeJournal(dataDir: string): Promise<number> {
  const clock = new VirtualClock(START_MS);
  const exchange = await openExchange({ dataDir, clock, settings, followers: [] });
  await submitFounding(exchange);
  const commands = commandsOf(13, () => clock.now());
  for (let round = 0; round < 30; round += 1) {
    await Promise.all(Array.from({ length: 1 + ((round * 11) % 23) }, () => exchange.submit(commands.next().value)));
    clock.advance(10);
  }
  await exchange.close();
  return exchange.durableSequence;
}

/** Makes `count` damaged copies, has them opened, and returns the outcome of each. */
async function damage(
  folder: string,
  dataDir: string,
  acknowledged: number,
  count: number,
  hurt: (file: string) => void,
): Promise<readonly Checked[]> {
  const all: Checked[] = [];
  while (all.length < count) {
    const images: Image[] = [];
    for (let index = 0; index < Math.min(IMAGES_A_ROUND, count - all.length); index += 1) {
      const copy = join(folder, `copy-${all.length + index}`);
      mkdirSync(join(copy, 'journal'), { recursive: true });
      cpSync(join(dataDir, 'format.json'), join(copy, 'format.json'));
      cpSync(join(dataDir, 'journal', 'data.mdb'), join(copy, 'journal', 'data.mdb'));
      hurt(join(copy, 'journal', 'data.mdb'));
      images.push({ dataDir: copy, acknowledged, waitingCount: 0 });
    }
    all.push(...(await checkImages(images)));
    for (const image of images) rmSync(image.dataDir, { recursive: true, force: true });
  }
  return all;
}

const countOf = (all: readonly Checked[], outcome: Checked['outcome']): number =>
  all.filter((one) => one.outcome === outcome).length;

test('a flipped bit or a truncation of the journal is detected or has no effect', { timeout: 1_200_000 }, async () => {
  console.info(`DAMAGE_SEED=${SEED}`);
  const random = new SeededRandom(SEED);
  const folder = mkdtempSync(join(tmpdir(), 'outcry-damage-'));
  try {
    const dataDir = join(folder, 'sound');
    const last = await makeJournal(dataDir);
    const [sound] = await damage(folder, dataDir, last, 1, () => {});
    expect(sound.outcome, sound.text).toBe('opened');
    const used = usedBytesOf(join(dataDir, 'journal', 'data.mdb'));
    const flips = await damage(folder, dataDir, last, FLIPS, (file) => {
      const bytes = readFileSync(file);
      bytes[random.below(used)] ^= 1 << random.below(8);
      writeFileSync(file, bytes);
    });
    const cuts = await damage(folder, dataDir, last, CUTS, (file) => {
      truncateSync(file, random.below(random.below(4) === 0 ? statSync(file).size : used));
    });
    for (const [name, all] of [['flips', flips] as const, ['cuts', cuts] as const]) {
      const accepted = all.filter(({ outcome, text }) => outcome === 'opened' && text !== sound.text);
      expect(accepted, `${name} that changed something unseen`).toEqual([]);
      expect(all.filter(({ outcome }) => outcome === 'failed' || outcome === 'lost')).toEqual([]);
      expect(countOf(all, 'refused'), `${name} that were named`).toBeGreaterThanOrEqual(Math.floor(all.length / 10));
      console.info(
        `${all.length} ${name}: named ${countOf(all, 'refused')}, harmless ${countOf(all, 'opened')}, ` +
          `ended the reader ${countOf(all, 'died')}, accepted 0.`,
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
