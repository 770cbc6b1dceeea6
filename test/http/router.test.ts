// Which row of a table a path finds: exact paths before patterns, of patterns the first that fits, and each only once. The
// table is one of the test's own; that of the server is asked by the tests of the door.
import { expect, test } from 'vitest';
import type { Endpoint, Method } from '../../server/http/endpoint.ts';
import { makeRouter } from '../../server/http/router.ts';
import { TEST_ENDPOINT } from './testEndpoint.ts';

const row = (path: string, method: Method = 'GET'): Endpoint => ({
  ...TEST_ENDPOINT,
  method,
  path,
  handler: () => ({ body: '' }),
});

const route = makeRouter([
  row('/things/{id}'),
  row('/things/all'),
  row('/{kind}/{name}'),
  row('/things/{id}/{part}'),
  row('/things/{id}/parts'),
  row('/things', 'POST'),
  row('/things'),
]);
const found = (path: string) => {
  const { entry, params } = route(path) ?? {};
  return [entry?.byMethod.get('GET')?.path, params];
};

test('an exact path takes precedence over a pattern defined before it', () => {
  expect(found('/things/all')).toEqual(['/things/all', {}]);
  expect(found('/things/al')).toEqual(['/things/{id}', { id: 'al' }]);
});

test('if several patterns match, the first one defined wins', () => {
  expect(found('/things/7')).toEqual(['/things/{id}', { id: '7' }]);
  expect(found('/others/7')).toEqual(['/{kind}/{name}', { kind: 'others', name: '7' }]);
  expect(found('/things/7/parts')).toEqual(['/things/{id}/{part}', { id: '7', part: 'parts' }]);
});

test('an encoded slash does not split a path segment, and no segment may be empty', () => {
  expect(found('/things/a%2Fb')).toEqual(['/things/{id}', { id: 'a/b' }]);
  for (const path of ['/things/', '/things/7/', '/things//7', '//7', '/', '', '/thing', '/things/7/8/9']) {
    expect(route(path), path).toBeUndefined();
  }
});

test('a path lists its allowed methods, and defining one of them twice throws', () => {
  expect(route('/things')?.entry.allowed).toEqual(['POST', 'GET', 'HEAD', 'OPTIONS']);
  expect(() => makeRouter([row('/a'), row('/b'), row('/a')])).toThrow('GET /a is defined twice');
});
