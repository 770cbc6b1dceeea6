// The codec by property: every command and event survives encoding and decoding. Hostile bytes are either refused with a
// CodecError or decode to a message that encodes to the same bytes; there is no third outcome. The printed layouts are a
// snapshot, so that a change of the format shows and asks for a new PROTOCOL_VERSION.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assertWellFormed } from '../../engine/pipeline/wellFormed.ts';
import type { Command, EngineEvent, Field, Layout } from '../../engine/protocol/index.ts';
import {
  CodecError,
  commandLayouts,
  commandName,
  decodeCommand,
  decodeEvents,
  EVENT_HEADER_BYTES,
  EventWriter,
  encodeCommand,
  eventLayouts,
  FRAME_AT,
  FRAME_HEADER_BYTES,
  FRAME_MORE,
  KIND_BYTES,
  limits,
  readHex,
} from '../../engine/protocol/index.ts';
import { wordOf } from '../support/hex.ts';
import { environmentNumber } from '../support/wholeNumber.ts';

const runs = environmentNumber('CODEC_RUNS', 2_000);

function fieldValue({ kind, max }: Field): fc.Arbitrary<unknown> {
  if (kind === 'bytes16' || kind === 'bytes20' || kind === 'bytes32') return hexOf(KIND_BYTES[kind]);
  return fc.oneof(
    fc.integer({ min: 0, max: Math.min(max, 300) }),
    fc.constant(max),
    fc.maxSafeNat().map((n) => n % (max + 1)),
  );
}

const hexOf = (bytes: number): fc.Arbitrary<string> =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((array) => `0x${Buffer.from(array).toString('hex')}`);

function fieldsOf(type: string, layout: Layout): Record<string, fc.Arbitrary<unknown>> {
  const fields = Object.entries(layout.fields).map(([name, field]) => [name, fieldValue(field)] as const);
  return { type: fc.constant(type), ...Object.fromEntries(fields) };
}

const commands: readonly fc.Arbitrary<Command>[] = Object.entries(commandLayouts).map(
  ([type, layout]: [string, Layout]) => {
    const record = fieldsOf(type, layout);
    if (layout.item !== undefined) {
      record.items = fc.array(hexOf(KIND_BYTES[layout.item]), { maxLength: Math.min(layout.itemsMax, 9) });
    }
    const tail = fc.option(fc.uint8Array({ minLength: 1, maxLength: 60, size: 'max' }), { nil: undefined });
    return fc.tuple(fc.record(record), tail).map(
      ([fields, bytes]) => (bytes === undefined ? fields : { ...fields, tail: bytes }) as unknown as Command, // by the layout
    );
  },
);

const events: readonly fc.Arbitrary<EngineEvent>[] = Object.entries(eventLayouts).map(
  ([type, layout]) => fc.record(fieldsOf(type, layout)) as fc.Arbitrary<unknown> as fc.Arbitrary<EngineEvent>, // by the layout
);

function framesOf(list: readonly EngineEvent[]): Uint8Array {
  const writer = new EventWriter(256);
  writer.begin();
  for (const event of list) writer.write(event);
  writer.finish();
  return writer.copy();
}

/** The decoded message, or undefined when the bytes are refused with a CodecError. */
function decodedOr<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch (error) {
    expect(error).toBeInstanceOf(CodecError);
    return undefined;
  }
}

