// Where settings come from, which source wins, and the refusal of a source that cannot be read. Nothing is started here:
// configuration is a function of flags, variables and a file.
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addOptions, givenFlags } from '../../server/cli.ts';
import { isLoopback, resolveAdminToken, resolveConfig, resolveToolConfig } from '../../server/config/config.ts';
import { readJsonFile } from '../../server/config/jsonFile.ts';
import { editDistance, nearestWord } from '../../server/config/nearest.ts';
import { CONFIG_FILE, optionTable, readSettings } from '../../server/config/settings.ts';
import { folder, makeFolder, refusal, removeFolder, withFile } from './configFolder.ts';

beforeAll(makeFolder);
afterAll(removeFolder);

test('development on a loopback address needs no settings', () => {
  const config = resolveConfig('development', {}, {}, folder);
  expect(config).toMatchObject({ host: '127.0.0.1', port: 8080, dataDir: '.outcry', adminToken: 'dev-admin' });
  expect(config).toMatchObject({ house: 'calm', isThrottled: false, logLevel: 'warn', acceptClock: false });
  expect(config).toMatchObject({ isJson: false, isQuiet: false, ipAllowlist: undefined, trustedProxies: [] });
  expect(config.contracts.chainId).toBe(137);
  expect(config.engine).toMatchObject({ orderWindowMs: 86_400_000, creditMicro: 10_000_000_000 });
});

