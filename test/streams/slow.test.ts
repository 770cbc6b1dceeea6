// Sockets that stop reading beside sockets that go on: the exchange, a process of its own, must not keep for them what they
// do not read. The children are those of the bench. Sizes come from the environment (STREAMS_SLOW_*).
import { platform } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ClientQuestion, Cost, Published, ServerQuestion } from '../../bench/fanOut/question.ts';
import { startChild } from '../../bench/lib/talk.ts';
import { streamLimits } from '../../server/streams/limits.ts';
import { tempDir } from '../support/tempDir.ts';

const sizeOf = (name: string, otherwise: number): number => Number(process.env[`STREAMS_SLOW_${name}`] ?? otherwise);
const PAUSED = sizeOf('PAUSED', 200);
const LIVE = sizeOf('LIVE', 20);
const ROUNDS = sizeOf('ROUNDS', 100);
const BATCH = 128;
/** 128 MiB for 1,000 paused sockets, scaled, plus 64 MiB that the exchange itself may come to need meanwhile. */
const MEMORY_BYTES_MAX = (PAUSED / 1_000) * 128 * 1_048_576 + 64 * 1_048_576;

test(`${PAUSED} sockets that stop reading keep the memory growth of the exchange within its bound`, async () => {
  if (platform() !== 'linux') {
    console.info('The memory of the exchange is read from /proc, which only Linux has.');
    return;
  }
  const folder = tempDir();
  const fanOut = join(import.meta.dirname, '../../bench/fanOut');
  const exchange = startChild(join(fanOut, 'exchange.ts'), ['--expose-gc']);
  const [live, paused] = [startChild(join(fanOut, 'subscribers.ts')), startChild(join(fanOut, 'subscribers.ts'))];
  const ask = <T>(question: ServerQuestion): Promise<T> => exchange.ask(question) as Promise<T>; // as its file answers
  const publish = { kind: 'publish', batch: BATCH, pauseMs: 0, isRecorded: false } as const;
  try {
    const framesFile = join(folder, 'frames');
    const port = await ask<number>({ kind: 'start', markets: 1, framesFile, isBare: false });
    const message = JSON.stringify({ type: 'market', assets_ids: ['1000', '1001'], initial_dump: false });
    const connect = { kind: 'connect', port, message } as const;
    await live.ask({ ...connect, count: LIVE, isPaused: false, isInPasses: false } satisfies ClientQuestion);
    await paused.ask({ ...connect, count: PAUSED, isPaused: true, isInPasses: false } satisfies ClientQuestion);
    // The exchange has run for a while before its memory is taken as the baseline.
    const warmed = await ask<Published>({ ...publish, rounds: 10 });
    const before = await ask<Cost>({ kind: 'cost' });
    const { frameBytes } = await ask<Published>({ ...publish, rounds: ROUNDS });
    const bytes = [...warmed.frameBytes, ...frameBytes].reduce((sum, length) => sum + length, 0);
    const closed = await live.ask({ kind: 'await', bytes } satisfies ClientQuestion);
    const after = await ask<Cost>({ kind: 'cost' });
    const grownBytes = after.anonymousBytes - before.anonymousBytes;
    console.info(
      `${(bytes / 1_048_576).toFixed(1)} MiB to each of ${LIVE} live and ${PAUSED} paused sockets: ` +
        `memory +${(grownBytes / 1_048_576).toFixed(1)} MiB, at most ${MEMORY_BYTES_MAX / 1_048_576}`,
    );
    expect(closed).toBe(0);
    // Without a bound they would hold nearly all of it: the test must send more than may be held.
    expect(bytes * PAUSED).toBeGreaterThan(4 * MEMORY_BYTES_MAX);
    expect(streamLimits.backpressureBytesMax * PAUSED).toBeLessThan(MEMORY_BYTES_MAX);
    expect(grownBytes).toBeLessThan(MEMORY_BYTES_MAX);
  } finally {
    exchange.end();
    live.end();
    paused.end();
  }
}, 300_000);
