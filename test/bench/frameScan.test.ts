// The streams bench tells pings apart from the frames that it counts: every ping is found once, among frames of every
// length, however reads cut the stream.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FrameScan } from '../../bench/fanOut/frameScan.ts';

const PING = Buffer.from([0x89, 0]);

/** A text frame whose payload looks like the beginning of pings. */
function frameOf(payload: number): Buffer {
  const head = Buffer.alloc(payload < 126 ? 2 : payload < 65_536 ? 4 : 10);
  head[0] = 0x81;
  head[1] = payload < 126 ? payload : payload < 65_536 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(payload, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(payload), 2);
  return Buffer.concat([head, Buffer.alloc(payload, 0x89)]);
}

const frames = fc.oneof(
  fc.constant(undefined),
  fc.integer({ min: 0, max: 140 }),
  fc.integer({ min: 65_530, max: 65_550 }),
);
const cuts = fc.array(fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 70_000 })), { minLength: 1 });

test('every ping is found once wherever reads split the stream, and no other frame counts as a ping', () => {
  fc.assert(
    fc.property(fc.array(frames, { maxLength: 30, size: 'max' }), cuts, (payloads, lengths) => {
      const stream = Buffer.concat(payloads.map((payload) => (payload === undefined ? PING : frameOf(payload))));
      const scan = new FrameScan(2);
      let found = 0;
      for (let at = 0, cut = 0; at < stream.length; cut += 1) {
        const end = Math.min(stream.length, at + lengths[cut % lengths.length]);
        found += scan.pingsIn(1, stream, at, end);
        at = end;
      }
      expect(found).toBe(payloads.filter((payload) => payload === undefined).length);
    }),
  );
});
