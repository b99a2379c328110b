import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isBulkheadError } from '../../../src/errors.js';
import { NETWORK_LIMITS } from '../../../src/brokers/limits.js';
import { makeRefusals } from '../../../src/brokers/network/refusals.js';
import { type NetworkRequest, parseRequest } from '../../../src/brokers/network/request.js';
import { processorMs } from '../../processor-time.js';

const limits = {
  ...NETWORK_LIMITS,
  maxRequestHeaders: 4,
  maxRequestHeaderBytes: 64,
  maxUrlLength: 200,
};
const refusals = makeRefusals({ id: 'weather', manifest: 'm.json' }, ['api.test'], limits);

function parse(params: object, hasBody = false): NetworkRequest {
  const whole = {
    url: 'https://api.test/',
    method: 'GET',
    headers: [],
    redirect: 'follow',
    ...params,
  };
  return parseRequest(whole, hasBody, limits, refusals);
}

describe('the URL of a request', () => {
  it.each([
    ['ftp:', 'ftp://api.test/'],
    ['file:', 'file:///etc/passwd'],
    ['data:', 'data:text/plain,x'],
    ['blob:', 'blob:https://api.test/1'],
    ['ws:', 'ws://api.test/'],
    ['unix:', 'unix:///var/run/docker.sock'],
    ['javascript:', 'javascript:1'],
  ])('is refused with the scheme %s', (_scheme, url) => {
    expect(() => parse({ url })).toThrow(/Network denied: .* is not http: or https:/);
  });

  it.each([
    '',
    '/today',
    'api.test',
    'https://',
    'https://[::1',
    'https://a b/',
    'http://api.test:99999/',
  ])('is refused if it is %j', (url) => {
    expect(() => parse({ url })).toThrow(/cannot be parsed/);
  });

  it.each(['https://user@api.test/', 'https://user:secret@api.test/', 'https://:x@api.test/'])(
    'is refused with a user: %s',
    (url) => {
      expect(() => parse({ url })).toThrow(/user name or password/);
    },
  );

  it('is read once, to its normal form, without a fragment', () => {
    const { url } = parse({ url: 'HTTPS://API.Test.:443/a/../b?q=1#x' });
    expect(url.href).toBe('https://api.test/b?q=1');
  });

  it('is never an object that says something else the second time', () => {
    const url = { toString: () => 'https://api.test/' };
    expect(() => parse({ url })).toThrow(/not a string/);
  });

  it('has a maximum length', () => {
    expect(() => parse({ url: `https://api.test/${'a'.repeat(200)}` })).toThrow(
      /maxUrlLength is 200/,
    );
  });
});

describe('the method of a request', () => {
  it.each(['CONNECT', 'trace', 'Track'])('is never %s', (method) => {
    expect(() => parse({ method })).toThrow(/is never sent/);
  });

  it.each(['', 'GE T', 'GET\r\nX: 1', 'GÈT', 'A'.repeat(33), 7])(
    'is refused if it is %j',
    (method) => {
      expect(() => parse({ method })).toThrow(/its method is not valid/);
    },
  );

  it('is written as fetch writes it', () => {
    expect(parse({ method: 'delete' }).method).toBe('DELETE');
    expect(parse({ method: 'propfind' }).method).toBe('propfind');
  });

  it('does not have a body with GET and HEAD', () => {
    expect(() => parse({ method: 'get' }, true)).toThrow(/a GET request has no body/);
    expect(() => parse({ method: 'HEAD' }, true)).toThrow(/a HEAD request has no body/);
  });
});

