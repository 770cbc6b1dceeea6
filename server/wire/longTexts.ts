// JSON with lists that may be very long, such as all trades of an order, as texts that follow each other. Each is a moment's
// work and is rendered on request, so that a reply can be built in steps (http/rowsReply.ts). Used by the rows of orders and
// trades and by the pages that hold them.

/** The texts of a JSON value, in order: one for most values. */
export type Texts = Generator<string, void>;

/** Characters in one text of a long list. */
const TEXT_CHARACTERS = 16 * 1024;

/**
 * The texts of a list within a value.
 * @param open the value's text up to the list's opening bracket
 * @param elements JSON texts, rendered lazily
 * @param close the value's text from the list's closing bracket on
 */
export function* aroundList(open: string, elements: Iterable<string>, close: string): Texts {
  let text = open;
  let comma = '';
  for (const element of elements) {
    text += comma + element;
    comma = ',';
    if (text.length < TEXT_CHARACTERS) continue;
    yield text;
    text = '';
  }
  yield text + close;
}

/**
 * The texts of a list of rows. Returns how many rows it has.
 * @param textsOf called when its row's turn comes; undefined leaves the row out
 */
export function* listTexts<Row>(
  rows: Iterable<Row>,
  textsOf: (row: Row) => Texts | undefined,
): Generator<string, number> {
  let count = 0;
  yield '[';
  for (const row of rows) {
    const texts = textsOf(row);
    if (texts === undefined) continue;
    if (count > 0) yield ',';
    yield* texts;
    count += 1;
  }
  yield ']';
  return count;
}

/** The whole value as one text. */
export const wholeText = (texts: Texts): string => [...texts].join('');
