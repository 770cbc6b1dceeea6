// The shared parts of the tests of operators' requests: a whole server in this process, requests with the admin token, and
// new markets. Used by tests of this folder; conservation is checked when the server closes.
import { expect } from 'vitest';
import { ADMIN, type JsonReply, send } from '../support/client.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

export let server: TestServer;
let marketCount = 0;

export async function openOperatorWorld(): Promise<void> {
  server = await startTestServer();
}

export async function closeOperatorWorld(): Promise<void> {
  server.exchange.checkInvariants();
  await server.close();
}

export const admin = (path: string, body: unknown, method = 'POST'): Promise<JsonReply> =>
  send(server.url, method, path, body, ADMIN);

export async function accepted(reply: Promise<JsonReply>): Promise<JsonReply['json']> {
  const { status, json } = await reply;
  expect(status, JSON.stringify(json)).toBe(200);
  return json;
}

/** Creates a market and returns its record as the operator sees it. */
export function newMarket(terms: object = {}): Promise<JsonReply['json']> {
  marketCount += 1;
  return accepted(admin('/admin/markets', { question: `Is this market ${marketCount}?`, ...terms }));
}
