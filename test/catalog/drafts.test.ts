// Hidden parts of a catalog do not affect what is visible: drafts in events and series. Also names, of which the first one
// given is kept, and dates, which must be printable.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN, type JsonReply, send } from '../support/client.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
const post = (path: string, body: object): Promise<JsonReply> => send(server.url, 'POST', `/admin${path}`, body, ADMIN);
const get = async (path: string) => (await send(server.url, 'GET', path)).json;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

test('drafts do not affect the state and dates of their event or the state and events of its series', async () => {
  await post('/events', { title: 'Over', slug: 'over', series: 'weekly' });
  const { json } = await post('/markets', { event: 'over', question: 'Seen?', end_date: '2026-12-01T00:00:00Z' });
  await post('/markets', { event: 'over', question: 'Draft?', status: 'draft', end_date: '2031-12-01T00:00:00Z' });
  await post(`/markets/${json.condition_id}/resolve`, { outcome: 'Yes' });
  const over = { closed: true, competitive: 0, endDate: '2026-12-01T00:00:00.000Z' };
  expect(await get('/events/slug/over')).toMatchObject(over);
  expect(await get('/series')).toMatchObject([{ slug: 'weekly', closed: true }]);
  await post('/events', { title: 'To come', slug: 'to-come', series: 'weekly' });
  // An event without a market is open.
  expect(await get('/series')).toMatchObject([{ slug: 'weekly', closed: false }]);
  await post('/markets', { event: 'to-come', question: 'Draft too?', status: 'draft' });
  expect(await get('/series')).toMatchObject([{ slug: 'weekly', closed: true }]);
  for (const path of ['/series/1', '/gamma/series/1']) {
    expect((await get(path)).events.map(({ slug }: { slug: string }) => slug)).toEqual(['over']);
  }
});

test('event_count of a tag in search leaves out draft-only events, and tags without others are omitted', async () => {
  const site = `0x${'5'.repeat(40)}`;
  const counts = async (query = '') =>
    (await get(`/public-search?q=curling${query}`)).tags.map((tag: { event_count: number }) => tag.event_count);
  await post('/events', { title: 'Stones', slug: 'stones', tags: ['curling'], creator: site });
  await post('/markets', { event: 'stones', question: 'Hidden stones?', status: 'draft' });
  expect([await counts(), await counts(`&creator=${site}`)]).toEqual([[], []]);
  await post('/events', { title: 'Brooms', slug: 'brooms', tags: ['curling'] });
  await post('/markets', { event: 'brooms', question: 'Which brooms?' });
  expect([await counts(), await counts(`&creator=${site}`)]).toEqual([[1], []]);
  await post('/markets', { event: 'stones', question: 'Which stones?' });
  expect([await counts(), await counts(`&creator=${site}`)]).toEqual([[2], [1]]);
});

test('a tag is related to no other through an event with drafts alone', async () => {
  const related = async (): Promise<readonly string[]> =>
    (await get('/tags/slug/rowing/related-tags/tags')).map(({ slug }: { slug: string }) => slug);
  await post('/events', { title: 'Oars', slug: 'oars', tags: ['rowing', 'unseen'] });
  await post('/markets', { event: 'oars', question: 'Hidden oars?', status: 'draft' });
  expect(await related()).toEqual([]);
  await post('/markets', { event: 'oars', question: 'Which oars?' });
  expect(await related()).toEqual(['unseen']);
  // Of those that are equally related, the one that existed first comes first.
  await post('/events', { title: 'Waves', slug: 'waves', tags: ['calm', 'windy'] });
  await post('/events', { title: 'Boats', slug: 'boats', tags: ['rowing', 'windy', 'calm'] });
  expect(await related()).toEqual(['unseen', 'calm', 'windy']);
});

