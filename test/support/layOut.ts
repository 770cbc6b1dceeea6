// Several commands in one message, as in a batch: each at a multiple of 8 bytes. Used where a core looks ahead or applies a batch,
// by killer.ts, effort.ts and a test of the core.
import type { Message } from '../../engine/protocol/index.ts';

/** Copies the commands into the message, one behind the other. Returns the offset of each. */
export function layOut(message: Message, commands: readonly Uint8Array[]): Int32Array {
  const offsets = new Int32Array(commands.length);
  let offset = 0;
  for (const [i, bytes] of commands.entries()) {
    offsets[i] = offset;
    message.bytes.set(bytes, offset);
    offset += Math.ceil(bytes.length / 8) * 8;
  }
  return offsets;
}
