// Encoded commands in memory, viewed as bytes, as 32-bit words and as 64-bit floats at once. Reducers read them: the hot path
// through the typed arrays, which cost a fraction of a DataView, the rest through the view. Commands start at multiples of
// 8 bytes. This file copies or shares bytes and does not interpret them.

if (new Uint8Array(new Uint32Array([1]).buffer)[0] !== 1) {
  throw new Error('Records are little-endian and are read in place, but this processor is not little-endian.');
}

export class Message {
  declare bytes: Uint8Array;
  declare words: Int32Array;
  declare doubles: Float64Array;
  declare view: DataView;

  /** Views on a buffer whose length is a multiple of 8 bytes. */
  constructor(buffer: ArrayBufferLike = new ArrayBuffer(4096)) {
    this.bytes = new Uint8Array(buffer);
    this.words = new Int32Array(buffer);
    this.doubles = new Float64Array(buffer);
    this.view = new DataView(buffer);
  }

  /** Copies one command to offset 0, over the one before. */
  take(command: Uint8Array): void {
    if (command.length > this.bytes.length) this.growTo(command.length);
    this.bytes.set(command);
  }

  private growTo(bytes: number): void {
    const larger = new Message(new ArrayBuffer(2 ** Math.ceil(Math.log2(bytes))));
    this.bytes = larger.bytes;
    this.words = larger.words;
    this.doubles = larger.doubles;
    this.view = larger.view;
  }
}
