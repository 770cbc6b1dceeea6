// Imports of a whole catalog: what a file creates, how each bad line is reported, that a file with one bad line creates
// nothing, and that a server killed at any moment of the commit has all of it afterwards or none.
import { once } from 'node:events';
import { createWriteStream, existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { expect, test } from 'vitest';
import { generatedRows, linesOf } from '../../bench/catalog/lines.ts';
import { encodeCommand, MemoryStore, openExchange } from '../../engine/index.ts';
import { CatalogImport } from '../../server/import/catalogImport.ts';
import { type ImportTarget, importFile } from '../../server/import/command.ts';
import { runningTarget } from '../../server/import/targets.ts';
import { ADMIN, send } from '../support/client.ts';
import { PLAIN_SETTINGS } from '../support/plainSettings.ts';
import { freePort } from '../support/ports.ts';
import { runToEnd, startServerProcess } from '../support/process.ts';
import { startTestServer } from '../support/server.ts';
import { EVENT, fileOf, folder, marketLine, SERIES, TAG } from './importFiles.ts';

/** A market's own id, where the line gives one. */
const CONDITION = `0x${'7'.repeat(64)}`;

test('a file creates its tags, series, events and markets, including closed and resolved ones', async () => {
  const server = await startTestServer({ hasSeed: true });
  const before = server.services.views.markets.list().length;
  const file = fileOf('good.jsonl', [
    TAG,
    SERIES,
    EVENT,
    '',
    marketLine('open', { tick_size: '0.001', outcomes: ['Up', 'Down'] }),
    marketLine('won', { outcomes: ['Up', 'Down'], winner: 'Down' }),
    marketLine('halved', { winner: 'split' }),
    marketLine('over', { closed: true }),
    { kind: 'market', slug: 'of-seed', question: 'Of an event that is there?', event: 'democratic-ticket-2028' },
  ]);
  const made = await importFile(file, await runningTarget(server.url, 'dev-admin'));
  expect(made).toEqual({ events: 1, markets: 5 });
  const get = async (path: string) => (await send(server.url, 'GET', path)).json;
  const event = await get('/events/slug/match');
  expect(event.tags[0]).toMatchObject({ slug: 'sports' });
  expect(event.series[0]).toMatchObject({ slug: 'weekly', title: 'Week by week', recurrence: 'weekly' });
  const prices = event.markets.map((one: Record<string, string>) => [one.slug, one.closed, one.outcomePrices]);
  expect(prices).toEqual([
    ['open', false, '["0.5", "0.5"]'],
    ['won', true, '["0", "1"]'],
    ['halved', true, '["0.5", "0.5"]'],
    ['over', true, '["0.5", "0.5"]'],
  ]);
  expect(event.markets[0]).toMatchObject({ orderPriceMinTickSize: 0.001, negRisk: true, id: String(before + 1) });
  expect((await get('/markets/slug/of-seed')).events[0].slug).toBe('democratic-ticket-2028');
  expect((await get('/public-search?q=mach')).events[0].slug).toBe('match');
  server.exchange.checkInvariants();
  await server.close();
});

test('every bad line is reported with its number and reason, and nothing is imported', async () => {
  const server = await startTestServer();
  const twin = { condition_id: `0x${'a'.repeat(64)}`, token_ids: ['11', '12'] };
  const file = fileOf('bad.jsonl', [
    EVENT,
    '{"kind":',
    marketLine('good', twin),
    marketLine('good'),
    { ...EVENT, title: 'Again' },
    marketLine('odd', { tick_size: '0.3' }),
    marketLine('more', { colour: 'red' }),
    { kind: 'market', slug: 'Bad Slug', question: 'x' },
    marketLine('lost', { event: 'nowhere' }),
    marketLine('same-ids', twin),
    marketLine('won', { winner: 'Nobody' }),
    marketLine('drafted', { status: 'draft', closed: true }),
    { kind: 'thing' },
    '7',
    { kind: 'tag', slug: 'x' },
    { ...EVENT, slug: 'early', start_date: '2030-01-02T00:00:00Z', end_date: '2030-01-01T00:00:00Z' },
    marketLine('early', { start_date: '2030-01-02T00:00:00Z', end_date: '2030-01-01T00:00:00Z' }),
    marketLine('blank', { question: ' ' }),
    { kind: 'tag', slug: 'blank', label: ' ' },
    marketLine('unended', { closed: false, winner: 'Yes' }),
  ]);
  const outcome = await importFile(file, await runningTarget(server.url, 'dev-admin')).catch((error: Error) => error);
  expect(outcome).toBeInstanceOf(Error);
  const text = String(outcome);
  const expected: readonly (readonly [number, string])[] = [
    [2, 'it is not JSON'],
    [4, 'market good appears twice'],
    [5, 'event match appears twice'],
    [6, 'invalid_field: tick_size'],
    [7, 'unknown_field: colour'],
    [8, 'invalid_field: slug'],
    [9, 'there is no event with slug nowhere in the exchange or on an earlier line'],
    [10, 'appears twice'],
    [11, 'invalid_field: winner'],
    [12, 'it must not be draft'],
    [13, 'invalid_field: kind'],
    [14, 'invalid_field: kind'],
    [15, 'missing_field: label'],
    [16, 'invalid_field: end_date'],
    [17, 'invalid_field: end_date'],
    [18, 'invalid_field: question'],
    [19, 'invalid_field: label'],
    [20, 'invalid_field: closed: it must not be false for a market with a winner'],
  ];
  for (const [line, reason] of expected) expect(text).toMatch(new RegExp(`bad.jsonl:${line}: .*${reason}`));
  expect(text).toContain(`${expected.length} of 20 lines are invalid; nothing was imported.`);
  expect(server.services.views.markets.list()).toEqual([]);
  expect(server.services.views.markets.eventList()).toEqual([]);
  await server.close();
});

test('lines that repeat existing slugs or ids are reported, and existing events accept more markets', async () => {
  const server = await startTestServer();
  const importing = async (name: string, lines: readonly (object | string)[]) =>
    importFile(fileOf(name, lines), await runningTarget(server.url, 'dev-admin'));
  const ids = { condition_id: CONDITION, token_ids: ['11', '12'] };
  await importing('there.jsonl', [EVENT, marketLine('there', ids)]);
  const again = importing('again.jsonl', [
    EVENT,
    marketLine('there'),
    marketLine('same-condition', { condition_id: CONDITION }),
    marketLine('same-token', { token_ids: ['13', '11'] }),
  ]);
  await expect(again).rejects.toThrow(
    [
      /:1: the exchange already has an event match\n/,
      /.*:2: the exchange already has a market there\n/,
      new RegExp(`.*:3: the exchange already has a market with condition id ${CONDITION}\n`),
      /.*:4: the exchange already has a market with token id 11\n/,
    ].reduce((all, { source }) => new RegExp(all.source + source), /again\.jsonl/),
  );
  expect(await importing('more.jsonl', [marketLine('more')])).toEqual({ events: 0, markets: 1 });
  const { json } = await send(server.url, 'GET', '/events/slug/match');
  const markets = json.markets.map(({ slug, negRisk }: Record<string, unknown>) => [slug, negRisk]);
  expect(markets).toEqual([
    ['there', true],
    ['more', true],
  ]);
  await server.close();
});

test('a label in the tag_labels of an event takes precedence over that of a tag line', async () => {
  const server = await startTestServer();
  const lines = [TAG, { ...EVENT, tag_labels: { sports: 'Sports of its own' } }, marketLine('labelled')];
  await importFile(fileOf('labels.jsonl', lines), await runningTarget(server.url, 'dev-admin'));
  const { json } = await send(server.url, 'GET', '/events/slug/match');
  expect(json.tags[0]).toMatchObject({ slug: 'sports', label: 'Sports of its own' });
  await server.close();
});

test.each(['none.jsonl', 'none.jsonl.gz'])(
  'a missing file (%s) is reported as unreadable, and the import is dropped',
  async (name) => {
    const server = await startTestServer();
    const target = await runningTarget(server.url, 'dev-admin');
    await expect(importFile(join(folder, name), target)).rejects.toThrow(
      /^The file .*none\.jsonl.* cannot be read: ENOENT/,
    );
    await expect(target.take([{ line: 1, row: EVENT }])).rejects.toThrow('answered 404: import not found');
    await server.close();
  },
);

test('a symlink loop or an overlong file name is reported as an unreadable file with exit status 2', async () => {
  const loop = join(folder, 'loop.jsonl');
  symlinkSync(loop, loop);
  for (const [file, code] of [
    [loop, 'ELOOP'],
    [join(folder, `${'x'.repeat(300)}.jsonl`), 'ENAMETOOLONG'],
  ]) {
    const end = await runToEnd(['import', file, '--data-dir', join(folder, 'looked')]);
    expect([end.status, end.output]).toEqual([
      2,
      expect.stringContaining(`The file ${file} cannot be read: ${code}: `),
    ]);
  }
});

test('a commit is rejected with status 400 if one of the lines was bad, and nothing is imported', async () => {
  const server = await startTestServer();
  const target = await runningTarget(server.url, 'dev-admin');
  const lines = [EVENT, { kind: 'tag' }].map((row, at) => ({ line: at + 1, row }));
  expect(await target.take(lines)).toHaveLength(1);
  await expect(target.commit()).rejects.toThrow('answered 400: 1 line is invalid; nothing was imported.');
  expect(server.services.views.markets.eventList()).toEqual([]);
  await server.close();
});

test('an event of the same slug being created during the commit makes the whole import fail', async () => {
  const server = await startTestServer();
  const { exchange } = server;
  const lines = new CatalogImport(server.services);
  expect(lines.addAll([EVENT, marketLine('mine')].map((row, at) => ({ line: at + 1, row })))).toEqual([]);
  const tail = Buffer.from(JSON.stringify({ slug: 'match', title: 'Somebody else’s' }));
  const others = exchange.submit(encodeCommand({ type: 'CreateEvent', negRisk: 0, tail }));
  await expect(lines.commit()).rejects.toThrow('the event match was created in the meantime; nothing was imported');
  await others;
  expect(server.services.views.markets.eventList().length).toBe(1);
  expect(server.services.views.markets.list()).toEqual([]);
  await server.close();
});

test('a tag or series line after an event that uses it is a bad line', async () => {
  const server = await startTestServer();
  const lines = [EVENT, TAG, SERIES, { kind: 'tag', slug: 'other', label: 'Of none so far' }];
  const file = fileOf('late.jsonl', lines);
  const outcome = await importFile(file, await runningTarget(server.url, 'dev-admin')).catch((error: Error) => error);
  expect(String(outcome)).toMatch(
    /late.jsonl:2: tag sports comes after an event that uses it.*\n.*:3: series weekly comes/,
  );
  expect(String(outcome)).toContain('2 of 4 lines are invalid');
  await server.close();
});

test('a failed import is dropped, and reports the original error even if the drop fails too', async () => {
  const file = fileOf('stopped.jsonl', [EVENT]);
  const done: string[] = [];
  const target = (failing: string): ImportTarget => {
    const step = async (name: string): Promise<void> => {
      done.push(name);
      if (name === failing || name === 'drop') throw new Error(`no ${name}`);
    };
    return {
      take: async () => step('take').then(() => []),
      commit: async () => step('commit').then(() => ({ events: 1, markets: 0 })),
      drop: () => step('drop'),
    };
  };
  await expect(importFile(file, target('take'))).rejects.toThrow('no take');
  await expect(importFile(file, target('commit'))).rejects.toThrow('no commit');
  expect(done).toEqual(['take', 'drop', 'take', 'commit', 'drop']);
});

test.each([
  ['slug', { slug: 'mine' }, {}],
  ['condition id', { slug: 'other', condition_id: CONDITION }, { condition_id: CONDITION }],
  ['token id', { slug: 'other', token_ids: ['1', '2'] }, { token_ids: ['3', '1'] }],
])('a market created with the same %s before the commit makes the whole import fail', async (_, body, line) => {
  const server = await startTestServer();
  const target = await runningTarget(server.url, 'dev-admin');
  const rows = [EVENT, marketLine('mine', line)].map((row, at) => ({ line: at + 1, row }));
  expect(await target.take(rows)).toEqual([]);
  expect((await send(server.url, 'POST', '/admin/markets', { question: 'Mine?', ...body }, ADMIN)).status).toBe(200);
  const reason = `the market ${body.slug} was created in the meantime; nothing was imported`;
  await expect(target.commit()).rejects.toThrow(reason);
  expect(server.services.views.markets.eventList()).toEqual([]);
  expect((await send(server.url, 'GET', '/ok')).status).toBe(200);
  await server.close();
});

test('a server killed during a commit has either all of the import or none of it after a restart', async () => {
  const lines = linesOf(generatedRows(1_000)).map((line, at) => ({ line: at + 1, row: JSON.parse(line) }));
  for (const waitMs of [5, 150]) {
    const dataDir = join(folder, `killed-${waitMs}`);
    const server = await startServerProcess({ dataDir, args: ['--no-house'] });
    const before = (await send(server.url, 'GET', '/readyz')).json.markets;
    const target = await runningTarget(server.url, 'dev-admin');
    for (let at = 0; at < lines.length; at += 500) expect(await target.take(lines.slice(at, at + 500))).toEqual([]);
    const committed = target.commit().catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    await server.kill('SIGKILL');
    await committed;
    const again = await startServerProcess({ dataDir, args: ['--no-house'] });
    const after = (await send(again.url, 'GET', '/readyz')).json.markets;
    expect([0, 1_000]).toContain(after - before);
    await again.stop();
  }
}, 180_000);

test('an import that another one has replaced gets that as its error', async () => {
  const server = await startTestServer();
  const first = await runningTarget(server.url, 'dev-admin');
  const second = await runningTarget(server.url, 'dev-admin');
  const lines = [{ line: 1, row: EVENT }];
  await expect(first.take(lines)).rejects.toThrow(/answered 404: import not found: \S+; .* another import replaced it/);
  expect(await second.take(lines)).toEqual([]);
  await server.close();
});

test('an import started before a restart is not found afterwards and does not affect a later one', async () => {
  const dataDir = join(folder, 'restarted');
  const args = ['--port', String(await freePort())];
  const first = await startServerProcess({ dataDir, args });
  const before = await runningTarget(first.url, 'dev-admin');
  await first.stop();
  const again = await startServerProcess({ dataDir, args });
  const after = await runningTarget(again.url, 'dev-admin');
  await expect(before.take([{ line: 1, row: EVENT }])).rejects.toThrow('answered 404: import not found');
  await expect(before.drop()).rejects.toThrow('answered 404: import not found');
  expect(await after.take([{ line: 1, row: marketLine('alone', { event: undefined }) }])).toEqual([]);
  expect(await after.commit()).toEqual({ events: 0, markets: 1 });
  await again.stop();
});

test('commands submitted together form one journal batch, even one of over 18 MB', async () => {
  const store = new MemoryStore(true);
  const options = { dataDir: undefined, settings: PLAIN_SETTINGS, followers: [] };
  const exchange = await openExchange(options, { store });
  const tail = Buffer.from(JSON.stringify({ slug: 'x', description: 'y'.repeat(900_000) }));
  const commands = Array.from({ length: 20 }, (_, at) => {
    const texts = Buffer.from(tail.toString().replace('"x"', `"x${at}"`));
    return encodeCommand({ type: 'CreateEvent', negRisk: 0, tail: texts });
  });
  const before = [...store.batches(1)].length;
  await exchange.submitTogether(commands);
  const after = [...store.batches(1)];
  expect(after.length).toBe(before + 1);
  expect(after.at(-1)?.bytes.length).toBeGreaterThan(18_000_000);
  expect(exchange.nextEventNumber).toBe(21);
  await exchange.close();
});

test('a line over 524,288 bytes is reported as a bad line; lines with the maximum of text are imported', async () => {
  const server = await startTestServer();
  const long = { ...EVENT, slug: 'long', description: 'a'.repeat(3_000_000) };
  const file = fileOf('long.jsonl', [EVENT, long, 'no JSON']);
  const importing = importFile(file, await runningTarget(server.url, 'dev-admin'));
  await expect(importing).rejects.toThrow(
    /long\.jsonl:2: it has 3\d{6} bytes; a line may have at most 524288\n.*:3: it is not JSON/,
  );
  expect((await send(server.url, 'GET', '/events')).json).toEqual([]);
  // Lines with the maximum of text, one after another, fit into requests.
  const full = (slug: string): object => ({ ...EVENT, slug, description: '東'.repeat(50_000) });
  const fits = fileOf('full.jsonl', ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'].map(full));
  expect(await importFile(fits, await runningTarget(server.url, 'dev-admin'))).toMatchObject({ events: 6 });
  await server.close();
});

test('a line too long for a V8 string is reported, and only the first 100 of 30,001 bad lines are listed', async () => {
  const server = await startTestServer();
  const target = await runningTarget(server.url, 'dev-admin');
  const endless = join(folder, 'endless.jsonl.gz');
  const zip = createGzip({ level: 1 });
  const written = pipeline(zip, createWriteStream(endless));
  for (let index = 0; index < 600; index += 1) if (!zip.write(Buffer.alloc(1_048_576))) await once(zip, 'drain');
  zip.end('\n{"kind":"tag"}\n');
  await written;
  // More characters than a V8 string can have.
  await expect(importFile(endless, target)).rejects.toThrow(
    /endless\.jsonl\.gz:1: it has 629145600 bytes; a line may have at most 524288\n.*:2: .*\n2 of 2 lines are invalid/,
  );
  const bad = fileOf('many.jsonl', [...Array(30_000).fill('{"kind"'), '{"kind":"tag"}']);
  await expect(importFile(bad, await runningTarget(server.url, 'dev-admin'))).rejects.toThrow(
    /many\.jsonl:1: .*\n(.*\n)+.*many\.jsonl:100: .*\n… and 29,901 more\.\n30,001 of 30,001 lines are invalid/,
  );
  await server.close();
});

test('too deep nesting or control characters make a bad line, a byte order mark does not; empty files fail', async () => {
  const server = await startTestServer();
  const importing = async (name: string, lines: readonly (object | string)[]) =>
    importFile(fileOf(name, lines), await runningTarget(server.url, 'dev-admin'));
  const deep = `{"kind":"tag","slug":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  await expect(importing('deep.jsonl', [deep])).rejects.toThrow(
    /deep\.jsonl:1: it nests arrays and objects deeper than the limit of 16 levels\n1 of 1 line is invalid/,
  );
  const error = await importing('escape.jsonl', ['\u001b[2J\u0007']).catch((thrown: Error) => thrown);
  expect(String(error)).toContain('escape.jsonl:1: it is not JSON');
  expect(String(error).replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  expect(await importing('mark.jsonl', [`\ufeff${JSON.stringify(EVENT)}\r`])).toMatchObject({ events: 1 });
  await expect(importing('empty.jsonl', [])).rejects.toThrow(/^The file .*empty\.jsonl has no lines\.$/);
  await expect(importing('tag.jsonl', [TAG])).rejects.toThrow(
    `The exchange at ${server.url} answered 400: there is nothing to import.`,
  );
  await server.close();
});

test('a line that is not UTF-8 is a bad line, also where a file is read in parts', async () => {
  const server = await startTestServer();
  const importing = async (name: string, bytes: Uint8Array) => {
    writeFileSync(join(folder, name), bytes);
    return importFile(join(folder, name), await runningTarget(server.url, 'dev-admin'));
  };
  const line = (slug: string): string => `${JSON.stringify({ ...EVENT, slug, title: 'Málaga – 東京 \ufffd' })}\n`;
  const second = Buffer.from(JSON.stringify({ ...EVENT, slug: 'second', title: 'Málaga' }), 'latin1');
  const latin = Buffer.concat([Buffer.from(line('first')), second]);
  await expect(importing('latin.jsonl', latin)).rejects.toThrow(
    /latin\.jsonl:2: it is not UTF-8 text\n1 of 2 lines is invalid; nothing was imported\.$/,
  );
  const slugs = Array.from({ length: 9_000 }, (_, index) => `event-${index}`);
  const long = Buffer.from(slugs.map(line).join(''));
  expect(long.length).toBeGreaterThan(1_048_576); // the size of a part
  expect(await importing('parts.jsonl', long)).toMatchObject({ events: 9_000 });
  const { json } = await send(server.url, 'GET', '/events?slug=event-8999');
  expect(json).toMatchObject([{ title: 'Málaga – 東京 \ufffd' }]);
  await server.close();
});

test('the winner "split" means the outcome of that name if there is one, and otherwise a split', async () => {
  const server = await startTestServer();
  const named = { kind: 'market', slug: 'named', question: 'Which?', outcomes: ['merge', 'split'], winner: 'split' };
  const halved = { kind: 'market', slug: 'halved', question: 'Which?', outcomes: ['merge', 'mint'], winner: 'split' };
  await importFile(fileOf('split.jsonl', [named, halved]), await runningTarget(server.url, 'dev-admin'));
  const pricesOf = async (slug: string): Promise<string> =>
    (await send(server.url, 'GET', `/markets/slug/${slug}`)).json.outcomePrices;
  expect([await pricesOf('named'), await pricesOf('halved')]).toEqual(['["0", "1"]', '["0.5", "0.5"]']);
  await server.close();
});

test('an outcome named "split" is rejected in a market that is not resolved yet', async () => {
  const server = await startTestServer();
  const named = { kind: 'market', question: 'Which?', outcomes: ['merge', 'split'] };
  const lines = [
    { ...named, slug: 'open' },
    { ...named, slug: 'closed', closed: true },
  ];
  const reason =
    'invalid_field: outcomes: none may be "split", because resolving a market to "split" pays half to each outcome';
  const file = fileOf('named.jsonl', lines);
  await expect(importFile(file, await runningTarget(server.url, 'dev-admin'))).rejects.toThrow(
    `${file}:1: ${reason}\n${file}:2: ${reason}\n2 of 2 lines are invalid; nothing was imported.`,
  );
  await server.close();
});

test('import rejects --url together with --data-dir, and settings of an exchange without --data-dir', async () => {
  const run = (...args: string[]) => runToEnd(['import', fileOf('nowhere.jsonl', []), ...args]);
  const dataDir = join(folder, 'nowhere');
  const both = await run('--url', 'http://127.0.0.1:1', '--data-dir', dataDir);
  expect([both.status, both.output, existsSync(dataDir)]).toEqual([
    2,
    expect.stringMatching(/'--url <address>' cannot be used with option '--data-dir /),
    false,
  ]);
  const refusal = ' requires --data-dir: a running exchange, which --url names, has its own settings.\n';
  for (const flags of [
    ['--venue'],
    ['--port', '1'],
    ['--no-house'],
    ['--house', 'busy'],
    ['--admin-token', 'a', '--json'],
  ]) {
    const end = await run(...flags);
    expect([end.status, end.output]).toEqual([2, flags.findLast((flag) => flag.startsWith('--')) + refusal]);
  }
  const none = join(folder, 'none.json');
  const configured = await run('--config', none); // it may have the token
  expect([configured.status, configured.output]).toEqual([2, expect.stringContaining(none)]);
  const help = await run('--help');
  expect(help.status).toBe(0);
  expect(help.output).not.toContain('default .outcry)');
  expect(help.output).toContain('--data-dir <folder>');
});