test('every setting takes effect in the part of the configuration that it names', () => {
  const [address, hash] = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(64)}`];
  const given = {
    host: '[::1]',
    rates: { keys: '5/1m' },
    wallets: { safeFactory: address, proxyInitCodeHash: hash },
    contracts: { negRiskExchange: address },
    snapshotEvery: 1_000,
    orderWindow: '1h',
    minedDelay: '1s',
    confirmedDelay: '2s',
    wsConnectionsPerIp: 7,
    wsHeartbeat: '3s',
    metricsToken: 'short',
  };
  withFile(JSON.stringify(given), (own) => {
    const config = resolveConfig('development', {}, {}, own);
    const [plain, keys] = [resolveConfig('development', {}, {}, folder), [{ requestsMax: 5, windowMs: 60_000 }]];
    expect(config).toEqual({
      ...plain,
      host: '::1',
      rates: { ...plain.rates, keys },
      walletConstants: { ...plain.walletConstants, safeFactory: address, proxyInitCodeHash: hash },
      contracts: { ...plain.contracts, negRiskExchange: address },
      snapshotEvery: 1_000,
      engine: { ...plain.engine, orderWindowMs: 3_600_000, minedDelayMs: 1_000, confirmedDelayMs: 2_000 },
      streams: { ...plain.streams, connectionsPerIpMax: 7, heartbeatMs: 3_000 },
      metricsToken: 'short',
    });
  });
});

test('flags win over variables, OUTCRY_PORT over PORT, variables over the file', () => {
  withFile('{"port": 1, "seed": 1, "logLevel": "info", "allowHost": ["a"]}', (own) => {
    const port = (flags: object, env: object): number =>
      resolveConfig('development', { ...flags }, { ...env }, own).port;
    expect(port({}, {})).toBe(1);
    expect(port({}, { PORT: '' })).toBe(1);
    expect(port({}, { PORT: '2' })).toBe(2);
    expect(port({}, { PORT: '2', OUTCRY_PORT: '3' })).toBe(3);
    expect(port({ port: '4' }, { PORT: '2', OUTCRY_PORT: '3' })).toBe(4);
    const config = resolveConfig('development', { allowHost: ['b', 'c'] }, { OUTCRY_LOG_LEVEL: 'error' }, own);
    expect(config).toMatchObject({ seed: 1, logLevel: 'error', allowHosts: ['b', 'c'] });
  });
});

/**
 * For each setting of flags and variables: a value in the file, one of the variable and one of the flag, each as written there.
 */
const SAMPLES: Readonly<Record<string, readonly [unknown, string, string | boolean | readonly string[]]>> = {
  port: [1, '2', '3'],
  host: ['127.0.0.2', '127.0.0.3', 'localhost'],
  allowHost: [['a'], 'b,c', ['d', 'e,f']],
  ipAllowlist: [['10.0.0.1'], '10.0.0.2, ::1', ['10.0.0.3']],
  trustedProxies: [['10.0.0.1'], '10.0.0.2', ['10.0.0.3,::1', 'fd00::/8']],
  dataDir: ['a', 'b', 'c'],
  chain: [137, '80002', '137'],
  seed: [0, '2', '9007199254740991'],
  house: ['busy', 'none', 'calm'],
  throttle: [true, 'false', true],
  logLevel: ['trace', 'debug', 'silent'],
  json: [true, '0', true],
  quiet: [true, 'false', true],
  acceptClock: [true, '0', true],
  snapshotEvery: [1_000, '0', '2000'],
  orderWindow: ['1s', '2m', '3650d'],
  minedDelay: ['1s', '20ms', '0'],
  confirmedDelay: ['1d', '0', '3h'],
  wsConnectionsPerIp: [1, '2', '1000000'],
  wsHeartbeat: ['1s', '250ms', '1h'],
  adminToken: ['a', 'b', 'c'],
  metricsToken: ['a', 'b', 'c'],
  iKnowSignaturesAreReplayable: [true, '0', true],
};

/** A setting's value as the file would write it. */
const inFile = (key: string, value: unknown): unknown => {
  if (['port', 'chain', 'seed', 'snapshotEvery', 'wsConnectionsPerIp'].includes(key)) return Number(value);
  if (value === 'false' || value === '0') return ['minedDelay', 'confirmedDelay'].includes(key) ? value : false;
  if (['allowHost', 'ipAllowlist', 'trustedProxies'].includes(key)) return String(value).split(/, ?/);
  return value;
};

test.each(optionTable.map(({ key, variable }) => [key, variable] as const))(
  '%s is read from the file, the variable %s and its flag, in ascending precedence',
  (key, variable) => {
    const [ofFile, ofVariable, ofFlag] = SAMPLES[key] ?? [];
    withFile(JSON.stringify({ [key]: ofFile }), (own) => {
      const [env, flags] = [{ [variable]: ofVariable }, { [key]: ofFlag }];
      const none = { [variable]: '' };
      expect(readSettings({}, {}, own).settings).toEqual({ [key]: ofFile });
      expect(readSettings({}, none, own).settings).toEqual({ [key]: ofFile });
      expect(readSettings({}, env, own).settings).toEqual({ [key]: inFile(key, ofVariable) });
      expect(readSettings(flags, env, own).settings).toEqual({ [key]: inFile(key, ofFlag) });
      expect(readSettings(flags, {}, folder).settings).toEqual({ [key]: inFile(key, ofFlag) });
    });
  },
);

test('a file named by --config or OUTCRY_CONFIG replaces the default one and must exist', () => {
  const path = join(folder, 'named.json');
  writeFileSync(path, '{"seed": 9, "throttle": true, "house": false, "orderWindow": "90m"}');
  const config = resolveConfig('development', { config: path }, {}, folder);
  expect(config).toMatchObject({ seed: 9, isThrottled: true, house: 'none' });
  expect(config.engine.orderWindowMs).toBe(5_400_000);
  expect(resolveConfig('development', {}, { OUTCRY_CONFIG: path }, folder).seed).toBe(9);
  expect(refusal(() => resolveConfig('development', { config: 'nowhere.json' }, {}, folder))).toBe(
    'The configuration file nowhere.json does not exist.',
  );
  expect(refusal(() => resolveConfig('development', { config: folder }, {}, folder))).toBe(
    `The configuration file ${folder} is a folder.`,
  );
  expect(refusal(() => resolveConfig('development', { config: '' }, {}, folder))).toBe(
    '--config must name a file; omit it to use outcry.config.json, if it exists.',
  );
  expect(resolveConfig('development', {}, { OUTCRY_CONFIG: '' }, folder).seed).toBe(1);
});

test('an oversized or non-UTF-8 configuration file and a dangling link are rejected with the cause', () => {
  const path = join(folder, 'odd.json');
  const of = (content: string | Buffer) => {
    writeFileSync(path, content);
    return refusal(() => resolveConfig('development', { config: path }, {}, folder));
  };
  expect(of(' '.repeat(1_048_577))).toBe(`The configuration file ${path} is larger than 1048576 bytes.`);
  expect(refusal(() => readJsonFile('/dev/zero'))).toMatch(/is larger than 1048576 bytes\.$/);
  for (const bytes of [Buffer.from('{"dataDir": "caf\xe9"}', 'latin1'), Buffer.from('\ufeff{"port": 1}', 'utf16le')]) {
    expect(of(bytes)).toBe(`The configuration file ${path} is not UTF-8 text.`);
  }
  writeFileSync(path, '\ufeff{"seed": 5}'.padEnd(1_048_574)); // as many bytes as are allowed
  expect(resolveConfig('development', { config: path }, {}, folder).seed).toBe(5);
  const own = mkdtempSync(join(folder, 'link-'));
  symlinkSync('nowhere.json', join(own, CONFIG_FILE));
  expect(refusal(() => resolveConfig('development', {}, {}, own))).toBe(
    `The configuration file ${join(own, CONFIG_FILE)} is a link to a file that does not exist.`,
  );
  expect(refusal(() => resolveConfig('development', {}, {}, path))).toBe(
    `The configuration file ${join(path, CONFIG_FILE)} does not exist: a folder of its path is a file.`,
  );
});

test('errors shorten long or deeply nested values and escape control characters', () => {
  const of = (content: string) => {
    let sentence = '';
    withFile(content, (own) => {
      sentence = refusal(() => resolveConfig('development', {}, {}, own));
    });
    return sentence;
  };
  const form = /: host must be a host name or an IP address; it is /;
  expect(of(JSON.stringify({ host: 'a'.repeat(1_000) })).split(form)[1]).toBe(
    `"${'a'.repeat(199)}… (1002 characters).`,
  );
  expect(of(`{"host": ${'['.repeat(200_000)}${']'.repeat(200_000)}}`).split(form)[1]).toBe(
    'nested too deeply to show.',
  );
  expect(of('{"dataDir": "a\\u0000b"}')).toMatch(/: dataDir must name a folder; it is "a\\u0000b"\.$/);
});

