// An exchange for which the system opens no further files, as when sockets have used up all that a process may have: every
// request over existing connections is answered, and none ends the exchange. The limit is set from outside with prlimit.
import { spawnSync } from 'node:child_process';
import { Agent, get } from 'node:http';
import { expect, test } from 'vitest';
import { endpoints } from '../../server/http/endpoints.ts';
import { inTempDir } from '../journal/support.ts';
import { startServerProcess } from '../support/process.ts';
import { canRehearse } from '../support/rehearsal.ts';

/** The status of a path, over the one connection that the agent keeps. */
const statusOf = (agent: Agent, url: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    get(url, { agent }, (response) => response.resume().on('end', () => resolve(response.statusCode))).on(
      'error',
      reject,
    );
  });

/** Paths of GET, and files of the page of /docs. */
function paths(): readonly string[] {
  const plain = endpoints.filter(({ method, path }) => method === 'GET' && !path.includes('{')).map(({ path }) => path);
  const files = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png', 'contrast.css', 'start.js', 'none'];
  return [...plain, ...files.map((name) => `/docs/${name}`), '/public-search?q=a'];
}

test('a server that cannot open any more files still answers GET requests', async () => {
  if (!canRehearse('the limit of open files')) return;
  await inTempDir(async (dataDir) => {
    const server = await startServerProcess({ dataDir });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      expect(await statusOf(agent, `${server.url}/ok`)).toBe(200);
      const { stderr } = spawnSync('prlimit', [`--pid=${server.pid}`, '--nofile=3:'], { encoding: 'utf8' });
      expect(stderr).toBe('');
      for (const path of paths()) expect(await statusOf(agent, server.url + path), path).toBeDefined();
      for (const path of ['/ok', '/metrics']) expect(await statusOf(agent, server.url + path), path).toBe(200);
    } finally {
      agent.destroy();
      await server.stop();
    }
  });
});