test('a tag that an event names twice counts once', async () => {
  await post('/events', { title: 'Sails', slug: 'sails', tags: ['sailing', 'sailing'] });
  expect((await get('/events/slug/sails')).tags.map(({ slug }: { slug: string }) => slug)).toEqual(['sailing']);
  expect((await get('/public-search?q=sailing')).tags).toMatchObject([{ slug: 'sailing', event_count: 1 }]);
});

test('live-volume, oi and holders omit draft markets, by condition id or event, until they are activated', async () => {
  const { json: event } = await post('/events', { title: 'Half seen', slug: 'half-seen' });
  const { json: shown } = await post('/markets', { event: 'half-seen', question: 'Shown?' });
  const { json: draft } = await post('/markets', { event: 'half-seen', question: 'Not shown?', status: 'draft' });
  const number = (await get('/events/slug/half-seen')).id;
  expect(event.slug).toBe('half-seen');
  const [own, hidden] = [shown.condition_id, draft.condition_id];
  for (const mount of ['', '/data-api']) {
    const of = (path: string) => get(`${mount}${path}`);
    const volume = [{ total: 0, markets: [{ market: own, value: 0 }] }];
    expect(await of(`/live-volume?id=${number}`)).toEqual(volume);
    expect(await of(`/live-volume?market=${hidden},${own}`)).toEqual(volume);
    expect(await of(`/oi?market=${own},${hidden}`)).toEqual([{ market: own, value: 0 }]);
    expect(await of(`/oi?market=${hidden}`)).toEqual([]);
    expect(await of(`/holders?market=${hidden}`)).toEqual([]);
    expect(await of(`/holders?market=${hidden},${own}`)).toHaveLength(2);
  }
  await send(server.url, 'PATCH', `/admin/markets/${hidden}`, { status: 'active' }, ADMIN);
  expect((await get(`/live-volume?id=${number}`))[0].markets).toHaveLength(2);
  expect(await get(`/holders?market=${hidden}`)).toHaveLength(2);
});

test('a tag keeps the first label that an event gave it, even one equal to the default from its slug', async () => {
  await post('/events', { title: 'Any', slug: 'any', tags: ['world-cup'] });
  for (const [slug, label] of Object.entries({ first: 'World cup', second: 'Football' }))
    await post('/events', { title: slug, slug, tags: ['world-cup'], tag_labels: { 'world-cup': label } });
  expect((await get('/tags')).find(({ slug }: { slug: string }) => slug === 'world-cup')).toMatchObject({
    label: 'World cup',
  });
});

test('a date whose offset moves it outside the years 0000 to 9999 in UTC is rejected with status 400', async () => {
  for (const date of ['9999-12-31T23:59:59-10:00', '0000-01-01T00:00:00+10:00']) {
    for (const field of ['start_date', 'end_date', 'game_start_time']) {
      const { status, json } = await post('/markets', { question: 'When?', [field]: date });
      expect([status, json.error]).toEqual([
        400,
        `invalid_field: ${field}: it must be in the years 0000 to 9999 in UTC`,
      ]);
    }
  }
  expect((await post('/markets', { question: 'When?', end_date: '9999-12-31T23:59:59Z' })).status).toBe(200);
});

test('game_start_time accepts the format that market records print, only with offset +00', async () => {
  const shown = '2030-06-01 15:10:00+00';
  await post('/markets', { question: 'Which game?', slug: 'which-game', game_start_time: shown });
  const [market] = await get('/gamma/markets?slug=which-game');
  expect(market.gameStartTime).toBe(shown);
  expect((await get(`/markets/${market.conditionId}`)).game_start_time).toBe('2030-06-01T15:10:00.000Z');
  for (const bad of ['2030-13-01 15:10:00+00', '2030-06-01 15:10:00+02', '2030-06-01 15:10:00']) {
    const { status, json } = await post('/markets', { question: 'Which game?', game_start_time: bad });
    expect([bad, status, json.error]).toEqual([
      bad,
      400,
      'invalid_field: game_start_time: it must be an ISO 8601 date-time, such as 2030-01-31T12:00:00Z',
    ]);
  }
});
