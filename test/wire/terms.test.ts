// The words of the closed sets that requests carry: each leads to its value and back, and nothing else is a word. The
// literals by which sides are read must be those that they are written with.
import { expect, test } from 'vitest';
import * as terms from '../../server/wire/terms.ts';

const readable = [
  { words: terms.sideWords, textOf: terms.sideText, read: terms.sideOf },
  { words: terms.orderTypeWords, textOf: terms.orderTypeText, read: terms.orderTypeOf },
];

test.each(readable)('$words lead to their values and back', ({ words, textOf, read }) => {
  expect(words.map((word) => textOf(read(word) ?? -1))).toEqual(words);
});

test.each(readable)('nothing but $words is a word of their set', ({ words, textOf, read }) => {
  const others = [...words.map((word) => word.toLowerCase()), 'toString', '__proto__', '', '0', 0, null, undefined];
  expect(others.map((word) => read(word))).toEqual(others.map(() => undefined));
  expect([textOf(words.length), textOf(-1)]).toEqual(['', '']);
});
