// Bodies that are sent in parts: however a body is divided into pieces, and however much of each part a connection takes,
// the bytes that arrive are the body.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BodyParts, PART_BYTES, sendableBody } from '../../server/http/replyBody.ts';

const lengths = fc.oneof(
  fc.nat(40),
  fc.nat(3 * PART_BYTES),
  fc.constantFrom(PART_BYTES - 1, PART_BYTES, PART_BYTES + 1),
);
let next = 0;
const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => (next = (next + 7) % 251));

/** The bytes that arrive when a connection takes these shares of the parts, and later parts whole. */
function received(parts: BodyParts, shares: readonly number[]): Buffer {
  const taken: Buffer[] = [];
  let offset = 0;
  for (let at = 0; offset < parts.length; at += 1) {
    const part = parts.partFrom(offset);
    expect(part.length).toBe(Math.min(PART_BYTES, parts.length - offset));
    const count = Math.floor(part.length * (shares[at] ?? 1));
    taken.push(Buffer.from(part.subarray(0, count)));
    offset += count;
  }
  return Buffer.concat(taken);
}

test('a body in several pieces arrives intact, however much of each part the connection accepts', () => {
  const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12, size: 'max' });
  const arrives = fc.property(fc.array(lengths, { maxLength: 8 }), shares, (list, some) => {
    const pieces = list.map(bytes);
    const parts = new BodyParts(pieces);
    expect(parts.length).toBe(list.reduce((sum, length) => sum + length, 0));
    expect(received(parts, some).equals(Buffer.concat(pieces))).toBe(true);
  });
  fc.assert(arrives, { numRuns: 60 });
});

test('a text body has the length of its UTF-8 bytes and arrives as those bytes', () => {
  const text = 'ä€😀x'.repeat(PART_BYTES);
  const parts = new BodyParts(text);
  expect(parts.length).toBe(Buffer.byteLength(text));
  expect(received(parts, [0.5, 0, 0.3]).equals(Buffer.from(text))).toBe(true);
});

test('a body in shared memory is copied before it is sent, any other body is not', () => {
  const shared = new Uint8Array(new SharedArrayBuffer(1_000)).fill(7);
  const passing = sendableBody(shared);
  expect(passing).toBeInstanceOf(Uint8Array);
  expect((passing as Uint8Array).buffer).toBeInstanceOf(ArrayBuffer); // as was just said
  expect([...(passing as Uint8Array)]).toEqual([...shared]);
  const own = new Uint8Array(1_000);
  expect(sendableBody(own)).toBe(own);
});
