import fc from 'fast-check';
import type { Permissions } from '../../src/permissions/kind.js';

// Few parts, so that random scopes often overlap.
const host = fc.constantFrom('example.com', 'api.example.com', 'b.api.example.com', 'other.test');
const address = fc.constantFrom('192.0.2.7', '[2001:db8::7]');
const methods = fc
  .uniqueArray(fc.constantFrom('GET', 'HEAD', 'POST'), { minLength: 1 })
  .map((names) => `${names.join(',')} `);
const port = fc.constantFrom(':80', ':443', ':8443', '');
const scheme = fc.constantFrom('', 'https://', 'http://');

/** Network permissions as an author may write them. */
export const networkText: fc.Arbitrary<string> = fc
  .tuple(
    fc.oneof(fc.constant(''), methods),
    scheme,
    fc.oneof(
      host,
      host.map((name) => `*.${name}`),
      address,
    ),
    port,
  )
  .map((parts) => parts.join(''));

export const variableText: fc.Arbitrary<string> = fc.constantFrom('HOME', 'API_KEY', '_a1');

export const powerText: fc.Arbitrary<string> = fc.constantFrom('generation', 'chats.read', 'A-1_b');

export const pathText: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('', '/', './'),
    fc.array(fc.constantFrom('data', 'data-secrets', 'a.txt', '.git', '.', ''), { maxLength: 4 }),
    fc.constantFrom('', '', ':rw', ':ro', ':/guest', ':/guest:rw'),
  )
  .map(([start, segments, mode]) => {
    const path = start + segments.join('/');
    return `${path === '' ? '.' : path}${path.startsWith('/') ? mode : ''}`;
  });

export const permissions: fc.Arbitrary<Permissions> = fc.record({
  time: fc.boolean(),
  random: fc.boolean(),
  network: fc.array(networkText, { maxLength: 5 }),
  env: fc.array(variableText, { maxLength: 3 }),
  fs: fc.array(pathText, { maxLength: 4 }),
  storage: fc.boolean(),
  powers: fc.array(powerText, { maxLength: 3 }),
});
