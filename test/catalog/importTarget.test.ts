// Imports into a running exchange whose address is wrong, at which something else answers, or that is lost during the commit:
// each ends with a sentence that says what is known and what to do.
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { StorageUnavailable } from '../../engine/index.ts';
import { importFile } from '../../server/import/command.ts';
import { runningTarget } from '../../server/import/targets.ts';
import { outageRefusal } from '../../server/wire/rejections.ts';
import { ADMIN } from '../support/client.ts';
import { freePort } from '../support/ports.ts';
import { runToEnd } from '../support/process.ts';
import { startTestServer } from '../support/server.ts';
import { EVENT, fileOf, SERIES, TAG } from './importFiles.ts';

type AnswerCommit = (forward: () => Promise<Response>, response: ServerResponse) => Promise<void>;

/** A server that passes requests on to an exchange, but leaves the answer to a commit to the test. */
async function openProxy(
  exchange: string,
  answerCommit: AnswerCommit,
): Promise<{ readonly proxy: Server; readonly url: string }> {
  const proxy = createServer(async ({ method = '', url = '' }, response) => {
    const body = await text(response.req);
    const headers = { ...ADMIN, 'content-type': 'application/json' };
    const forward = () => fetch(exchange + url, { method, headers, ...(body !== '' && { body }) });
    if (url.endsWith('/commit')) {
      await answerCommit(forward, response);
      return;
    }
    const reply = await forward();
    response.writeHead(reply.status).end(await reply.text());
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  return { proxy, url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` }; // of a listening server
}

test('a malformed or unreachable --url, or one with credentials or a path, fails with an error that explains the fix', async () => {
  for (const url of ['nonsense', '127.0.0.1:8080', 'localhost:8080', 'file:///tmp']) {
    await expect(runningTarget(url, 'dev-admin')).rejects.toThrow(
      `--url must be an http:// or https:// address such as http://127.0.0.1:8080; it is ${url}.`,
    );
  }
  for (const credentials of ['me:hidden', 'me', ':hidden']) {
    await expect(runningTarget(`http://${credentials}@127.0.0.1:8080`, 'dev-admin')).rejects.toThrow(
      /^--url must not contain a user name or password; pass the token in --admin-token/,
    );
  }
  for (const url of ['http://127.0.0.1:8080/outcry', 'http://127.0.0.1:8080/?a', 'http://127.0.0.1:8080/#a']) {
    await expect(runningTarget(url, 'dev-admin')).rejects.toThrow(
      `because an exchange is served from their root; it is ${url}.`,
    );
  }
  const url = `http://127.0.0.1:${await freePort()}`;
  await expect(runningTarget(url, 'dev-admin')).rejects.toThrow(
    `The exchange at ${url} does not answer (ECONNREFUSED): start one, or name it with --url.`,
  );
});

test('a --url where something else answers, or breaks off its answer, fails with an error that says so', async () => {
  const answers = ['<html>', '{"ok":true}', 'null', undefined];
  for (const answer of answers) {
    const stranger = createServer((_request, response) => {
      if (answer !== undefined) response.end(answer);
      else response.writeHead(200, { 'content-length': 9 }).write('{', () => response.destroy());
    });
    await once(stranger.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`; // of a listening server
    const reason =
      answer === undefined
        ? `The exchange at ${url} does not answer (UND_ERR_SOCKET): start one, or name it with --url.`
        : `What answers at ${url} is not an exchange: name one with --url.`;
    await expect(runningTarget(url, 'dev-admin')).rejects.toThrow(reason);
    stranger.close();
  }
});

test('a connection lost during the commit is reported as an unknown outcome, which importing again settles', async () => {
  const server = await startTestServer();
  // The connection is cut once the exchange has committed the import.
  const { proxy, url } = await openProxy(server.url, async (forward, response) => {
    await forward();
    response.destroy();
  });
  const file = fileOf('lost.jsonl', [TAG, SERIES, EVENT]);
  const end = await runToEnd(['import', file, '--url', url]);
  expect([end.status, end.output]).toEqual([
    9,
    `The connection to the exchange at ${url} was lost (UND_ERR_SOCKET) while the import was being committed. Either all of ` +
      'it was imported or nothing: import the file again, which is refused if it was imported.\n',
  ]);
  await expect(importFile(file, await runningTarget(server.url, 'dev-admin'))).rejects.toThrow(
    /:3: the exchange already has an event match\n1 of 3 lines is invalid; nothing was imported\.$/,
  );
  proxy.close();
  await server.close();
});

test('a commit whose outcome the exchange does not know is reported so, with exit status 9', async () => {
  const server = await startTestServer();
  const { status, text: error, extra } = outageRefusal(new StorageUnavailable('the disk hangs', true)) ?? {};
  // A commit is answered as by an exchange whose disk hangs meanwhile.
  const { proxy, url } = await openProxy(server.url, async (_forward, response) => {
    response.writeHead(status ?? 0).end(JSON.stringify({ error, ...extra }));
  });
  const end = await runToEnd(['import', fileOf('undecided.jsonl', [TAG, SERIES, EVENT]), '--url', url]);
  expect([end.status, end.output]).toEqual([
    9,
    `The exchange at ${url} does not know whether the import was committed. Either all of it was imported or nothing: import ` +
      'the file again, which is refused if it was imported.\n',
  ]);
  proxy.close();
  await server.close();
});
