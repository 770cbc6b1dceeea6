// The sentence for each invalid value of a setting, and what a venue must configure of its chain, token and contracts so
// that nothing signed for it is valid on the live one too. Nothing is started here.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resolveConfig } from '../../server/config/config.ts';
import { folder, makeFolder, refusal, removeFolder, withFile } from './configFolder.ts';

beforeAll(makeFolder);
afterAll(removeFolder);

describe('invalid values', () => {
  test.each([
    [{ port: '70000' }, '--port must be a whole number from 0 to 65535; it is 70000.'],
    [{ port: 'http' }, '--port must be a whole number from 0 to 65535; it is "http".'],
    [{ host: 'a b' }, '--host must be a host name or an IP address; it is "a b".'],
    [{ logLevel: 'loud' }, '--log-level must be one of trace, debug, info, warn, error, silent; it is "loud".'],
    [{ orderWindow: '24' }, '--order-window must be a duration in s, m, h or d, such as 24h; it is "24".'],
    [{ orderWindow: '9999999d' }, '--order-window must be at most 3650d; it is "9999999d".'],
    [{ minedDelay: '3651d' }, '--mined-delay must be at most 3650d; it is "3651d".'],
    [{ wsHeartbeat: '61m' }, '--ws-heartbeat must be at most 1h; it is "61m".'],
    [{ snapshotEvery: '999' }, '--snapshot-every must be 0 or a whole number of at least 1000; it is 999.'],
    [{ dataDir: '' }, '--data-dir must name a folder; it is "".'],
    [{ chain: '0' }, '--chain must be a whole number from 1 to 9007199254740991; it is 0.'],
    [{ seed: '-1' }, '--seed must be a whole number from 0 to 9007199254740991; it is "-1".'],
    [
      { seed: '9999999999999999' },
      '--seed must be a whole number from 0 to 9007199254740991; it is "9999999999999999".',
    ],
    [
      { wsConnectionsPerIp: '1000001' },
      '--ws-connections-per-ip must be a whole number from 1 to 1000000; it is 1000001.',
    ],
    [{ allowHost: ['a', 'b c'] }, '--allow-host, entry 2, must be a host name or an IP address; it is "b c".'],
  ])('%o', (flags, sentence) => {
    expect(refusal(() => resolveConfig('development', flags, {}, folder))).toBe(sentence);
  });

  test.each([
    ['{"prot": 1}', /prot is not a setting\. Did you mean port\?$/],
    ['{"zzzzzzzz": 1}', /zzzzzzzz is not a setting\. Known settings: port, host,/],
    ['{"port": "1"}', /: port must be a whole number from 0 to 65535; it is "1"\.$/],
    ['{"contracts": {"exchang": "0x"}}', /contracts\.exchang is not a setting\. Did you mean exchange\?$/],
    ['{"contracts": {"exchange": "0x"}}', /contracts\.exchange must be 0x and 40 hex digits; it is "0x"\.$/],
    ['{"contracts": []}', /: contracts must be an object; it is \[\]\.$/],
    ['{"host": 5}', /: host must be a host name or an IP address; it is 5\.$/],
    ['{"dataDir": null}', /: dataDir must be text; it is null\.$/],
    ['{"allowHost": "a"}', /: allowHost must be a list of host names; it is "a"\.$/],
    ['{"allowHost": ["a", 7]}', /: allowHost, entry 2, must be a host name or an IP address; it is 7\.$/],
    ['{"rates": {"GET /boook": "5/10s"}}', /rates\.GET \/boook is not a setting\. Did you mean GET \/book\?$/],
    ['{"rates": {"GET /book": "5"}}', /rates\.GET \/book must be requests and time, such as 200\/10s/],
    [
      '{"rates": {"GET /book": "1000001/1s"}}',
      / \(1 to 4 of them, of up to 1000000 requests in up to 1h\); it is "1000001\/1s"\.$/,
    ],
    [
      '{"chain": 5, "contracts": {"exchange": "0x1111111111111111111111111111111111111111"}}',
      /^Chain 5 needs addresses for negRiskExchange, .*, negRiskAdapter: .* Set contracts in the configuration file\.$/,
    ],
    ['{"rates": {"GET /book": 5}}', /rates\.GET \/book must be requests and time, such as 200\/10s/],
    ['{', /is not JSON: it ends prematurely\.$/],
    ['', /is not JSON: it ends prematurely\.$/],
    ['{"port": 1,\n "seed": 1x}', /is not JSON: line 2, column 11\.$/],
    ['{"port": 1,\n "house": busy}', /is not JSON: line 2, column 11\.$/],
    ['{"allowHost": [\n"a",\n ]}', /is not JSON: line 3, column 2\.$/],
    ['{"port": }', /is not JSON: line 1, column 10\.$/],
    ['[]', /must hold one JSON object/],
    ['{"port": 1,\n "seed": 2, "p\\u006frt": 3}', / contains port twice: line 2, column 13\.$/],
    [
      '{"rates": {"GET /book": "5/10s", "GET /price": "5/10s", "GET /book": "6/10s"}}',
      / contains rates\.GET \/book twice: line 1, column 57\.$/,
    ],
    ['{"allowHost": ["a"], "port": 1, "allowHost": ["b"]}', / contains allowHost twice: line 1, column 33\.$/],
    ['{"port": "\\"", "port": 1}', / contains port twice: line 1, column 16\.$/],
    ['{"contracts": [{"a": 1, "b": 2}, {"a": 1}, "a", "a"]}', /: contracts must be an object/],
  ])('the file %s', (content, sentence) => {
    withFile(content, (own) => {
      expect(refusal(() => resolveConfig('development', {}, {}, own))).toMatch(sentence);
    });
  });

  test('an unknown or unsupported OUTCRY_ variable is rejected, other variables are ignored', () => {
    expect(refusal(() => resolveConfig('development', {}, { OUTCRY_PROT: '1' }, folder))).toBe(
      'The variable OUTCRY_PROT is not a setting. Did you mean OUTCRY_PORT?',
    );
    for (const key of ['contracts', 'wallets', 'rates']) {
      const variable = `OUTCRY_${key.toUpperCase()}`;
      expect(refusal(() => resolveConfig('development', {}, { [variable]: '{}' }, folder))).toBe(
        `${variable} is not supported: ${key} can only be set in the configuration file.`,
      );
    }
    resolveConfig('development', {}, { OUTCRY_SECRET: 'x', OUTCRY_RECORDED_DATA: 'y', HOME: 'z' }, folder);
  });
});

