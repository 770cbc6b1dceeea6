// Lists of the catalog and of the order book whose pages hold any number of markets, or look at all of them: no step of such a
// reply renders or examines more than a few milliseconds' worth, and the whole is the same as in one step. Handlers over a
// real exchange and its views; counts rows and steps, not time.
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { collectGarbage } from '../../bench/lib/collectGarbage.ts';
import { type Command, encodeCommand, openExchange, VirtualClock } from '../../engine/index.ts';
import { Catalog } from '../../server/catalog/index.ts';
import type { Handler, Reply, ReplySteps } from '../../server/http/endpoint.ts';
import { bytesOfBody } from '../../server/http/replyBody.ts';
import { Views } from '../../server/views/index.ts';
import { renderedCount } from '../../server/wire/keptRows.ts';
import { tailOf } from '../support/commandParts.ts';
import { wordOf } from '../support/hex.ts';
import { PLAIN_SETTINGS } from '../support/plainSettings.ts';
import { PLAIN_TERMS } from '../support/plainTerms.ts';
import { callHandler } from './handlerTurns.ts';

const T0 = 1_800_000_000_000;
const EVENTS = 12;
/** Markets of each event. */
const MARKETS = 110;
/** Rows that one step may render, and rows that it may append in all. */
const RENDERED_MAX = 100;
const APPENDED_MAX = 1_000;

/** An exchange in memory whose handlers are asked without sockets. */
class Listing {
  readonly views = new Views();
  readonly catalog = new Catalog(this.views);
  private readonly exchange = openExchange({
    dataDir: undefined,
    clock: new VirtualClock(T0),
    settings: PLAIN_SETTINGS,
    followers: this.views.followers(),
  });
  private eventCount = 0;
  private marketCount = 0;

  constructor() {
    onTestFinished(async () => (await this.exchange).close());
  }

  async submit(...commands: readonly Command[]): Promise<void> {
    const exchange = await this.exchange;
    await Promise.all(commands.map((command) => exchange.submit(encodeCommand(command))));
  }

  async addEvents(count: number, marketCount: number): Promise<void> {
    for (let added = 0; added < count; added += 1) {
      this.eventCount += 1;
      const number = this.eventCount;
      const texts = { slug: `event-${number}`, title: `Match ${number}`, series: 'matches', tags: ['sports'] };
      await this.submit({ type: 'CreateEvent', negRisk: 0, tail: tailOf(texts) });
      await this.addMarkets(marketCount, number);
    }
  }

  async addMarkets(count: number, eventNumber = 0): Promise<void> {
    const commands = Array.from({ length: count }, (_, index): Command => {
      const number = this.marketCount + index + 1;
      return {
        type: 'CreateMarket',
        eventNumber,
        conditionId: wordOf(number),
        firstToken: wordOf(2 * number + 1_000_000),
        secondToken: wordOf(2 * number + 1_000_001),
        ...PLAIN_TERMS,
        tail: tailOf({ slug: `m${number}`, question: 'So?' }),
      };
    });
    this.marketCount += count;
    await this.submit(...commands);
  }

  /** What a handler makes of a GET request. */
  ask(path: string, query = '', params = {}, body = new Uint8Array()): ReturnType<Handler> {
    const services = { views: this.views, catalog: this.catalog, exchange: { now: () => T0 } };
    return callHandler('GET', path, { query: new URLSearchParams(query), params, body }, { services });
  }
}

const textOf = ({ body }: Reply): string => Buffer.from(bytesOfBody(body)).toString();

/**
 * Makes a reply: its text, and how many rows each of its steps rendered.
 * @param meanwhile runs after the first step
 */
async function make(result: ReturnType<Handler>, meanwhile: () => unknown = () => {}) {
  const made = await result;
  if (!('next' in made)) return expect.unreachable('it was made in one go');
  const rendered: number[] = [];
  for (;;) {
    const before = renderedCount();
    const { done, value } = (made as ReplySteps).next();
    rendered.push(renderedCount() - before);
    if (done === true) return { text: textOf(value), rendered, stepCount: rendered.length };
    if (rendered.length === 1) await meanwhile();
  }
}

async function listingOf(eventCount: number, marketCount: number): Promise<Listing> {
  const listing = new Listing();
  await listing.addEvents(eventCount, marketCount);
  return listing;
}

const ROWS = EVENTS * (1 + MARKETS);
const slugsOf = (events: readonly { readonly markets: readonly { readonly slug: string }[] }[]): readonly string[] =>
  events.flatMap(({ markets }) => markets.map(({ slug }) => slug));
const ALL_SLUGS = Array.from({ length: EVENTS * MARKETS }, (_, index) => `m${index + 1}`);

