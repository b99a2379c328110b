import path from 'node:path';
import punycode from 'node:punycode';
import querystring from 'node:querystring';
import { StringDecoder as NodeStringDecoder } from 'node:string_decoder';
import url from 'node:url';
import util from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { format as formatText, inspect } from '../../../sandbox/builtins/inspect.js';
import { loadBuiltin } from './load.js';

const { posix: ourPath } = await loadBuiltin<typeof path>('path');
const ourPunycode = await loadBuiltin<typeof punycode>('punycode');
const ourQuery = await loadBuiltin<typeof querystring>('querystring');
const { StringDecoder } = await loadBuiltin<{ StringDecoder: typeof NodeStringDecoder }>(
  'string-decoder',
);
const ourUrl = await loadBuiltin<object>('url');

const paths = fc
  .array(fc.constantFrom('a', 'bc', '..', '.', '', '/', 'd.txt', '.env', 'x.y.z'), { maxLength: 6 })
  .map((parts) => parts.join('/'));
const absolute = paths.map((text) => `/${text}`);

describe('path', () => {
  it('agrees with Node on any path', () => {
    fc.assert(
      fc.property(paths, paths, (a, b) => {
        expect(ourPath.normalize(a)).toBe(path.posix.normalize(a));
        expect(ourPath.join(a, b)).toBe(path.posix.join(a, b));
        expect(ourPath.dirname(a)).toBe(path.posix.dirname(a));
        expect(ourPath.basename(a)).toBe(path.posix.basename(a));
        expect(ourPath.basename(a, '.txt')).toBe(path.posix.basename(a, '.txt'));
        expect(ourPath.extname(a)).toBe(path.posix.extname(a));
        expect(ourPath.isAbsolute(a)).toBe(path.posix.isAbsolute(a));
        expect(ourPath.parse(a)).toEqual(path.posix.parse(a));
        expect(ourPath.format(path.posix.parse(a))).toBe(path.posix.format(path.posix.parse(a)));
      }),
    );
  });

  it('resolves from the plugin, whose directory is /plugin', () => {
    fc.assert(
      fc.property(absolute, paths, absolute, (a, b, c) => {
        expect(ourPath.resolve(a, b)).toBe(path.posix.resolve(a, b));
        expect(ourPath.relative(a, c)).toBe(path.posix.relative(a, c));
      }),
    );
    expect(ourPath.resolve('x')).toBe('/plugin/x');
  });
});

describe('punycode', () => {
  it('encodes and decodes any text as Node does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 12 }), (text) => {
        const encoded = punycode.encode(text);
        expect(ourPunycode.encode(text)).toBe(encoded);
        expect(ourPunycode.decode(encoded)).toBe(text);
      }),
    );
    expect(ourPunycode.toASCII('mañana.com')).toBe('xn--maana-pta.com');
    expect(ourPunycode.toUnicode('xn--maana-pta.com')).toBe('mañana.com');
  });
});

describe('querystring', () => {
  it('reads any query as Node does', () => {
    const queries = fc.string({
      unit: fc.constantFrom('a', 'b', '=', '&', '+', '%20', '%', 'é', '%E9'),
    });
    fc.assert(
      fc.property(queries, (text) => {
        // Malformed escapes are the one difference: no program depends on them.
        if (/%(?:$|[^2])/.test(text)) return;
        expect(ourQuery.parse(text)).toEqual(querystring.parse(text));
      }),
    );
  });

  it('writes any values as Node does', () => {
    const values = fc.dictionary(
      fc.string({ minLength: 1 }),
      fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.string(), { minLength: 1 })),
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(values, (query) => {
        expect(ourQuery.stringify(query)).toBe(querystring.stringify(query));
      }),
    );
  });
});

describe('StringDecoder', () => {
  it.each(['utf8', 'utf16le', 'base64', 'base64url', 'hex', 'latin1'] as const)(
    'puts %s together from pieces cut anywhere, as Node does',
    (encoding) => {
      fc.assert(
        fc.property(fc.string({ unit: 'grapheme' }), fc.nat(), (text, cut) => {
          const bytes = Buffer.from(text, 'utf8');
          const at = cut % (bytes.length + 1);
          const read = (decoder: Pick<NodeStringDecoder, 'write' | 'end'>): string =>
            decoder.write(bytes.subarray(0, at)) +
            decoder.write(bytes.subarray(at)) +
            decoder.end();
          expect(read(new StringDecoder(encoding) as never)).toBe(
            read(new NodeStringDecoder(encoding)),
          );
        }),
      );
    },
  );
});

