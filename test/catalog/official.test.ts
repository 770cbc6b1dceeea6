// What official catalog clients ask for beyond lists and records (catalog-and-data.md 6.1, 6.2 and 8): profiles, related tags,
// creators of events, and parameters that widen, narrow or shorten a reply, each with what it finds in a small catalog.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CatalogWorld, openCatalogWorld } from './world.ts';

let world: CatalogWorld;
beforeAll(async () => {
  world = await openCatalogWorld();
});
afterAll(() => world.server.close());

test('a profile is refused without an address, and is nobody’s with one', async () => {
  for (const mount of ['', '/gamma']) {
    for (const query of ['', '?address=', '?address=0x1', `?address=${'1'.repeat(42)}`]) {
      const { status, json } = await world.get(`${mount}/public-profile${query}`);
      expect([query, status, json]).toEqual([query, 400, { error: 'invalid address', type: 'bad request' }]);
    }
    const { status, json } = await world.get(`${mount}/public-profile?address=0x${'aB'.repeat(20)}`);
    expect([status, json]).toEqual([404, { error: 'profile not found', type: 'not found error' }]);
  }
});

test('tags are related to those that events have beside them, by number and by slug', async () => {
  await world.admin('POST', '/admin/events', {
    title: 'Final of a league',
    slug: 'league',
    tags: ['sports', 'economy'],
  });
  await world.admin('POST', '/admin/markets', { question: 'Is it sold out?', slug: 'sold-out', event: 'league' });
  await world.admin('POST', '/admin/events', { title: 'Second leg', slug: 'leg', tags: ['economy', 'sports'] });
  await world.admin('POST', '/admin/markets', { question: 'Is it rainy?', slug: 'rainy', event: 'leg' });
  for (const mount of ['', '/gamma']) {
    for (const path of [`${mount}/tags/1/related-tags`, `${mount}/tags/slug/Sports/related-tags`]) {
      expect((await world.get(path)).json).toEqual([
        { id: '1-3', tagID: 1, relatedTagID: 3, rank: 1 },
        { id: '1-2', tagID: 1, relatedTagID: 2, rank: 2 },
      ]);
      const { json: tags } = await world.get(`${path}/tags?omit_empty=true&status=all`);
      expect(tags).toEqual([(await world.get('/tags/3')).json, (await world.get('/tags/2')).json]);
      expect((await world.get(`${path}?status=closed`)).json).toEqual([]);
      expect((await world.get(`${path}?status=active`)).json).toHaveLength(2);
    }
    for (const path of ['/tags/99/related-tags', '/tags/99/related-tags/tags']) {
      expect((await world.get(`${mount}${path}`)).json).toEqual({ error: 'id not found', type: 'not found error' });
    }
    expect((await world.get(`${mount}/tags/slug/nobody/related-tags`)).json.error).toBe('slug not found');
  }
  expect((await world.get('/tags/1/related-tags?status=some')).json.error).toContain('invalid_field: status');
  expect((await world.get('/gamma/tags/1/related-tags?omit_empty=x')).json.error).toBe('omit_empty is invalid');
  expect((await world.get('/gamma/tags/x/related-tags')).json.error).toBe('id is invalid');
});

test('creators of events are a list, and no event', async () => {
  for (const mount of ['', '/gamma']) {
    expect(await world.get(`${mount}/events/creators`)).toMatchObject({ status: 200, json: [] });
  }
});