test('a setting that serve rejects is named by its flag, its variable or its key in the file', () => {
  const venue = { OUTCRY_CHAIN: '80002', OUTCRY_ADMIN_TOKEN: 'a-token-of-sixteen' };
  const of = (flags: object, env: object, own = folder) =>
    refusal(() => resolveConfig('production', { ...flags }, { ...venue, ...env }, own));
  const house = (source: string) => `serve has no house liquidity: leave ${source} out.`;
  expect(of({}, { OUTCRY_HOUSE: 'calm' })).toBe(house('OUTCRY_HOUSE'));
  const short = (source: string) => `${source} has 5 characters; it needs at least 16.`;
  expect(of({}, { OUTCRY_ADMIN_TOKEN: 'short' })).toBe(short('OUTCRY_ADMIN_TOKEN'));
  expect(of({ adminToken: 'short' }, {})).toBe(short('--admin-token'));
  expect(of({}, { OUTCRY_METRICS_TOKEN: 'short' })).toBe(short('OUTCRY_METRICS_TOKEN'));
  withFile('{"house": "busy"}', (own) => expect(of({}, {}, own)).toBe(house(`house in ${join(own, CONFIG_FILE)}`)));
  withFile('{"metricsToken": "short"}', (own) =>
    expect(of({}, {}, own)).toBe(short(`metricsToken in ${join(own, CONFIG_FILE)}`)),
  );
  withFile('{"metricsToken": "short"}', (own) =>
    expect(of({ config: join(own, CONFIG_FILE) }, {})).toBe(short(`metricsToken in ${join(own, CONFIG_FILE)}`)),
  );
});

