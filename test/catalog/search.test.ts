// Search of events as its users see it: words in any order and case, prefixes, typos, ranking, words that nearly every
// event has, and events that change. Documents come from plain rows; the index is the real one.
import { expect, test } from 'vitest';
import { CatalogSearch } from '../../server/catalog/search.ts';
import type { EventRow } from '../../server/views/index.ts';
import { KeptSections } from '../support/keptSections.ts';

const all = (_: number): boolean => true;

const EMPTY: Omit<EventRow, 'eventNumber' | 'texts'> = { negRisk: false, createdMs: 0, markets: [] };

/** A search over events with these titles, numbered from 1. */
async function searchOver(titles: readonly string[]) {
  const rows = titles.map((title, at): EventRow => ({ ...EMPTY, eventNumber: at + 1, texts: { title } }));
  const search = new CatalogSearch((eventNumber) => rows[eventNumber - 1]);
  for (const { eventNumber } of rows) search.touch(eventNumber);
  await search.ready();
  const titlesOf = (query: string, isWanted = all): readonly string[] =>
    search.find(query, isWanted).map((eventNumber) => titles[eventNumber - 1]);
  return { search, rows, titlesOf };
}

const TITLES = [
  'Who wins the Premier League?',
  'Premier League: Arsenal vs Chelsea',
  'Bitcoin above 100,000 in December',
  'Fed decision in December',
  'São Paulo against Santos',
  'Chelsea flower show: best garden',
];

test('search ignores case, word order and accents, and requires all words', async () => {
  const { titlesOf } = await searchOver(TITLES);
  expect(titlesOf('LEAGUE premier')).toHaveLength(2);
  // too short for a typo
  for (const word of ['sao', 'SÃO', 'sa\u0303o']) expect(titlesOf(word)).toEqual(['São Paulo against Santos']);
  expect(titlesOf('december fed')).toEqual(['Fed decision in December']);
  expect(titlesOf('100,000')).toEqual(['Bitcoin above 100,000 in December']);
});

test('prefixes of words match, and whole words rank before completed ones', async () => {
  const { titlesOf } = await searchOver(['Decembrists in opera', 'Decem, a magazine', ...TITLES]);
  expect(titlesOf('decem')[0]).toBe('Decem, a magazine');
  expect(titlesOf('decem')).toHaveLength(4);
  expect(titlesOf('arse')).toEqual(['Premier League: Arsenal vs Chelsea']);
});

test('a known word of three letters is not completed', async () => {
  const { titlesOf } = await searchOver(['Federal budget', ...TITLES]);
  expect(titlesOf('fed')).toEqual(['Fed decision in December']);
  expect(titlesOf('feder')).toEqual(['Federal budget']);
});

test('events with a word in their title rank before those that have it elsewhere', async () => {
  const texts = [
    { title: 'Weather of May', slug: 'rain-in-may' },
    ...['May', 'June'].map((month) => ({ title: `Rain of ${month}`, slug: 'weather' })),
    ...TITLES.map((title) => ({ title })),
  ];
  const rows = texts.map((one, at): EventRow => ({ ...EMPTY, eventNumber: at + 1, texts: one }));
  const search = new CatalogSearch((eventNumber) => rows[eventNumber - 1]);
  for (const { eventNumber } of rows) search.touch(eventNumber);
  await search.ready();
  const found = search.find('rain', all);
  expect([found.slice(0, 2).toSorted(), found.slice(2)]).toEqual([[2, 3], [1]]);
});

test('search tolerates one typo in a short word and two in a long one', async () => {
  const { titlesOf } = await searchOver(TITLES);
  expect(titlesOf('bitcion')).toEqual(['Bitcoin above 100,000 in December']);
  expect(titlesOf('bitcon')).toEqual(['Bitcoin above 100,000 in December']);
  expect(titlesOf('decmeber fed')).toEqual(['Fed decision in December']);
  expect(titlesOf('arsenal chelsaa')).toEqual(['Premier League: Arsenal vs Chelsea']);
});