describe('url', () => {
  const call = (name: string, ...args: unknown[]): unknown => Reflect.get(ourUrl, name)(...args);

  it.each([
    'http://user:pass@host.com:8080/p/a/t/h?query=string#hash',
    'https://example.com',
    '/path?x=1',
    'mailto:a@b.co',
    '//host/path',
    'file:///etc/passwd',
    'http://[::1]:80/',
    'relative/path#h',
    'javascript:alert(1)',
    '',
  ])('parses %s as Node does', (text) => {
    expect({ ...(call('parse', text) as object) }).toEqual({ ...url.parse(text) });
    expect(Reflect.get(call('parse', text, true) as object, 'query')).toEqual(
      url.parse(text, true).query,
    );
  });

  it.each([
    { protocol: 'http', host: 'a.co', pathname: 'x', query: { a: 1 } },
    { protocol: 'https:', hostname: 'a.co', port: '81', search: 'q=1', hash: 'h' },
    { pathname: '/a#b', search: '?x' },
    { protocol: 'mailto:', pathname: 'a@b.co' },
    { slashes: true, host: 'x' },
  ])('formats %o as Node does', (parts) => {
    expect(call('format', parts)).toBe(url.format(parts));
  });

  it.each([
    ['/one/two/three', 'four'],
    ['http://example.com/', '/one'],
    ['http://example.com/one', 'two?x#y'],
    ['http://example.com/one', 'https://other.org/'],
    ['a/b', '../c'],
  ])('resolves against %s what Node resolves: %s', (from, to) => {
    expect(call('resolve', from, to)).toBe(url.resolve(from, to));
  });

  it('turns file URLs into paths and back', () => {
    expect(call('fileURLToPath', 'file:///a/b%20c.txt')).toBe('/a/b c.txt');
    expect(String(call('pathToFileURL', '/a/b c#.txt'))).toBe('file:///a/b%20c%23.txt');
    expect(() => call('fileURLToPath', 'http://x/')).toThrow('scheme file');
  });
});

describe('format and inspect', () => {
  it.each([
    [['a', 1, { b: 2 }]],
    [['%s is %d years and %i, %f', 'Bob', 42.5, '7.9', '1.5']],
    [['%j%%', { a: [1] }]],
    [['%s', null, undefined, Symbol('x')]],
    [[{ a: { b: { c: { d: 1 } } } }]],
    [['100%', 'x']],
    [[]],
  ])('formats %j as Node does', (args) => {
    expect(formatText(...args)).toBe(util.format(...args));
  });

  it.each([
    ['text', "it's"],
    ['array', [1, 'a', [2, [3, [4]]]]],
    ['map', new Map([['a', { b: 1 }]])],
    ['set', new Set([1, 'x'])],
    ['date', new Date(0)],
    ['regular expression', /a/g],
    ['function', function named() {}],
    [
      'class instance',
      new (class Point {
        x = 1;
      })(),
    ],
    ['no prototype', Object.assign(Object.create(null), { a: 1 })],
    ['bytes', new Uint8Array([1, 2])],
    ['symbol key', { [Symbol('s')]: 1, 'a-b': 2 }],
    [
      'getter',
      {
        get x() {
          return 1;
        },
      },
    ],
    ['long', { first: 'x'.repeat(40), second: 'y'.repeat(40) }],
  ])('inspects a %s as Node does', (_, value) => {
    // Node writes symbol keys without brackets from 24 on; ours is the same on every Node.
    const ofNode = util.inspect(value).replace(' Symbol(s):', ' [Symbol(s)]:');
    expect(inspect(value)).toBe(ofNode);
  });

  it('marks circular references', () => {
    const loop: Record<string, unknown> = { a: 1 };
    loop['self'] = loop;
    expect(inspect(loop)).toContain('[Circular');
  });
});
