// Replies that are built in steps while others wait: networks of clients alternate, so that a short reply need not wait for
// many long ones that another network has asked for. Counts steps, not time; rowsReply.test.ts has the replies themselves.
import { expect, test } from 'vitest';
import type { ReplySteps } from '../../server/http/endpoint.ts';
import { inTurns } from '../../server/http/inTurns.ts';
import { httpLimits } from '../../server/http/limits.ts';
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

test('a reply is built at once if it has one step', () => {
  const written: string[] = [];
  expect(inTurns(writing('one', 1, written), from('a'))).toEqual({ body: 'one' });
});