describe('protection against replay of signatures on the live venue', () => {
  const stock = /refuses chain 137: orders signed for its stock contracts, and the signatures that create API keys/;

  test('development on an address that other machines can reach needs --chain, and rejects 137', () => {
    const base = { host: '0.0.0.0', adminToken: 'x'.repeat(16) };
    const config = (flags: object) => resolveConfig('development', { ...base, ...flags }, {}, folder);
    expect(refusal(() => config({}))).toMatch(/^--host 0\.0\.0\.0, which other machines can reach, needs --chain/);
    expect(refusal(() => config({ chain: '137' }))).toMatch(stock);
    expect(config({ chain: '80002' }).contracts.chainId).toBe(80_002);
    expect(config({ chain: '137', iKnowSignaturesAreReplayable: true }).contracts.chainId).toBe(137);
  });

  test('development on an address that other machines can reach needs its own admin token', () => {
    const config = (flags: object) =>
      resolveConfig('development', { host: '0.0.0.0', chain: '80002', ...flags }, {}, folder);
    expect(refusal(() => config({}))).toMatch(
      /^start on 0\.0\.0\.0, which other machines can reach, needs an admin token/,
    );
    expect(refusal(() => config({ adminToken: 'dev-admin' }))).toMatch(/has 9 characters; it needs at least 16/);
    expect(resolveConfig('development', {}, {}, folder).adminToken).toBe('dev-admin');
  });

  test('serve needs --chain on any address, rejects 137, and needs an admin token', () => {
    const config = (flags: object) => resolveConfig('production', { adminToken: 'x'.repeat(16), ...flags }, {}, folder);
    expect(refusal(() => config({}))).toMatch(/^serve needs --chain/);
    expect(refusal(() => config({ chain: '137' }))).toMatch(stock);
    expect(config({ chain: '80002' })).toMatchObject({ mode: 'production', isThrottled: true, house: 'none' });
    expect(config({ chain: '80002' }).engine.creditMicro).toBe(0);
    expect(refusal(() => config({ chain: '80002', adminToken: undefined }))).toBe(
      'serve needs an admin token: set OUTCRY_ADMIN_TOKEN, for example to the output of "openssl rand -hex 32".',
    );
    expect(refusal(() => config({ chain: '80002', adminToken: 'short' }))).toMatch(
      /has 5 characters; it needs at least 16/,
    );
  });

  test('custom contracts do not make 137 safe: the signature that creates an API key names the chain alone', () => {
    const own = { exchange: `0x${'1'.repeat(40)}`, negRiskExchange: `0x${'2'.repeat(40)}` };
    withFile(JSON.stringify({ contracts: own, chain: 137, adminToken: 'x'.repeat(20) }), (folderOfFile) => {
      expect(refusal(() => resolveConfig('production', {}, {}, folderOfFile))).toMatch(stock);
      const flags = { iKnowSignaturesAreReplayable: true };
      expect(resolveConfig('production', flags, {}, folderOfFile).contracts).toMatchObject({ chainId: 137, ...own });
      expect(resolveConfig('development', {}, {}, folderOfFile).contracts).toMatchObject({ chainId: 137, ...own });
    });
  });

  test('a chain without stock contracts needs all addresses', () => {
    expect(refusal(() => resolveConfig('development', { chain: '5' }, {}, folder))).toMatch(
      /Chain 5 needs addresses for exchange, negRiskExchange, collateral, /,
    );
  });
});
