// Replies that are built in steps while others wait: networks of clients alternate, so that a short reply need not wait for
// many long ones that another network has asked for. A limited number wait, and what waits holds no request. Counts steps,
// not time; rowsReply.test.ts has the replies themselves.
import { request } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { collectGarbage } from '../../bench/lib/collectGarbage.ts';
import type { Handler, ReplySteps } from '../../server/http/endpoint.ts';
import { inTurns } from '../../server/http/inTurns.ts';
import { httpLimits } from '../../server/http/limits.ts';
import { BadRequest } from '../../server/wire/badRequest.ts';
import { send } from '../support/client.ts';
import { PATIENCE } from '../support/patience.ts';
import { startTestServer } from '../support/server.ts';
import { TEST_ENDPOINT } from './testEndpoint.ts';

/** Steps that a test can watch: it writes its name at each, and fails instead of replying if told to. */
function* writing(name: string, steps: number, written: string[], failure?: Error): ReplySteps {
  for (let step = 1; step < steps; step += 1) {
    written.push(name);
    yield;
  }
  if (failure !== undefined) throw failure;
  written.push(`${name}.`);
  return { body: name };
}

const from = (network: string) => ({ isAborted: false, network });

const { unfinishedRepliesMax, networkRepliesMax } = httpLimits;
const TOO_MANY_TEXT = `${unfinishedRepliesMax} long replies wait to be built, and no more may; ask again later`;

/** Replies of two steps to a network, each as its body, or the refusal of it. */
const askMany = (network: string, count: number) =>
  Array.from({ length: count }, async (_, index) => {
    try {
      return (await inTurns(writing(`${network}-${index}`, 2, []), from(network)))?.body;
    } catch (error) {
      return error;
    }
  });

/** The refusals among results, with their indexes. */
const refusalsOf = (results: readonly unknown[]) =>
  results.flatMap((result, index) => {
    if (!(result instanceof BadRequest)) return [];
    return [[index, result.status, result.message, result.headers?.['retry-after']]];
  });

test('a short reply ends before the long ones that another network has asked for', async () => {
  const written: string[] = [];
  const long = Array.from({ length: 10 }, (_, index) => inTurns(writing(`long${index}`, 80, written), from('a')));
  await inTurns(writing('short', 3, written), from('b'));
  expect(written.filter((name) => name.endsWith('.'))).toEqual(['short.']);
  await Promise.all(long);
});

test('networks alternate, and the replies to one of them are built one after the other', async () => {
  const written: string[] = [];
  const asked = [
    ['p', 4, 'a'],
    ['q', 3, 'a'],
    ['r', 3, 'b'],
    ['s', 2, 'b'],
    ['t', 2, 'c'],
  ] as const;
  await Promise.all(asked.map(([name, steps, network]) => inTurns(writing(name, steps, written), from(network))));
  // The first step of each is made at once.
  expect(written.join(' ')).toBe('p q r s t p r t. p r. p. s. q q.');
});

test('no more than the permitted number of networks have half-built replies, and a next one follows each', async () => {
  const written: string[] = [];
  const names = Array.from({ length: 2 * httpLimits.networksBuildingMax }, (_, index) => `n${index}`);
  await Promise.all(names.map((name) => inTurns(writing(name, 5, written), from(name))));
  const afterFirst = written.slice(names.length);
  const begun = new Set<string>();
  const ended = new Set<string>();
  let most = 0;
  for (const name of afterFirst) {
    begun.add(name.replace('.', ''));
    if (name.endsWith('.')) ended.add(name);
    most = Math.max(most, begun.size - ended.size);
  }
  expect([most, ended.size]).toEqual([httpLimits.networksBuildingMax, names.length]);
});

test('a network that waits is not passed by one that keeps asking', async () => {
  const written: string[] = [];
  const askers = Array.from({ length: httpLimits.networksBuildingMax }, (_, index) => `n${index}`);
  const asked = askers.flatMap((network) =>
    Array.from({ length: 3 }, (_, index) => inTurns(writing(`${network}-${index}`, 4, written), from(network))),
  );
  await inTurns(writing('late', 4, written), from('late'));
  const ended = written.filter((name) => name.endsWith('.'));
  expect(ended.filter((name) => !name.includes('-0.'))).toEqual(['late.']);
  await Promise.all(asked);
});

test('a failure and a client that has gone affect no other reply', async () => {
  const written: string[] = [];
  const gone = { isAborted: false, network: 'a' };
  const replies = [
    inTurns(writing('failing', 3, written, new Error('no more')), from('a')),
    inTurns(writing('left', 3, written), gone),
    inTurns(writing('whole', 3, written), from('a')),
    inTurns(writing('other', 3, written), from('b')),
  ];
  gone.isAborted = true;
  const results = await Promise.allSettled(replies);
  expect(results).toEqual([
    { status: 'rejected', reason: new Error('no more') },
    { status: 'fulfilled', value: undefined },
    { status: 'fulfilled', value: { body: 'whole' } },
    { status: 'fulfilled', value: { body: 'other' } },
  ]);
  expect(written.filter((name) => name === 'left')).toHaveLength(1);
});