test.each([
  ['/gamma/events', 'order=id&ascending=true', (json: never) => json],
  ['/gamma/events/keyset', 'order=id&ascending=true', ({ events }: { events: never }) => events],
  ['/gamma/events/pagination', 'order=id&ascending=true', ({ data }: { data: never }) => data],
  ['/gamma/public-search', 'q=match&sort=id&ascending=true', ({ events }: { events: never }) => events],
])('%s?%s renders at most 100 rows in a step, and appends at most 1,000', async (path, query, eventsOf) => {
  const listing = await listingOf(EVENTS, MARKETS);
  const cold = await make(listing.ask(path, query));
  expect(Math.max(...cold.rendered)).toBeLessThanOrEqual(RENDERED_MAX);
  expect(cold.stepCount).toBe(Math.ceil(ROWS / RENDERED_MAX));
  expect(slugsOf(eventsOf(JSON.parse(cold.text) as never))).toEqual(ALL_SLUGS);
  const kept = await make(listing.ask(path, query));
  expect(kept).toEqual({ text: cold.text, rendered: [0, 0], stepCount: Math.ceil(ROWS / APPENDED_MAX) });
});

test.each(['/events/{id}', '/gamma/events/{id}'])('%s of a large event is made in steps', async (path) => {
  const listing = await listingOf(1, 250);
  const { text, rendered } = await make(listing.ask(path, '', { id: '1' }));
  expect(rendered).toEqual([100, 100, 51]);
  expect(slugsOf([JSON.parse(text)])).toEqual(ALL_SLUGS.slice(0, 250));
});

test.each(['', '/gamma'])('%s/series/{id} of many events is made in steps', async (mount) => {
  const listing = await listingOf(250, 1);
  const { text, rendered } = await make(listing.ask(`${mount}/series/{id}`, '', { id: '1' }));
  expect(rendered).toEqual([100, 100, 50]);
  expect(JSON.parse(text).events).toHaveLength(250);
});

test.each([
  ['/gamma/events', 'order=id&ascending=true'],
  ['/gamma/events/keyset', 'order=id&ascending=true'],
  ['/events/{id}', ''],
  ['/gamma/events/{id}', ''],
  ['/series/{id}', ''],
  ['/gamma/public-search', 'q=match&sort=id&ascending=true'],
  ['/markets', 'next_cursor='],
  ['/simplified-markets', ''],
])('a reply of %s?%s that waits holds no request', async (path, query) => {
  const listing = await listingOf(1, 110);
  await listing.addEvents(110, 1);
  async function begin() {
    const body = new Uint8Array(100);
    const made = await listing.ask(path, query, { id: '1' }, body);
    expect('next' in made && made.next()).toMatchObject({ done: false });
    return { made, held: new WeakRef(body) };
  }
  const { made, held } = await begin();
  await turn(); // a WeakRef keeps its target until the end of the turn
  collectGarbage();
  expect(held.deref() === undefined).toBe(true);
  await make(made);
});

test('a usual page is made in one step', async () => {
  const listing = await listingOf(30, 2);
  for (const path of ['/events', '/gamma/events']) {
    expect(await make(listing.ask(path))).toMatchObject({ stepCount: 1 });
  }
});

test('rows show what has changed since the first step, and do so in later lists too', async () => {
  const listing = await listingOf(EVENTS, MARKETS);
  const last = EVENTS * MARKETS - 1;
  const ask = () => listing.ask('/gamma/events', 'order=id&ascending=true&limit=100');
  const { text } = await make(ask(), () => listing.submit({ type: 'ResolveMarket', marketIndex: last, resolution: 0 }));
  const [market] = JSON.parse(text).at(-1).markets.slice(-1);
  expect(market).toMatchObject({ closed: true, acceptingOrders: false, outcomePrices: '["1", "0"]' });
  const again = JSON.parse((await make(ask())).text)
    .at(-1)
    .markets.slice(-1);
  expect(again).toEqual([market]);
});

/** More markets than one step examines. */
const MANY = 20_600;

test('lists with cursors examine and render markets in steps, and keep no more than 20,000 rows', async () => {
  const listing = new Listing();
  await listing.addMarkets(MANY);
  for (const path of ['/sampling-markets', '/sampling-simplified-markets']) {
    const { text, stepCount } = await make(listing.ask(path));
    expect(stepCount).toBe(2);
    expect(JSON.parse(text)).toEqual({ data: [], next_cursor: 'LTE=', limit: 500, count: 0 });
  }
  const farOffset = Buffer.from(String(MANY - 1)).toString('base64');
  expect(await make(listing.ask('/simplified-markets', `next_cursor=${farOffset}`))).toMatchObject({ stepCount: 2 });

  const first = await make(listing.ask('/simplified-markets'));
  expect(first.rendered).toEqual([100, 100, 100, 100, 100]);
  const again = await make(listing.ask('/simplified-markets'));
  expect(again).toEqual({ text: first.text, rendered: [0], stepCount: 1 });
  let found = 0;
  for (let cursor = ''; cursor !== 'LTE='; ) {
    const { data, next_cursor } = JSON.parse(
      (await make(listing.ask('/simplified-markets', `next_cursor=${cursor}`))).text,
    );
    expect(data[0].slug).toBe(`m${found + 1}`);
    found += data.length;
    cursor = next_cursor;
  }
  expect(found).toBe(MANY);
  const dropped = await make(listing.ask('/simplified-markets'));
  expect(dropped).toEqual(first);
});
