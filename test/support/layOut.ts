// Several commands in one message, as in a batch, each at a multiple of 8 bytes. Used where a core looks ahead or applies a
// batch: by the mutants, the model test and a test of the core.
import { Message } from '../../engine/protocol/index.ts';

const lengthOf = (command: Uint8Array): number => Math.ceil(command.length / 8) * 8;

/** Copies the commands into the message, one behind the other. Returns the offset of each. */
export function layOut(message: Message, commands: readonly Uint8Array[]): Int32Array {
  const offsets = new Int32Array(commands.length);
  let offset = 0;
  for (const [i, command] of commands.entries()) {
    offsets[i] = offset;
    message.bytes.set(command, offset);
    offset += lengthOf(command);
  }
  return offsets;
}

/** A message of these commands and nothing else, and the offset of each. */
export function messageOf(commands: readonly Uint8Array[]): {
  readonly message: Message;
  readonly offsets: Int32Array;
} {
  const message = new Message(new ArrayBuffer(commands.reduce((sum, command) => sum + lengthOf(command), 0)));
  return { message, offsets: layOut(message, commands) };
}