test.each([
  { isThrottled: true, limits: 'with' },
  { isThrottled: false, limits: 'without' },
])(
  'a server $limits rate limits tells networks apart by the address that a trusted proxy reports',
  async ({ isThrottled }) => {
    const written: string[] = [];
    let isShortAsked = false;
    let begin: () => void = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    function* long(): ReplySteps {
      begin();
      for (let stepsLeft = 10; stepsLeft > 0; stepsLeft -= isShortAsked ? 1 : 0) yield;
      written.push('long.');
      return { body: '"long"' };
    }
    const short = () => {
      isShortAsked = true;
      return writing('short', 3, written);
    };
    const row = { ...TEST_ENDPOINT, method: 'GET' } as const;
    const endpoints = [
      { ...row, path: '/long', handler: long },
      { ...row, path: '/short', handler: short },
    ];
    const config = { isThrottled, trustedProxies: ['127.0.0.1'] };
    const { url, close } = await startTestServer({ endpoints, config });
    const ask = (path: string, address: string) => fetch(url + path, { headers: { 'x-forwarded-for': address } });
    const asked = ask('/long', '203.0.113.1');
    await begun;
    const replies = [await ask('/short', '203.0.113.2'), await asked];
    expect(await Promise.all(replies.map((reply) => reply.text()))).toEqual(['short', '"long"']);
    expect(written).toEqual(['short', 'short', 'short.', 'long.']);
    await close();
  },
);

test('no more than the permitted number of replies to a network wait; its short replies and other networks are unaffected', async () => {
  const many = askMany('a', networkRepliesMax + 2);
  expect(inTurns(writing('short', 1, []), from('a'))).toEqual({ body: 'short' });
  const [other] = await Promise.all(askMany('b', 1));
  const text = `${networkRepliesMax} long replies to this address wait to be built, and no more may; wait for some of them`;
  expect(other).toBe('b-0');
  expect(refusalsOf(await Promise.all(many))).toEqual([
    [networkRepliesMax, 503, text, '5'],
    [networkRepliesMax + 1, 503, text, '5'],
  ]);
  expect(await Promise.all(askMany('a', 1))).toEqual(['a-0']);
});

test('if too many replies wait, the last one of the network with most is refused in place of a new one to another', async () => {
  const asked = [
    ...askMany('a', networkRepliesMax),
    ...askMany('b', unfinishedRepliesMax - networkRepliesMax),
    ...askMany('c', 2),
  ];
  const lastOfA = networkRepliesMax - 1;
  const lastOfB = unfinishedRepliesMax - 1;
  expect(refusalsOf(await Promise.all(asked))).toEqual(
    [lastOfA, lastOfB].map((index) => [index, 503, TOO_MANY_TEXT, '5']),
  );
});

test('a new reply is refused if too many wait and no network has more of them than its own', async () => {
  const asked = Array.from({ length: unfinishedRepliesMax }, (_, index) => askMany(`n${index}`, 1)).flat();
  expect(refusalsOf(await Promise.all([...asked, ...askMany('new', 1)]))).toEqual([
    [unfinishedRepliesMax, 503, TOO_MANY_TEXT, '5'],
  ]);
});

test('over HTTP, replies beyond the limit get 503 with Retry-After, and the others their replies', async () => {
  let isOpen = false;
  function* gated(): ReplySteps {
    while (!isOpen) yield;
    return { body: '"gated"' };
  }
  let asked = 0;
  const handler: Handler = () => {
    asked += 1;
    return gated();
  };
  const endpoints = [{ ...TEST_ENDPOINT, method: 'GET', path: '/gated', handler } as const];
  const { url, close } = await startTestServer({ endpoints });
  const replies = Array.from({ length: networkRepliesMax + 1 }, () => send(url, 'GET', '/gated'));
  const refused = await Promise.race(replies);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  await expect.poll(() => asked, PATIENCE).toBe(networkRepliesMax + 1);
  isOpen = true;
  const statuses = (await Promise.all(replies)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(networkRepliesMax);
  await close();
});

test('a reply that waits holds neither its request nor the body', async () => {
  let isOpen = false;
  const held: WeakRef<object>[] = [];
  function* gated(): ReplySteps {
    while (!isOpen) yield;
    return { body: '"gated"' };
  }
  const handler: Handler = (received) => {
    held.push(new WeakRef(received), new WeakRef(received.body), new WeakRef(received.json() as object));
    return gated();
  };
  const endpoints = [{ ...TEST_ENDPOINT, method: 'POST', path: '/gated', handler } as const];
  const { port, close } = await startTestServer({ endpoints });
  const body = `[${'0,'.repeat(100_000)}0]`; // long enough to arrive in parts, which are joined
  const answered = new Promise<number | undefined>((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const asked = request({ port, path: '/gated', method: 'POST', headers }, (reply) => {
      resolve(reply.resume().statusCode);
    });
    asked.on('error', reject).end(body);
  });
  await expect.poll(() => held.length, PATIENCE).toBe(3);
  await turn(); // a WeakRef keeps its target until the end of the turn
  collectGarbage();
  expect(held.map((one) => one.deref() === undefined)).toEqual([true, true, true]);
  isOpen = true;
  expect(await answered).toBe(200);
  await close();
});

test('a reply is built at once if it has one step', () => {
  const written: string[] = [];
  expect(inTurns(writing('one', 1, written), from('a'))).toEqual({ body: 'one' });
});
