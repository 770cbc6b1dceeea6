// The parts of a posted order, each measured alone in one process: bare recover, the check of a signature, parsing, the
// HMAC, and applying. Started by signatures.ts and orders.ts, which ask for rounds; each slice gives the median time of one
// call in nanoseconds. Bodies, signatures and keys differ from call to call, so that no cache helps but the server's own.
import { createRequire } from 'node:module';
import { Bench } from 'tinybench';
import { hexToBytes } from '../../server/auth/hex.ts';
import { signL2, verifyL2 } from '../../server/auth/l2.ts';
import { verifyOrderSignature } from '../../server/auth/orderSignature.ts';
import { type PostedOrder, parsePostedOrder } from '../../server/wire/orderRequests.ts';
import type { BenchEngine } from '../engines/engine.ts';
import { wholeApply } from '../engines/wholeApply.ts';
import { answerQuestions } from '../lib/talk.ts';
import { hasher, makeWallets, orderBody, signBuy } from '../load/clients.ts';
import { makeOpFile, mixes } from '../opFile.ts';
import { type PartName, parseQuestion } from './question.ts';

const SAMPLES = 1_000;
const WALLETS = 100;
const API_KEY = '00000000-0000-4000-8000-000000000000';
const KEY = Buffer.alloc(32, 7);
const TOKEN = {
  tokenId: '71321045679252212594626385532706912750332728571942532289631379312455583992563',
  negRisk: false,
};
const HMAC_TIMESTAMP = '1700000000';
const HMAC_NOW_MS = 1_700_000_000_000;
const SLICE_MILLISECONDS = 40;
const APPLY_OPS = 100_000;
const APPLY_OPS_A_ROUND = 5_000;

interface Sample {
  readonly body: Buffer;
  readonly posted: PostedOrder;
  readonly owner: string;
  readonly digest: Uint8Array;
  readonly compact: Uint8Array;
  readonly recoveryId: number;
  readonly hmac: string;
}

function makeSamples(): Sample[] {
  const wallets = makeWallets(WALLETS, 1);
  return Array.from({ length: SAMPLES }, (_, index) => {
    const wallet = wallets[index % WALLETS];
    const signed = signBuy(wallet, TOKEN, 10 + (index % 80), 5 + index, 1_000_000 + index, HMAC_NOW_MS + index);
    const body = Buffer.from(orderBody(signed, API_KEY));
    const posted = parsePostedOrder(JSON.parse(body.toString('utf8')));
    const signature = hexToBytes(signed.signature);
    if ('isOtherVersion' in posted || signature === undefined) throw new Error('The sample order is malformed.');
    return {
      body,
      posted,
      owner: wallet.address,
      digest: hasher.digest(signed.order, false),
      compact: signature.subarray(0, 64),
      recoveryId: signature[64] - 27,
      hmac: signL2({ timestamp: HMAC_TIMESTAMP, method: 'POST', path: '/order', body }, KEY.toString('base64url')),
    };
  });
}

interface NativeRecover {
  ecdsaRecover(compact: Uint8Array, id: number, digest: Uint8Array, isShort: boolean, out: Uint8Array): Uint8Array;
}

/** The functions to measure; each call takes the next sample and throws when the result is wrong. */
function makeFunctions(samples: readonly Sample[]): Readonly<Record<Exclude<PartName, 'apply'>, () => void>> {
  const native: NativeRecover = createRequire(import.meta.url)('secp256k1/bindings.js');
  const publicKey = new Uint8Array(65);
  let at = 0;
  const next = (): Sample => {
    at = at + 1 === samples.length ? 0 : at + 1;
    return samples[at];
  };
  return {
    recover: () => {
      const { compact, recoveryId, digest } = next();
      native.ecdsaRecover(compact, recoveryId, digest, false, publicKey);
    },
    verify: () => {
      const { posted, owner } = next();
      const { order } = posted;
      const digest = hasher.digest(order, false);
      const check = verifyOrderSignature(order, digest, order.signature, hasher.domain(false));
      if (!check.ok || check.signer !== owner) throw new Error('A good signature was refused.');
    },
    parse: () => {
      const { body } = next();
      parsePostedOrder(JSON.parse(body.toString('utf8')));
    },
    hmac: () => {
      const { body, hmac } = next();
      const request = { timestamp: HMAC_TIMESTAMP, method: 'POST', path: '/order', body };
      if (!verifyL2(request, hmac, KEY, HMAC_NOW_MS)) throw new Error('A good HMAC was refused.');
    },
  };
}

/** Median nanoseconds of a function's calls over one slice. */
function measure(name: string, run: () => void): number {
  const bench = new Bench({ time: SLICE_MILLISECONDS, warmup: false });
  bench.add(name, run, { async: false });
  bench.runSync();
  const result = bench.tasks[0]?.result;
  if (result?.state !== 'completed') throw new Error(`${name} did not run to its end: ${result?.state}.`);
  return result.latency.p50 * 1e6;
}

/** Nanoseconds per op of the whole apply, on the next ops of a small op file; starts again when the file is used up. */
class ApplyMeasure {
  private engine: BenchEngine | undefined;
  private next = 0;
  private end = 0;

  measure(): number {
    if (this.engine === undefined || this.next + APPLY_OPS_A_ROUND > this.end) this.fill();
    const { engine, next } = this;
    if (engine === undefined) throw new Error('No engine was made.');
    const to = next + APPLY_OPS_A_ROUND;
    engine.prepare(next, to);
    const startMs = performance.now();
    engine.run(next, to);
    this.next = to;
    return ((performance.now() - startMs) * 1e6) / APPLY_OPS_A_ROUND;
  }

  private fill(): void {
    const request = { mix: mixes.small, seed: 3, settleOps: 20_000, timedOps: APPLY_OPS, checkpoints: [APPLY_OPS] };
    const { bytes, prefillOps, settleOps } = makeOpFile(request);
    const engine = wholeApply({ bytes, ticks: mixes.small.ticks, books: mixes.small.books });
    this.next = prefillOps + settleOps;
    this.end = this.next + APPLY_OPS;
    engine.prepare(0, this.next);
    engine.run(0, this.next);
    this.engine = engine;
  }
}

const functions = makeFunctions(makeSamples());
const applyMeasure = new ApplyMeasure();

answerQuestions(async (question) => {
  const { parts, slices } = parseQuestion(question);
  const times = { recover: [], verify: [], parse: [], hmac: [], apply: [] } satisfies Record<PartName, number[]>;
  const timesOf: Readonly<Record<PartName, number[]>> = times;
  for (let slice = 0; slice < slices; slice += 1) {
    for (const part of parts) {
      timesOf[part].push(part === 'apply' ? applyMeasure.measure() : measure(part, functions[part]));
    }
  }
  return times;
});