test('the value of a rejected token is never shown, wherever it was set', () => {
  const secret = 'pass word';
  const form = 'must be 1 to 512 visible ASCII characters without spaces; its value is secret and not shown.';
  for (const [key, flag] of [
    ['adminToken', '--admin-token'],
    ['metricsToken', '--metrics-token'],
  ]) {
    const variable = `OUTCRY_${flag.slice(2).replace('-', '_').toUpperCase()}`;
    const of = (flags: object, env: object, own = folder) =>
      refusal(() => resolveConfig('development', { ...flags }, { ...env }, own));
    expect(of({ [key]: secret }, {})).toBe(`${flag} ${form}`);
    expect(of({}, { [variable]: secret })).toBe(`${variable} ${form}`);
    for (const value of [secret, [secret], { secret }, 48_151_623]) {
      withFile(JSON.stringify({ [key]: value }), (own) => {
        expect(of({}, {}, own)).toBe(`${join(own, CONFIG_FILE)}: ${key} ${form}`);
      });
    }
    for (const content of [`{"${key}": ${secret}}`, `{"port": 1, "${key}": '${secret}'}`, `{"${key}": "${secret}`]) {
      withFile(content, (own) => expect(of({}, {}, own)).not.toMatch(/pass|word/));
    }
  }
});

test('flags absent from the command line have no value, not even negatable ones such as --no-house', () => {
  const flagsOf = (...args: string[]) => givenFlags(addOptions(new Command()).parse(args, { from: 'user' }));
  expect(flagsOf()).toEqual({});
  expect(flagsOf('--no-house', '--port', '1')).toEqual({ house: false, port: '1' });
  expect(flagsOf('--house', 'busy')).toEqual({ house: 'busy' });
  expect([flagsOf('--throttle'), flagsOf('--no-throttle')]).toEqual([{ throttle: true }, { throttle: false }]);
  expect(flagsOf('--allow-host', 'a', '--allow-host', 'b')).toEqual({ allowHost: ['a', 'b'] });
});

test('commands that start no exchange accept a venue configuration without the checks of a start', () => {
  withFile('{"host": "0.0.0.0", "chain": 80002, "dataDir": "venue", "house": "none"}', (own) => {
    expect(resolveToolConfig({}, {}, own)).toMatchObject({ dataDir: 'venue', contracts: { chainId: 80_002 } });
    expect(refusal(() => resolveToolConfig({ json: 'x' }, {}, own))).toBe('--json must be true or false; it is "x".');
  });
  withFile('{"host": "0.0.0.0", "adminToken": "of-the-file"}', (own) => {
    const of = (flags: object, env: object) => resolveAdminToken({ ...flags }, { ...env }, own);
    expect([of({}, {}), of({}, { OUTCRY_ADMIN_TOKEN: 'a' })]).toEqual(['of-the-file', 'a']);
    expect(of({ adminToken: 'b' }, { OUTCRY_ADMIN_TOKEN: 'a' })).toBe('b');
    expect(refusal(() => of({ adminToken: 'b\n' }, {}))).toMatch(/^--admin-token must be 1 to 512 visible ASCII/);
  });
  expect(resolveAdminToken({}, {}, folder)).toBe('dev-admin');
});

test('a metrics token is optional; serve or a reachable address requires at least 16 characters', () => {
  const of = (mode: 'development' | 'production', flags: object): string | undefined =>
    resolveConfig(mode, { chain: '80002', adminToken: 'x'.repeat(16), ...flags }, {}, folder).metricsToken;
  expect(of('production', {})).toBeUndefined();
  expect(of('production', { metricsToken: 'y'.repeat(16) })).toBe('y'.repeat(16));
  expect(of('development', { metricsToken: 'short' })).toBe('short');
  const sentence = '--metrics-token has 5 characters; it needs at least 16.';
  expect(refusal(() => of('production', { metricsToken: 'short' }))).toBe(sentence);
  expect(refusal(() => of('development', { host: '0.0.0.0', metricsToken: 'short' }))).toBe(sentence);
});

test('a boolean variable accepts true, false, 1 and 0, and rejects other values', () => {
  const of = (text: string): boolean => resolveConfig('development', {}, { OUTCRY_JSON: text }, folder).isJson;
  expect([of('false'), of('0'), of('TRUE'), of('1')]).toEqual([false, false, true, true]);
  for (const text of ['perhaps', 'constructor']) {
    expect(refusal(() => of(text))).toBe(`OUTCRY_JSON must be true or false; it is "${text}".`);
  }
});

