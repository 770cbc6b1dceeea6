// Searches over thousands of events against a naive search that looks at each of them: words in whole, begun and misspelt,
// rare ones and ones so common that the index leaves them out, also after events have changed.
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { CatalogSearch, wordsOf } from '../../server/catalog/search.ts';
import type { EventRow } from '../../server/views/index.ts';

const EVENTS = 2_600;
/** A third of them are in half of the events, and so common; the others are in one of fourteen. */
const WORDS =
  'bitcoin bitcoins bit rain rainy raining team teams teal cup cups the there league leagues beat beats win wins winner'.split(
    ' ',
  );

const rows: EventRow[] = [];
const search = new CatalogSearch((eventNumber) => rows[eventNumber - 1]);
const wordsOfRow = ({ texts }: EventRow): ReadonlySet<string> => new Set(wordsOf(String(texts.title)));

/** Gives an event a title whose words follow from the event and the round. */
function writeTitle(at: number, round: number): void {
  const isIn = (_: string, word: number): boolean => {
    const draw = Math.imul(at * 31 + word * 17 + round * 101, 0x9e3779b1) >>> 16;
    return draw % (word % 3 === 0 ? 2 : 14) === 0;
  };
  const title = [...WORDS.filter(isIn), `u${at % 37}x`].join(' ');
  rows[at] = { eventNumber: at + 1, negRisk: false, createdMs: 0, markets: [], texts: { title } };
  search.touch(at + 1);
}

/** The number of single-letter edits between two words. */
function editsBetween(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (const [i, letter] of [...left].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...right].entries()) {
      next.push(Math.min(next[j] + 1, row[j + 1] + 1, row[j] + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row[right.length];
}

/** Whether an event with these words has a word of a query, given in how many events that word is. */
function hasWord(words: ReadonlySet<string>, word: string, count: number): boolean {
  if (words.has(word)) return true;
  if (count > 1_000) return false;
  const typos = count > 0 || word.length < 4 ? 0 : word.length < 6 ? 1 : 2;
  const isCompleted = word.length > 3 || (word.length === 3 && count === 0);
  return [...words].some(
    (own) => (isCompleted && own.startsWith(word)) || (typos > 0 && editsBetween(word, own) <= typos),
  );
}

/** A word of the events: in whole, its beginning, or with a wrong letter. */
const word = fc.tuple(fc.constantFrom(...WORDS, 'u3x'), fc.nat({ max: 3 }), fc.nat()).map(([whole, form, at]) => {
  if (form === 0 && whole.length > 3) return whole.slice(0, 3 + (at % (whole.length - 3)));
  if (form === 1 && whole.length > 4) return `${whole.slice(0, 1 + (at % 3))}q${whole.slice(2 + (at % 3))}`;
  return whole;
});

beforeAll(async () => {
  for (let at = 0; at < EVENTS; at += 1) writeTitle(at, 0);
  await search.ready();
});

test.each([0, 1])('a search finds what a look at every event finds, in round %i', async (round) => {
  if (round > 0) for (let at = 0; at < EVENTS; at += 3) writeTitle(at, round);
  await search.ready();
  const all = rows.map(wordsOfRow);
  const property = fc.property(
    fc.uniqueArray(word, { minLength: 1, maxLength: 3 }),
    fc.integer({ min: 1, max: 3 }),
    (asked, step) => {
      const counts = asked.map((one) => all.filter((words) => words.has(one)).length);
      const isWanted = (eventNumber: number): boolean => eventNumber % step === 0;
      const hits = all.map((words) => asked.filter((one, at) => hasWord(words, one, counts[at])).length);
      const matching = (least: number): number[] =>
        rows
          .map(({ eventNumber }) => eventNumber)
          .filter((eventNumber) => isWanted(eventNumber) && hits[eventNumber - 1] >= least);
      const found = [...search.find(asked.join(' '), isWanted)].sort((left, right) => left - right);
      const whole = matching(asked.length);
      if (whole.length > 0) expect([asked, found]).toEqual([asked, whole]);
      else expect(matching(1)).toEqual(expect.arrayContaining(found));
    },
  );
  fc.assert(property, { numRuns: 150 });
});
