// The small catalog shared by the tests of this folder: two events of the venue and one of another site, a series, markets
// that are open, closed, resolved, archived and drafts, created through the operator's interface of a server in the test.
// Tests that bring their own events, trades and times start without it.
import { expect } from 'vitest';
import type { Clock } from '../../engine/index.ts';
import { ADMIN, send } from '../support/client.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

export const SITE = '0x00000000000000000000000000000000000000ab';

export interface CatalogWorld {
  readonly server: TestServer;
  /** Condition ids by slug. */
  readonly conditions: ReadonlyMap<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server sends is what the tests are about
  readonly get: (path: string) => Promise<{ readonly status: number; readonly json: any }>;
  readonly admin: (method: string, path: string, body: object) => Promise<Readonly<Record<string, string>>>;
}

/** The part of a list's row that these tests use. */
export interface Slugged {
  readonly slug: string;
}

const EVENTS = [
  {
    title: 'Cup final',
    slug: 'cup-final',
    ticker: 'CUP',
    description: 'One match.',
    tags: ['sports', 'soccer'],
    start_date: '2026-01-01T00:00:00Z',
    end_date: '2030-06-01T00:00:00Z',
    resolution_source: 'https://example.org/results',
  },
  { title: 'Rates next month', slug: 'rates', tags: ['economy'], series: 'rates-monthly' },
  { title: 'Elsewhere alone', slug: 'elsewhere', tags: ['sports'], creator: SITE },
];
const MARKETS = [
  {
    slug: 'cup-home',
    event: 'cup-final',
    question: 'Does the home side win?',
    outcomes: ['Home', 'Away'],
    game_start_time: '2030-06-01T15:10:00Z',
  },
  { slug: 'cup-goals', event: 'cup-final', question: 'More than two goals?', end_date: '2030-05-01T00:00:00Z' },
  { slug: 'rates-up', event: 'rates', question: 'Do rates rise?' },
  { slug: 'rates-down', event: 'rates', question: 'Do rates fall?' },
  { slug: 'site-market', event: 'elsewhere', question: 'Is this elsewhere?' },
  { slug: 'lone', question: 'Does it stand alone?' },
  { slug: 'hidden', event: 'rates', question: 'Is this a draft?', status: 'draft' },
];

/**
 * Starts a server without events and markets.
 * @param clock the test's own clock, which also stamps what the operator creates
 */
export async function openEmptyWorld(clock?: Clock): Promise<CatalogWorld> {
  const server = await startTestServer(clock && { clock });
  const { url } = server;
  const conditions = new Map<string, string>();
  const admin = async (method: string, path: string, body: object): Promise<Record<string, string>> => {
    const { status, json } = await send(url, method, path, body, ADMIN);
    if (status !== 200) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(json)}`);
    if (path === '/admin/markets') conditions.set(json.slug, json.condition_id);
    return json;
  };
  return { server, conditions, get: (path) => send(url, 'GET', path), admin };
}

/** Starts a server with that catalog: `rates-up` is resolved, `rates-down` closed, `lone` archived, `hidden` a draft. */
export async function openCatalogWorld(): Promise<CatalogWorld> {
  const world = await openEmptyWorld();
  const { admin, conditions } = world;
  for (const event of EVENTS) await admin('POST', '/admin/events', event);
  for (const market of MARKETS) await admin('POST', '/admin/markets', market);
  await admin('POST', `/admin/markets/${conditions.get('rates-up')}/resolve`, { outcome: 'Yes' });
  await admin('PATCH', `/admin/markets/${conditions.get('rates-down')}`, { status: 'closed' });
  await admin('PATCH', `/admin/markets/${conditions.get('lone')}`, { archived: true });
  return world;
}

/** Slugs of the rows of a list, in order. */
export async function slugsIn(world: CatalogWorld, path: string): Promise<readonly string[]> {
  const { status, json } = await world.get(path);
  expect([path, status, json.error]).toEqual([path, 200, undefined]);
  const rows: readonly Slugged[] = Array.isArray(json) ? json : (json.markets ?? json.events);
  return rows.map(({ slug }) => slug);
}
