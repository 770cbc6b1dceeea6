// Columns of many short texts in a snapshot: they lie behind one another in few large texts, of which each is a piece when
// they are loaded. Hundreds of thousands of texts are so read in a few steps, take no memory of their own, and are nothing
// that the garbage collector moves. Used by whatever lists texts column by column (registry, views).
import { requireSound, type Sections } from './sections.ts';

/** From this length (characters) on a block is full: V8 never moves a text so long. */
const BLOCK_CHARACTERS = 256 * 1024;
/** Characters of two bytes: one of them would double the whole block, so that texts with any are kept apart. */
const WIDE = /[\u0100-\uffff]/;

interface Packed {
  readonly blocks: readonly string[];
  /** Of each text (characters); one that is kept apart has none. */
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
    requireSound(lengths[index] >= 0 && end <= (blocks[at]?.length ?? -1), `text ${index} of a column is not whole`);
    texts[index] = blocks[at].slice(from, end);
    from = end;
  }
  for (const [index, text] of wide) texts[index] = text;
  return texts;
}

/** The texts of a column on their way into a snapshot or out of it, as with Sections. */
export function visitTexts(sections: Sections, name: string, texts: readonly string[]): readonly string[] {
  const own = sections.part(name);
  const packed = sections.isLoading ? { blocks: [], lengths: new Int32Array(0), wide: [] } : pack(texts);
  const blocks = own.plain('blocks', packed.blocks);
  const lengths = own.int32('lengths', packed.lengths);
  const wide = own.plain('wide', packed.wide);
  return sections.isLoading ? unpack({ blocks, lengths, wide }) : texts;
}
