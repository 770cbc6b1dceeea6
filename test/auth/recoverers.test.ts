// Signers recovered by two threads: the same as one by one, whichever thread recovers them, for good and bad signatures,
// few and many, and when the helper has ended; and requests that wait for them go on in the order in which they came.
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { Recoverers } from '../../server/auth/recoverers.ts';
import { RecoveryRing, RING_JOBS } from '../../server/auth/recoveryRing.ts';
import { recoverAddress, signDigest } from '../../server/auth/secp256k1.ts';
import { Turns } from '../../server/auth/turns.ts';
import { refuseThreads } from '../support/threads.ts';

interface Sample {
  readonly digest: Uint8Array;
  readonly signature: Uint8Array;
}

const bytesOf = (text: string): Uint8Array => new Uint8Array(createHash('sha256').update(text).digest());

/** Signatures of different keys; every fifth is spoilt, so it has no signer. */
function makeSamples(count: number): Sample[] {
  return Array.from({ length: count }, (_, index) => {
    const digest = bytesOf(`digest ${index}`);
    const signature = signDigest(digest, bytesOf(`key ${index}`));
    if (index % 5 === 4) signature[64] = 29;
    return { digest, signature };
  });
}

const samples = makeSamples(150);
const signers = samples.map(({ digest, signature }) => recoverAddress(digest, signature));

/** Recovers the signers of samples `from` to `to` in one batch. */
function recovered(recoverers: Recoverers, from: number, to: number): (string | undefined)[] {
  const jobs = samples.slice(from, to).map(({ digest, signature }) => recoverers.add(digest, signature));
  recoverers.recoverAll();
  return jobs.map(({ signer }) => signer);
}

test('batch recovery returns the same signers as recovery one by one, also after close', async () => {
  const recoverers = new Recoverers(true);
  for (let round = 0; round < 30; round += 1) {
    expect(recovered(recoverers, 0, samples.length)).toEqual(signers);
    expect(recovered(recoverers, round, round + 2)).toEqual(signers.slice(round, round + 2));
    await new Promise((resolve) => setTimeout(resolve, 5)); // gives the helper time to run too
  }
  await recoverers.close();
  expect(recovered(recoverers, 0, 20)).toEqual(signers.slice(0, 20));
});

test('batch recovery without a helper thread returns the same signers', () => {
  expect(recovered(new Recoverers(false), 0, samples.length)).toEqual(signers);
});

test('batch recovery returns the same signers if no helper thread can be started', () => {
  const allowThreads = refuseThreads();
  try {
    expect(recovered(new Recoverers(true), 0, samples.length)).toEqual(signers);
  } finally {
    allowThreads();
  }
});

test('a batch larger than the ring is recovered completely', () => {
  const recoverers = new Recoverers(false);
  const jobs = Array.from({ length: RING_JOBS + 100 }, (_, index) => {
    const { digest, signature } = samples[index % samples.length];
    return recoverers.add(digest, signature);
  });
  recoverers.recoverAll();
  expect(jobs.map(({ signer }) => signer)).toEqual(jobs.map((_, index) => signers[index % samples.length]));
});

test('the signers stay right when the numbers of the jobs pass the largest that 32 bits hold', async () => {
  for (const hasHelper of [false, true]) {
    const recoverers = new Recoverers(hasHelper);
    const { ring } = recoverers as unknown as { readonly ring: RecoveryRing }; // private
    const first = 2 ** 31 - 400;
    recoverers.addedCount = first;
    recoverers.doneCount = first;
    new Int32Array(ring.memory).fill(first, 0, 2); // the next job to claim, and the one after the last published
    for (let round = 0; round < 10; round += 1) {
      expect(recovered(recoverers, 0, 50)).toEqual(signers.slice(0, 50));
      expect(recovered(recoverers, round, round + 2)).toEqual(signers.slice(round, round + 2));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(recoverers.doneCount).toBeGreaterThan(2 ** 31);
    await recoverers.close();
  }
});

test('a job that a helper claimed and never answers is done by the main thread', () => {
  const recoverers = new Recoverers(false);
  const { ring } = recoverers as unknown as { readonly ring: RecoveryRing }; // private
  const jobs = samples.slice(0, 2).map(({ digest, signature }) => recoverers.add(digest, signature));
  const helper = new RecoveryRing(ring.memory);
  expect([helper.claim(), helper.claim()]).toEqual([0, 1]);
  for (let turn = 0; turn < 2; turn += 1) recoverers.advance(true);
  expect([recoverers.doneCount, ...jobs.map(({ signer }) => signer)]).toEqual([2, ...signers.slice(0, 2)]);
});

test('each job is claimed once, and a late answer is not used for the next job in its slot', () => {
  const ring = new RecoveryRing();
  const helper = new RecoveryRing(ring.memory);
  const [{ digest, signature }] = samples;
  ring.write(0, digest, signature);
  ring.write(1, digest, signature);
  expect(ring.claim()).toBeUndefined();
  ring.publish(2);
  expect([helper.claim(), ring.claim(), helper.claim()]).toEqual([0, 1, undefined]);
  const address = new Uint8Array(20);
  expect(ring.awaitAnswer(0, 1)).toBe(false);
  expect(ring.takeAnswer(0, address)).toBe(false);
  helper.answer(0, new Uint8Array(20).fill(7));
  expect(ring.awaitAnswer(0, 1)).toBe(true);
  expect(ring.takeAnswer(0, address)).toBe(true);
  expect(address).toEqual(new Uint8Array(20).fill(7));
  // The next job at the same place: the late result of the previous one is not its own.
  expect(ring.awaitAnswer(RING_JOBS, 1)).toBe(false);
  expect(ring.takeAnswer(RING_JOBS, address)).toBe(false);
});

test('a helper does not fall asleep if a job was published after it read the call count', () => {
  const ring = new RecoveryRing();
  const helper = new RecoveryRing(ring.memory);
  const { callCount } = helper;
  const [{ digest, signature }] = samples;
  ring.write(0, digest, signature);
  ring.publish(1);
  helper.sleep(callCount); // or this test would never end
  expect([ring.unclaimedCount, ring.isAsleep]).toEqual([1, false]);
});

/** Lets requests arrive over several turns of the loop, some of them with jobs; returns the order in which they went on. */
async function orderOfContinuation(recoverers: Recoverers, requestCount: number): Promise<string[]> {
  const turns = new Turns(recoverers);
  const order: string[] = [];
  const all: Promise<void>[] = [];
  for (let index = 0; index < requestCount; index += 1) {
    const { digest, signature } = samples[index % samples.length];
    const job = index % 4 === 3 ? undefined : recoverers.add(digest, signature);
    all.push(turns.next().then(() => void order.push(`${index} ${job === undefined ? 'none' : job.signer}`)));
    if (index % 7 === 6) await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(all);
  return order;
}

test('requests continue in order of arrival, each with the signer that it requested', async () => {
  const count = 400;
  const expected = Array.from(
    { length: count },
    (_, index) => `${index} ${index % 4 === 3 ? 'none' : signers[index % samples.length]}`,
  );
  for (const hasHelper of [false, true]) {
    const recoverers = new Recoverers(hasHelper);
    expect(await orderOfContinuation(recoverers, count)).toEqual(expected);
    expect(await orderOfContinuation(recoverers, count)).toEqual(expected);
    await recoverers.close();
    expect(await orderOfContinuation(recoverers, 50)).toEqual(expected.slice(0, 50));
  }
});