test('of a very long query the first sixteen words count', async () => {
  const words = Array.from({ length: 16 }, (_, index) => `word${index}x`);
  const { titlesOf } = await searchOver([words.join(' '), words[3], 'nothing of these']);
  expect(titlesOf(`${words.join(' ')} nothing`)).toEqual([words.join(' ')]);
});

test('if no event has all words, events with some of them are found', async () => {
  const { titlesOf } = await searchOver(TITLES);
  expect(new Set(titlesOf('bitcoin arsenal'))).toEqual(new Set([TITLES[1], TITLES[2]]));
  expect(titlesOf('zzzz')).toEqual([]);
  expect(titlesOf('?!')).toEqual([]);
});

test('search returns only events that the filter accepts', async () => {
  const { titlesOf } = await searchOver(TITLES);
  expect(titlesOf('chelsea', (eventNumber) => eventNumber === 6)).toEqual([TITLES[5]]);
});

test('very common words narrow a search, and on their own return the newest events first', async () => {
  const titles = Array.from({ length: 3_000 }, (_, at) => `Will x${at}x beat x${at + 1}x?`);
  const { titlesOf, search } = await searchOver([...titles, 'Rain in Oslo']);
  expect(titlesOf('will x42x beat').toSorted()).toEqual([titles[41], titles[42]]);
  expect(titlesOf('will')).toHaveLength(3_000);
  expect(titlesOf('will')[0]).toBe(titles[2_999]);
  expect(titlesOf('wil')).toHaveLength(3_000);
  expect(titlesOf('will oslo')).toEqual(['Rain in Oslo']);
  expect(search.find('beat will', (eventNumber) => eventNumber === 7)).toEqual([7]);
});

test('if no event has all words, events with a very common one are found, newest first', async () => {
  const goals = Array.from({ length: 1_100 }, (_, at) => `Goals in match ${at}`);
  const cards = Array.from({ length: 1_200 }, (_, at) => `Cards in match ${at}`);
  const { titlesOf } = await searchOver([...cards, ...goals, 'Rain in Oslo']);
  expect(titlesOf('match zzzz')).toEqual([...cards, ...goals].toReversed());
  expect(titlesOf('goals cards')).toEqual(goals.toReversed());
  expect(titlesOf('goals cards', (eventNumber) => eventNumber === 1_207)).toEqual([goals[6]]);
  expect(titlesOf('goals oslo')).toEqual(['Rain in Oslo']);
});

test('a word that begins or misspells a very common one finds all of its events, beside other words too', async () => {
  const rounds = Array.from({ length: 3_000 }, (_, at) => `Bitcoin up or down, round r${at}r`);
  const { titlesOf, search } = await searchOver([...rounds, 'Bitchat up', 'Rain in Oslo']);
  for (const query of ['bitcion', 'bitc up round', 'bitcion up', 'downn bitc', 'roun bitc', 'roun bitc dow up']) {
    const found = titlesOf(query);
    expect([query, found.length, new Set(found).size]).toEqual([query, 3_000, 3_000]);
  }
  expect(titlesOf('bitc r2999r')).toEqual([rounds[2_999]]);
  expect(titlesOf('bitcion r2999r')).toEqual([rounds[2_999]]);
  expect(titlesOf('bitc oslo')).toContain('Rain in Oslo');
  const isNewest = (eventNumber: number): boolean => eventNumber === 3_000;
  for (const query of ['bitc up', 'bitcion', 'bitc zzzz', 'bitc oslo', 'roun bitc']) {
    expect(search.find(query, isNewest), query).toEqual([3_000]);
  }
  expect(titlesOf('bitchat up')).toEqual(['Bitchat up']);
});

test('a changed event is found by its new words and no longer by its old ones', async () => {
  const { search, rows } = await searchOver(TITLES);
  const [first] = rows;
  rows[0] = { ...first, texts: { title: 'Who wins the Bundesliga?' } };
  search.touch(1);
  await search.ready();
  expect(search.find('bundesliga', all)).toEqual([1]);
  expect(search.find('premier', all)).toEqual([2]);
});