describe('the headers of a request', () => {
  it.each([
    ['a name with a line break', 'X\r\nY', '1'],
    ['a name with a colon', 'X: 1', '1'],
    ['an empty name', '', '1'],
    ['a value with CR LF', 'x', '1\r\nhost: evil.test'],
    ['a value with LF alone', 'x', '1\nhost: evil.test'],
    ['a value with CR alone', 'x', '1\rhost: evil.test'],
    ['a value with NUL', 'x', '1\0'],
    // Written as bytes these would be CR and LF.
    ['a value with U+010D U+010A', 'x', '1čĊhost: evil.test'],
    ['a value with DEL', 'x', '\x7f'],
  ])('are refused with %s', (_what, name, value) => {
    expect(() => parse({ headers: [[name, value]] })).toThrow(/one of its headers is not valid/);
  });

  it.each([[null], [{}], [[['a']]], [[['a', 1]]], [[['a', 'b', 'c']]], [['ab']]])(
    'are refused if they are %j',
    (headers) => {
      expect(() => parse({ headers })).toThrow(/header/);
    },
  );

  it('leave out the names that frame and route a message', () => {
    const names = [
      ['Host', 'Connection'],
      ['Transfer-Encoding', 'Content-Length', 'TE'],
      ['Upgrade', 'Keep-Alive', 'Expect', 'Trailer'],
      ['Proxy-Authorization', 'proxy-connection', 'PROXY-X'],
    ];
    for (const some of names) {
      expect(parse({ headers: some.map((name) => [name, '1']) }).headers).toEqual([]);
    }
  });

  it('are otherwise passed on, names in lower case, values trimmed', () => {
    const headers = [
      ['Cookie', 'a=1'],
      ['X-Été'.replaceAll('É', 'e').replaceAll('é', 'e'), ' \t v\xe9 '],
    ];
    expect(parse({ headers }).headers).toEqual([
      ['cookie', 'a=1'],
      ['x-ete', 'v\xe9'],
    ]);
  });

  it('have a maximum number and length', () => {
    const many = Array.from({ length: 5 }, () => ['a', 'b']);
    expect(() => parse({ headers: many })).toThrow(/maxRequestHeaders is 4/);
    expect(() => parse({ headers: [['a', 'b'.repeat(64)]] })).toThrow(
      /maxRequestHeaderBytes is 64/,
    );
  });

  it('are trimmed within milliseconds, however many blanks a value has', () => {
    const headers = [['x', `a${' '.repeat(50_000)}a`]];
    const ms = processorMs(() => {
      expect(() => parse({ headers })).toThrow(/too long/);
    });
    // Where the end is looked for anew at each of them it is some ten seconds.
    expect(ms).toBeLessThan(1_000);
  });
});

describe('what a guest sends as a request', () => {
  it('becomes a request or a refusal, for any value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.boolean(), (params, hasBody) => {
        try {
          parseRequest(params, hasBody, limits, refusals);
        } catch (error) {
          expect(isBulkheadError(error)).toBe(true);
        }
      }),
    );
  });

  it('becomes a request or a refusal, for any parts', () => {
    const part = fc.oneof(fc.jsonValue(), fc.webUrl(), fc.string({ unit: 'binary' }));
    const params = fc.record({
      url: fc.oneof(fc.webUrl(), part),
      method: fc.oneof(fc.constantFrom('GET', 'POST'), part),
      headers: fc.oneof(fc.array(fc.tuple(fc.string(), fc.string({ unit: 'binary' }))), part),
      redirect: fc.oneof(fc.constant('follow'), part),
      bodyBytes: part,
    });
    fc.assert(
      fc.property(params, fc.boolean(), (value, hasBody) => {
        try {
          const { headers, method } = parseRequest(value, hasBody, limits, refusals);
          expect(headers.flat().concat(method).join('')).not.toMatch(/[\r\n\0]|[^\0-\xff]/);
        } catch (error) {
          expect(isBulkheadError(error)).toBe(true);
        }
      }),
    );
  });

  it('ignores options of fetch on a server: dispatcher, proxy, socket and TLS options', () => {
    const request = parse({
      dispatcher: {},
      unix: '/run/docker.sock',
      proxy: 'http://x',
      tls: {},
      duplex: 'half',
    });
    expect(Object.keys(request).toSorted()).toEqual([
      'bodyBytes',
      'hasBody',
      'headers',
      'method',
      'redirect',
      'url',
    ]);
  });

  it('is refused with a redirect mode or body length that is none', () => {
    expect(() => parse({ redirect: 'yes' })).toThrow(/redirect mode/);
    for (const bodyBytes of [-1, 1.5, '5', 2 ** 60, null]) {
      expect(() => parse({ method: 'POST', bodyBytes }, true)).toThrow(/length of its body/);
    }
    expect(() => parse({ method: 'POST', bodyBytes: 2 ** 40 }, true)).toThrow(/maxRequestBytes/);
  });
});
