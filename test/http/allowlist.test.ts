// Who may read user data where there is an allowlist: which texts are networks, which addresses they contain, from which
// address a request behind proxies comes, and all of it once more through a real socket.
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientAddressOf } from '../../server/http/allowlist.ts';
import { endpoints } from '../../server/http/endpoints.ts';
import { canonicalAddress, isNetwork, networkSet } from '../../server/lib/networks.ts';
import { requestHead, sendRaw } from '../support/client.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const refused = { error: 'unauthorized: ip_not_allowlisted' };

describe('networks', () => {
  test.each([
    ['10.0.0.1', '10.0.0.1'],
    ['::1', '::1'],
    ['FD00:0:0:0::1', 'fd00::1'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['0000:0000:0000:0000:0000:ffff:7f00:0001', '127.0.0.1'],
    ['::FFFF:a00:1', '10.0.0.1'],
    ['::10.0.0.1', '::a00:1'],
  ])('%s is normalized to the address %s', (text, address) => expect(canonicalAddress(text)).toBe(address));

  test.each([
    '',
    'localhost',
    '10.0.0',
    '10.0.0.256',
    '010.0.0.1',
    '10.0.0.1/33',
    '10.0.0.1/',
    '10.0.0.1/08',
    '10.0.0.1/-1',
    '10.0.0.1/8/8',
    '10.0.0.1/255.0.0.0',
    '::1/129',
    ':::1',
    '[::1]',
    'fe80::1%eth0',
    '::ffff:10.0.0.1/95',
    ' 10.0.0.1',
    '10.0.0.1:80',
  ])('"%s" is not a valid network', (text) => expect(isNetwork(text)).toBe(false));

  test.each<readonly [string, readonly string[], readonly string[]]>([
    ['10.1.2.3', ['10.1.2.3', '::ffff:10.1.2.3'], ['10.1.2.4', '::10.1.2.3']],
    ['10.1.0.0/16', ['10.1.0.0', '10.1.255.255'], ['10.0.255.255', '10.2.0.0']],
    ['10.1.2.3/16', ['10.1.0.0', '10.1.255.255'], ['10.2.0.0']],
    ['10.1.2.3/31', ['10.1.2.2', '10.1.2.3'], ['10.1.2.1', '10.1.2.4']],
    ['0.0.0.0/0', ['1.2.3.4', '255.255.255.255', '::ffff:1.2.3.4'], ['::1', 'fd00::1']],
    ['::/0', ['::1', 'fd00::1'], ['1.2.3.4']],
    ['::1', ['::1', '0:0:0:0:0:0:0:1'], ['::2', '127.0.0.1']],
    ['fd00::/8', ['fd00::1', 'fdff:ffff::1'], ['fc00::1', 'fe00::1']],
    ['2001:db8::/33', ['2001:db8::1', '2001:db8:7fff::1'], ['2001:db8:8000::1']],
    ['::ffff:0.0.0.0/96', ['1.2.3.4', '255.255.255.255'], ['::1', 'fd00::1']],
    ['::ffff:10.0.0.0/104', ['10.255.0.1'], ['11.0.0.1']],
    ['::ffff:10.0.0.1', ['10.0.0.1', '::ffff:a00:1'], ['10.0.0.2']],
  ])('the network %s contains the addresses in its range and no others', (network, inside, outside) => {
    expect(isNetwork(network)).toBe(true);
    const holds = networkSet([network]);
    expect(inside.filter((address) => !holds(address))).toEqual([]);
    expect([...outside, '', 'unknown', '1.2.3'].filter(holds)).toEqual([]);
  });
});

describe('the client address of a request', () => {
  const isTrusted = networkSet(['10.0.0.0/8', '::1']);
  const from = (peer: string, ...forwarded: string[]): string => clientAddressOf(peer, () => forwarded, isTrusted);

  test('is the peer, whatever X-Forwarded-For contains, unless the peer is a trusted proxy', () => {
    expect(from('1.2.3.4', '5.6.7.8')).toBe('1.2.3.4');
    expect(from('10.0.0.1')).toBe('10.0.0.1');
    const unread = (): never => {
      throw new Error('the header of a stranger was read');
    };
    expect(clientAddressOf('1.2.3.4', unread, isTrusted)).toBe('1.2.3.4');
  });

  test('is the last forwarded address that is not a trusted proxy', () => {
    expect(from('10.0.0.1', '5.6.7.8')).toBe('5.6.7.8');
    expect(from('::1', '9.9.9.9', '5.6.7.8')).toBe('5.6.7.8');
    expect(from('::ffff:10.0.0.1', '9.9.9.9', '5.6.7.8', '10.0.0.3', '10.0.0.2')).toBe('5.6.7.8');
    expect(from('10.0.0.1', '9.9.9.9', 'unknown', '10.0.0.2')).toBe('unknown');
  });

  test('is the farthest proxy if all forwarded addresses are trusted', () => {
    expect(from('10.0.0.1', '10.0.0.3', '10.0.0.2')).toBe('10.0.0.3');
  });
});

describe('through a socket', () => {
  let server: TestServer;
  let open: TestServer;
  beforeAll(async () => {
    const config = {
      ipAllowlist: ['5.0.0.0/8', 'fd00::/8', '::ffff:6.6.6.6'],
      trustedProxies: ['127.0.0.1', '10.1.1.1'],
    };
    server = await startTestServer({ config });
    open = await startTestServer({ config: { ipAllowlist: ['127.0.0.0/8'] } });
  });
  afterAll(async () => {
    await server.close();
    await open.close();
  });

  async function ask(to: TestServer, path: string, ...lines: string[]): Promise<number> {
    const [{ status, body }] = await sendRaw(to.port, [requestHead(`GET ${path}`, ...lines)]);
    if (status === 401) expect(JSON.parse(body)).toEqual(refused);
    return status;
  }
  const forwarded = (...lines: string[]) => ask(server, '/oi', ...lines.map((line) => `X-Forwarded-For: ${line}`));

  test('the allowlist checks the peer, and ignores X-Forwarded-For from an untrusted one', async () => {
    expect(await ask(server, '/oi')).toBe(401);
    expect(await ask(open, '/oi')).toBe(200);
    expect(await ask(open, '/oi', 'X-Forwarded-For: 9.9.9.9')).toBe(200);
  });

  test.each<readonly [number, readonly string[]]>([
    [200, ['5.6.7.8']],
    [200, ['9.9.9.9, 5.6.7.8']],
    [200, ['5.6.7.8, 10.1.1.1']],
    [200, ['fd00::1']],
    [200, ['FD00:0::1']],
    [200, ['6.6.6.6']],
    [200, ['::ffff:5.1.1.1']],
    [200, ['5.6.7.8:1234']],
    [200, ['5.6.7.8:65535']],
    [200, ['[fd00::1]:1234']],
    [401, ['5.6.7.8, 9.9.9.9']],
    [401, ['5.6.7.8, unknown']],
    [401, ['5.6.7.8,']],
    [401, ['']],
    [401, ['unknown']],
    [401, ['5.6.7']],
    [401, ['fe80::1']],
    [401, ['10.1.1.1']],
    // When a proxy adds a line of its own, the client's line does not count in its place.
    [401, ['5.6.7.8', '9.9.9.9']],
    [200, ['9.9.9.9', '5.6.7.8']],
    [200, ['5.6.7.8', '10.1.1.1']],
  ])('%i for X-Forwarded-For %j', async (status, lines) => expect(await forwarded(...lines)).toBe(status));

  test('the allowlist guards all user data at / and /data-api, for GET and HEAD, and nothing else', async () => {
    const guarded = endpoints.filter(({ isAllowlisted }) => isAllowlisted).map(({ path }) => path);
    const names = [
      'trades',
      'positions',
      'closed-positions',
      'activity',
      'holders',
      'value',
      'traded',
      'oi',
      'live-volume',
    ];
    expect(guarded).toEqual([...names.map((name) => `/${name}`), ...names.map((name) => `/data-api/${name}`)]);
    // Also before anything of the request is read.
    for (const path of guarded) expect(await ask(server, `${path}?no=1`), path).toBe(401);
    const [head] = await sendRaw(server.port, [requestHead('HEAD /oi')]);
    expect(head.status).toBe(401);
    for (const path of ['/', '/data-api/', '/time', '/markets']) expect(await ask(server, path), path).toBe(200);
  });

  test('the allowlist distinguishes IPv4 and IPv6 clients of one server', async () => {
    const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    if (!addresses.some(({ address }) => address === '::1')) {
      console.info('This machine has no IPv6, so that no server can listen on both.');
      return;
    }
    const hosts = { '127.0.0.1': '127.0.0.1', '::1': '[::1]' };
    for (const listed of ['127.0.0.1', '::1']) {
      const dual = await startTestServer({ config: { host: '::', ipAllowlist: [listed] } });
      for (const [address, host] of Object.entries(hosts)) {
        const { status } = await fetch(`http://${host}:${dual.port}/oi`);
        expect(status, `${address} where ${listed} is listed`).toBe(address === listed ? 200 : 401);
      }
      await dual.close();
    }
  });
});