/** Bytes with some of them changed, cut off or added. */
function spoiled(of: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> {
  const change = fc.record({ at: fc.nat(), value: fc.integer({ min: 0, max: 255 }) });
  const cut = fc.option(fc.nat(), { nil: undefined, freq: 3 });
  const more = fc.uint8Array({ maxLength: 6 });
  return fc.tuple(of, fc.array(change, { maxLength: 4 }), cut, more).map(([bytes, changes, length, added]) => {
    const kept = length === undefined ? bytes.length : length % (bytes.length + 1);
    const result = new Uint8Array(kept + added.length);
    result.set(bytes.subarray(0, kept));
    result.set(added, kept);
    for (const { at, value } of changes) if (result.length > 0) result[at % Math.min(result.length, 64)] = value;
    return result;
  });
}

describe('commands', () => {
  test('every command survives encoding and decoding', () => {
    const survives = fc.property(fc.oneof(...commands), (command) => {
      const bytes = encodeCommand(command);
      expect(decodeCommand(bytes)).toEqual(command);
      expect(commandName(bytes)).toBe(command.type);
      expect(encodeCommand(decodeCommand(bytes))).toEqual(bytes);
    });
    fc.assert(survives, { numRuns: runs });
  });

  test('a byte that belongs to no field is named by its place in the command, wherever that lies in its buffer', () => {
    for (let commands = 0; commands < 2; commands += 1) {
      const bytes = encodeCommand({ type: 'ResolveMarket', marketIndex: 1, resolution: 1 });
      bytes[13] = 7;
      expect(() => assertWellFormed(bytes)).toThrow('ResolveMarket: byte 13 belongs to no field and is not 0');
    }
  });

  test('commands encoded in a row keep their bytes, each at a multiple of 8 bytes', () => {
    const refused = { type: 'CancelMarket', owner: `0x${'f'.repeat(40)}`, keyId: `0x${'f'.repeat(32)}` } as const;
    const stay = fc.property(
      fc.array(fc.oneof(...commands), { minLength: 100, maxLength: 300, size: 'max' }),
      (list) => {
        const kept = list.map((command) => {
          // Remains of a refused command must not show in the padding of the next one.
          expect(() => encodeCommand({ ...refused, marketIndex: 1, outcome: 3 })).toThrow(/CancelMarket\.outcome/);
          return encodeCommand(command);
        });
        expect(kept.map((bytes) => bytes.byteOffset % 8)).toEqual(list.map(() => 0));
        expect(kept.map(decodeCommand)).toEqual(list);
      },
    );
    fc.assert(stay, { numRuns: Math.ceil(runs / 100) });
  });

  test('the generators cover every command type', () => {
    const types = commands.map((arbitrary) => fc.sample(arbitrary, 1)[0].type);
    expect(types).toEqual(Object.keys(commandLayouts));
  });

  test('altered bytes are rejected, or are exactly the encoding of the command they decode to', () => {
    const isSafe = fc.property(spoiled(fc.oneof(...commands).map(encodeCommand)), (bytes) => {
      const command = decodedOr(() => decodeCommand(bytes));
      if (command !== undefined) expect(encodeCommand(command)).toEqual(bytes);
    });
    fc.assert(isSafe, { numRuns: runs * 5 });
  });

  test('random bytes are rejected, or are exactly the encoding of the command they decode to', () => {
    const isSafe = fc.property(fc.uint8Array({ maxLength: 300, size: 'max' }), (bytes) => {
      if (bytes.length > 1) bytes[0] = 1;
      const command = decodedOr(() => decodeCommand(bytes));
      if (command !== undefined) expect(encodeCommand(command)).toEqual(bytes);
    });
    fc.assert(isSafe, { numRuns: runs });
  });

  test('a value that a field cannot hold is rejected with the name of the field', () => {
    const deposit = {
      type: 'Deposit',
      wallet: `0x${'1'.repeat(40)}`,
      owner: `0x${'2'.repeat(40)}`,
      isFaucet: 0,
    } as const;
    for (const amountMicro of [-1, -0, 0.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => encodeCommand({ ...deposit, amountMicro })).toThrow(/Deposit\.amountMicro: expected an integer/);
    }
    expect(() => encodeCommand({ ...deposit, amountMicro: 1, isFaucet: 2 })).toThrow(CodecError);
    for (const wallet of ['0x12', `0x${'g'.repeat(40)}`, '1'.repeat(42)]) {
      expect(() => encodeCommand({ ...deposit, amountMicro: 1, wallet })).toThrow(/Deposit\.wallet/);
    }
  });

  test('too many items or too long a tail is rejected with the limit', () => {
    const cancel = { type: 'CancelOrders', owner: `0x${'2'.repeat(40)}`, keyId: `0x${'3'.repeat(32)}` } as const;
    const items = Array.from({ length: limits.cancelIdsMax + 1 }, (_, i) => wordOf(i));
    expect(() => encodeCommand({ ...cancel, items })).toThrow(/1001 items, at most 1000/);
    const most = { ...cancel, items: items.slice(1) };
    expect(decodeCommand(encodeCommand(most))).toEqual(most);
    const tail = new Uint8Array(limits.tailBytesMax + 1);
    expect(() => encodeCommand({ type: 'Tick', tail })).toThrow(/at most 1048576/);
  });
});

describe('events', () => {
  test('all events of a command survive encoding into frames and decoding', () => {
    const survives = fc.property(fc.array(fc.oneof(...events), { maxLength: 20, size: 'max' }), (list) => {
      expect(decodeEvents(framesOf(list))).toEqual(list);
    });
    fc.assert(survives, { numRuns: runs });
  });

  test('the generators cover every event type', () => {
    const types = events.map((arbitrary) => fc.sample(arbitrary, 1)[0].type);
    expect(types).toEqual(Object.keys(eventLayouts));
  });

  test('more events than fit in a frame span several with the "more" flag, each within the size limit', () => {
    const isWhole = fc.property(fc.oneof(...events), fc.integer({ min: 1, max: 9_000 }), (event, count) => {
      const list = Array.from({ length: count }, () => event);
      const bytes = framesOf(list);
      const view = new DataView(bytes.buffer);
      let at = 0;
      let counted = 0;
      while (at < bytes.length) {
        const next = at + FRAME_HEADER_BYTES + view.getUint32(at + FRAME_AT.bodyBytes, true);
        expect(next - at).toBeLessThanOrEqual(limits.frameBytesMax);
        expect(bytes[at + FRAME_AT.flags]).toBe(next === bytes.length ? 0 : FRAME_MORE);
        counted += view.getUint32(at + FRAME_AT.eventCount, true);
        at = next;
      }
      expect(counted).toBe(count);
      expect(decodeEvents(bytes)).toHaveLength(count);
    });
    fc.assert(isWhole, { numRuns: 40 });
  });

  test('a record without its last frame, or with an extra one, is rejected', () => {
    const list = Array.from({ length: 9_000 }, (_, i) => ({ type: 'OrderFilled', orderNumber: i }) as const);
    const bytes = framesOf(list);
    const first = FRAME_HEADER_BYTES + new DataView(bytes.buffer).getUint32(FRAME_AT.bodyBytes, true);
    expect(first).toBeLessThan(bytes.length);
    expect(() => decodeEvents(bytes.subarray(0, first))).toThrow(CodecError);
    expect(() => decodeEvents(bytes.subarray(first))).not.toThrow();
    expect(() => decodeEvents(new Uint8Array([...bytes, ...framesOf([])]))).toThrow(CodecError);
  });

  test('altered bytes are rejected, or are exactly the frames of the events they decode to', () => {
    const list = fc.array(fc.oneof(...events), { maxLength: 4 }).map(framesOf);
    const isSafe = fc.property(spoiled(list), (bytes) => {
      const decoded = decodedOr(() => decodeEvents(bytes));
      if (decoded !== undefined && bytes[FRAME_AT.flags] === 0) expect(framesOf(decoded)).toEqual(bytes);
    });
    fc.assert(isSafe, { numRuns: runs * 5 });
  });

  test('the direct methods of EventWriter write the same bytes as the codec', () => {
    const figure = fc.maxSafeNat();
    const agrees = fc.property(fc.array(figure, { minLength: 11, maxLength: 11 }), ([...n]) => {
      const [u8, u16, u32] = [n[0] % 2, n[1] % 10_000, n[2] % 2 ** 32];
      const direct = new EventWriter();
      direct.begin();
      direct.rejected('FUNDS', n[3], n[4], n[5]);
      direct.orderAccepted(n[3], u32, u32, u8, u8, u8, u8, u16, u32);
      direct.orderKilled('FOK_NOT_FILLED', n[3], u32, u32, u8, u8, u8, u16, u32, n[5]);
      direct.orderRested(n[3], u32);
      direct.orderFilled(n[4]);
      direct.orderCanceled(n[4], u8, u32);
      [direct.collateralMicro, direct.sharesMicro, direct.feesMicro, direct.vaultMicro] = n.slice(7);
      direct.fill(n[3], u32, u32, u16, u8);
      direct.trade(n[3], u32, n[4], u32, u16, u32, n[6]);
      direct.tradeStatus(u32, n[3], u8);
      direct.cancelRefused(Int32Array.from(n), 2, u8);
      direct.finish();
      expect(framesOf(decodeEvents(direct.copy()))).toEqual(direct.copy());
      expect(decodeEvents(direct.copy()).map(({ type }) => eventLayouts[type].type)).toEqual([
        1, 3, 4, 5, 8, 9, 10, 11, 12, 13,
      ]);
      const [, , , , , , fill, trade, , refused] = decodeEvents(direct.copy());
      expect(fill).toMatchObject({ makerOrderNumber: n[3], makerCollateralMicro: n[7], makerSharesMicro: n[8] });
      expect(trade).toMatchObject({
        takerOrderNumber: n[3],
        feeMicro: n[6],
        feesCollateralMicro: n[9],
        vaultMicro: n[10],
      });
      const id = new Uint8Array(Int32Array.from(n).buffer, 8, 32);
      expect(refused).toEqual({ type: 'CancelRefused', orderId: readHex(id, 0, 32), reason: u8 });
    });
    fc.assert(agrees, { numRuns: 300 });
  });
});

function printed(title: string, table: Readonly<Record<string, Layout>>): string[] {
  return Object.entries(table).flatMap(([name, layout]) => [
    `${title} ${layout.type} ${name}: ${layout.headBytes} bytes${layout.item === undefined ? '' : `, up to ${layout.itemsMax} ${layout.item}`}`,
    ...Object.entries(layout.fields).map(([field, { kind, max }]) => {
      const bound = kind.startsWith('bytes') ? '' : ` 0..${max}`;
      return `  ${String(layout.offsets[field]).padStart(4)} ${kind.padEnd(7)} ${field}${bound}`;
    }),
  ]);
}

test('the binary layouts are those of this protocol version', () => {
  const heads = `event header ${EVENT_HEADER_BYTES} bytes, frame header ${FRAME_HEADER_BYTES} bytes`;
  expect(
    [heads, ...printed('command', commandLayouts), ...printed('event', eventLayouts)].join('\n'),
  ).toMatchSnapshot();
});
