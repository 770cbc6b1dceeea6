// Columns of many short texts in a snapshot: they are concatenated into a few large texts, and each loaded one is a slice of
// these. Hundreds of thousands of texts are thus read in a few steps, take no memory of their own, and the garbage collector
// does not move them. Used by structures that save texts column by column (registry, views).
import { requireSound, type Sections } from './sections.ts';

/** A block is full from this length (characters) on: V8 never moves a text this long. */
const BLOCK_CHARACTERS = 256 * 1024;
/** Two-byte characters: one of them would double the size of its block, so texts with any are stored apart. */
const WIDE = /[\u0100-\uffff]/;

interface Packed {
  readonly blocks: readonly string[];
  /** The length of each text (characters); 0 for one stored apart. */
  readonly lengths: Int32Array<ArrayBuffer>;
  readonly wide: readonly (readonly [index: number, text: string])[];
}

function pack(texts: readonly string[]): Packed {
  const lengths = new Int32Array(texts.length);
  const wide: [number, string][] = [];
  const blocks: string[] = [];
  let block: string[] = [];
  let characters = 0;
  for (const [index, text] of texts.entries()) {
    if (WIDE.test(text)) {
      wide.push([index, text]);
      continue;
    }
    lengths[index] = text.length;
    block.push(text);
    characters += text.length;
    if (characters < BLOCK_CHARACTERS) continue;
    blocks.push(block.join(''));
    block = [];
    characters = 0;
  }
  blocks.push(block.join(''));
  return { blocks, lengths, wide };
}

function unpack({ blocks, lengths, wide }: Packed): string[] {
  const texts = new Array<string>(lengths.length);
  let at = 0;
  let from = 0;
  for (let index = 0; index < lengths.length; index += 1) {
    if (from >= blocks[at]?.length && lengths[index] > 0) {
      at += 1;
      from = 0;
    }
    const end = from + lengths[index];
    requireSound(lengths[index] >= 0 && end <= (blocks[at]?.length ?? -1), `text ${index} of a column is incomplete`);
    texts[index] = blocks[at].slice(from, end);
    from = end;
  }
  for (const [index, text] of wide) texts[index] = text;
  return texts;
}

/** Saves or loads a column of texts and returns the texts to keep, as the methods of Sections do. */
export function visitTexts(sections: Sections, name: string, texts: readonly string[]): readonly string[] {
  const own = sections.part(name);
  const packed = sections.isLoading ? { blocks: [], lengths: new Int32Array(0), wide: [] } : pack(texts);
  const blocks = own.plain('blocks', packed.blocks);
  const lengths = own.int32('lengths', packed.lengths);
  const wide = own.plain('wide', packed.wide);
  return sections.isLoading ? unpack({ blocks, lengths, wide }) : texts;
}
