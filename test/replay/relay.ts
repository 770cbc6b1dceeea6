// A relay between a replay and its exchange, which passes on every request and may change the reply: it simulates an
// exchange that loses replies or shows wrong books. Used by the tests of the replay.
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A reply on its way back. */
interface Answer {
  readonly status: number;
  readonly body: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Relay {
  readonly url: string;
  close(): void;
}

const bodyOf = async (message: IncomingMessage): Promise<Buffer> => Buffer.concat(await message.toArray());

/** @param change returns the reply to send in place of the exchange's, for a path with its query */
export async function startRelay(to: string, change: (path: string, answer: Answer) => Answer): Promise<Relay> {
  const forward = async (request: IncomingMessage): Promise<Answer> => {
    const { method, url, headers } = request;
    const body = await bodyOf(request);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      httpRequest(new URL(url ?? '/', to), { method, headers }, resolve)
        .on('error', reject)
        .end(body);
    });
    return { status: answer.statusCode ?? 0, body: await bodyOf(answer) };
  };
  const server = createServer((request, response) => {
    forward(request).then((answer) => {
      const { status, body, headers = {} } = change(request.url ?? '', answer);
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }; // it listens on a port
}