test('house defaults to calm in development, can be changed or disabled, and must be none for serve', () => {
  const of = (flags: object, env: object = {}) => resolveConfig('development', { ...flags }, { ...env }, folder).house;
  const flags = [{}, { house: 'busy' }, { house: 'none' }, { house: false }].map((given) => of(given));
  expect(flags).toEqual(['calm', 'busy', 'none', 'none']);
  const variables = ['busy', '0', 'TRUE'].map((text) => of({}, { OUTCRY_HOUSE: text }));
  expect(variables).toEqual(['busy', 'none', 'calm']);
  expect(refusal(() => of({ house: 'wild' }))).toBe('--house must be none, calm, busy, true or false; it is "wild".');
  const venue = { chain: '80002', adminToken: 'a-token-of-sixteen' };
  const serve = (house: string) => resolveConfig('production', { ...venue, house }, {}, folder).house;
  expect(serve('none')).toBe('none');
  expect(refusal(() => serve('calm'))).toBe('serve has no house liquidity: leave --house out.');
});

test('a delay in the file can be the number 0, but no other number', () => {
  withFile('{"minedDelay": 0, "confirmedDelay": 0}', (folderOfFile) => {
    const { engine } = resolveConfig('development', {}, {}, folderOfFile);
    expect([engine.minedDelayMs, engine.confirmedDelayMs]).toEqual([0, 0]);
  });
  withFile('{"minedDelay": 2}', (folderOfFile) => {
    expect(refusal(() => resolveConfig('development', {}, {}, folderOfFile))).toMatch(/such as 2s; it is 2\.$/);
  });
});

test('loopback addresses are distinguished from others', () => {
  expect(['localhost', '127.0.0.1', '127.1.2.3', '::1', '[::1]'].every(isLoopback)).toBe(true);
  expect(['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.example', 'example'].some(isLoopback)).toBe(false);
});

test('the nearest word is a similar one, or undefined if none is similar', () => {
  expect(editDistance('kitten', 'sitting')).toBe(3);
  expect(nearestWord('datadir', ['dataDir', 'port'])).toBe('dataDir');
  expect(nearestWord('zzz', ['dataDir', 'port'])).toBeUndefined();
  // a third of the letters may differ
  expect(nearestWord('abcdefghi', ['abcdefxyz'])).toBe('abcdefxyz');
  expect(nearestWord('abcdefghi', ['abcdewxyz'])).toBeUndefined();
});

test('lists of addresses and networks are validated, whether from flags, variables or the file', () => {
  const of = (flags: object, env: object = {}) => resolveConfig('development', { ...flags }, { ...env }, folder);
  expect(of({})).toMatchObject({ ipAllowlist: undefined, trustedProxies: [] });
  const given = of({ ipAllowlist: ['10.0.0.0/8,::1', 'fd00::/8'] }, { OUTCRY_TRUSTED_PROXIES: '127.0.0.1, ::1' });
  expect(given).toMatchObject({ ipAllowlist: ['10.0.0.0/8', '::1', 'fd00::/8'], trustedProxies: ['127.0.0.1', '::1'] });
  const sentence = 'must be an IP address, or a network such as 10.0.0.0/8 or fd00::/8';
  expect(refusal(() => of({ ipAllowlist: ['10.0.0.0/8', 'home'] }))).toBe(
    `--ip-allowlist, entry 2, ${sentence}; it is "home".`,
  );
  expect(refusal(() => of({}, { OUTCRY_IP_ALLOWLIST: '10.0.0.0/33' }))).toMatch(sentence);
  withFile('{"trustedProxies": ["proxy.local"]}', (own) => {
    expect(refusal(() => resolveConfig('development', {}, {}, own))).toMatch(sentence);
  });
  withFile('{"ipAllowlist": []}', (own) => {
    expect(refusal(() => resolveConfig('development', {}, {}, own))).toMatch(
      /ipAllowlist must name at least one address or network, or be left out; it is \[\]\.$/,
    );
  });
});