test('after events have changed, a search lists the events in the same order each time', async () => {
  const titles = Array.from(
    { length: 30 },
    (_, at) => `Round ${at % 3 === 0 ? 'odd odd' : 'odd'} ${'x'.repeat(at % 7)}`,
  );
  const { search, rows } = await searchOver(titles);
  for (let at = 0; at < 30; at += 4) {
    rows[at] = { ...rows[at], texts: { title: `${titles[at]} renamed` } };
    search.touch(at + 1);
  }
  await search.ready();
  const first = search.find('odd round', all);
  expect(search.find('odd round', all)).toEqual(first);
});

test('a word that no event has any more finds nothing, and finds its event again once it returns', async () => {
  const { search, rows } = await searchOver(TITLES);
  const [first] = rows;
  for (const title of ['Who wins the Bundesliga?', 'Who wins?', 'Who wins the Bundesliga?']) {
    rows[0] = { ...first, texts: { title } };
    search.touch(1);
    await search.ready();
    expect(search.find('bundesliga', all)).toEqual(title.includes('Bundesliga') ? [1] : []);
  }
});

test('a snapshot keeps the words of events, and only events changed after it are read again', async () => {
  const { search, rows } = await searchOver(TITLES);
  rows[1] = { ...rows[1], texts: { title: 'Premier League: Everton vs Fulham' } };
  search.touch(2); // marked, but not indexed before the snapshot
  const kept = new Map<string, unknown>();
  const numbers = rows.map(({ eventNumber }) => eventNumber);
  search.visit(new KeptSections(kept, false), numbers);
  let readCount = 0;
  const again = new CatalogSearch((eventNumber) => {
    readCount += 1;
    return rows[eventNumber - 1];
  });
  for (const number of numbers) again.touch(number);
  again.visit(new KeptSections(kept, true), numbers);
  rows[2] = { ...rows[2], texts: { title: 'Ether above 5,000' } };
  again.touch(3);
  await again.ready();
  const found = (query: string): readonly number[] => again.find(query, all);
  expect([found('everton'), found('arsenal'), found('ether'), found('bitcoin')]).toEqual([[2], [], [3], []]);
  expect(found('chelsea')).toEqual([6]);
  expect(readCount).toBe(1);
});

test('a word that no longer occurs in any event is treated as a typo', async () => {
  const { search, rows } = await searchOver(['Does Mesii score?', 'Does Messi score?']);
  const change = async (at: number, title: string): Promise<void> => {
    rows[at] = { ...rows[at], texts: { title } };
    search.touch(at + 1);
    await search.ready();
  };
  expect(search.find('mesii', all)).toEqual([1]);
  await change(0, 'Does Messi play?');
  expect(search.find('mesii', all).toSorted()).toEqual([1, 2]);
  await change(0, 'Does Mesii play?');
  expect(search.find('mesii', all)).toEqual([1]);
});

test('an event that loses a very common word is not found by it until it has the word again', async () => {
  const { search, rows } = await searchOver(Array.from({ length: 1_200 }, (_, at) => `Will rain fall on day${at}`));
  const found = (query: string): boolean => search.find(query, all).includes(700);
  const change = async (title: string): Promise<void> => {
    for (let at = 600; at < 900; at += 1) {
      rows[at] = { ...rows[at], texts: { title: `${title} day${at}` } };
      search.touch(at + 1);
    }
    await search.ready();
  };
  expect([found('rain'), found('rain day699'), found('rai')]).toEqual([true, true, true]);
  await change('Will snow fall on');
  expect([found('rain'), found('rai'), found('snow day699'), found('fall')]).toEqual([false, false, true, true]);
  expect(search.find('rain', all)).toHaveLength(900);
  await change('Will rain fall on');
  expect([found('rain'), found('rain day699'), found('snow')]).toEqual([true, true, false]);
  const newestFirst = rows.map(({ eventNumber }) => eventNumber).toReversed();
  for (const words of ['rain', 'rain fall']) expect(search.find(words, all), words).toEqual(newestFirst);
});
