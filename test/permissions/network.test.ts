import { describe, expect, test } from 'vitest';
import { network } from '../../src/permissions/network.js';
import { networkText } from './arbitraries.js';
import { testLaws } from './laws.js';

const covers = (held: string, wanted: string): boolean =>
  network.covers(network.parse(held), network.parse(wanted));
const meet = (held: string, limit: string): string | undefined => {
  const scope = network.attenuate(network.parse(held), network.parse(limit));
  return scope === undefined ? undefined : network.format(scope);
};

describe('network', () => {
  testLaws(network, networkText);

  test('a wildcard covers subdomains but not the apex', () => {
    expect(covers('*.example.com', 'api.example.com')).toBe(true);
    expect(covers('*.example.com', 'a.b.example.com')).toBe(true);
    expect(covers('*.example.com', '*.api.example.com')).toBe(true);
    expect(covers('*.example.com', 'example.com')).toBe(false);
    expect(covers('*.example.com', 'badexample.com')).toBe(false);
    expect(covers('example.com', '*.example.com')).toBe(false);
  });

  test('a name without a scheme covers both schemes on their default ports only', () => {
    expect(covers('example.com', 'https://example.com')).toBe(true);
    expect(covers('example.com', 'http://example.com')).toBe(true);
    expect(covers('example.com', 'https://example.com:8443')).toBe(false);
    expect(covers('example.com', 'http://example.com:443')).toBe(false);
  });

  test('a port covers that port only', () => {
    expect(covers('example.com:8443', 'https://example.com:8443')).toBe(true);
    expect(covers('example.com:8443', 'example.com')).toBe(false);
    expect(covers('example.com:443', 'https://example.com')).toBe(true);
    expect(covers('example.com:443', 'http://example.com')).toBe(false);
  });

  test('a scheme covers that scheme only', () => {
    expect(covers('https://example.com', 'http://example.com')).toBe(false);
    expect(covers('https://example.com', 'example.com')).toBe(false);
  });

  test('methods cover those methods only', () => {
    expect(covers('GET,HEAD example.com', 'GET example.com')).toBe(true);
    expect(covers('GET example.com', 'GET,POST example.com')).toBe(false);
    expect(covers('GET example.com', 'example.com')).toBe(false);
    expect(covers('example.com', 'GET example.com')).toBe(true);
  });

  test.each([
    ['example.com', 'https://example.com', 'https://example.com'],
    ['*.example.com', 'api.example.com', 'api.example.com'],
    ['GET,POST example.com', 'POST,PUT example.com', 'POST example.com'],
    ['GET example.com', 'POST example.com', undefined],
    ['example.com', 'example.com:443', 'https://example.com'],
    ['example.com', 'example.com:8443', undefined],
    ['http://*.example.com', 'GET api.example.com', 'GET http://api.example.com'],
  ])('%s and %s share %s', (held, limit, shared) => {
    expect(meet(held, limit)).toBe(shared);
  });

  test.each([
    ['API.Example.COM', 'api.example.com'],
    ['example.com.', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['*.BÜCHER.example', '*.xn--bcher-kva.example'],
    ['example。com', 'example.com'],
    ['0x7f.1', '127.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['[2001:DB8::0:7]:8443', '[2001:db8::7]:8443'],
    ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]'],
    ['HTTPS://example.com:443', 'https://example.com'],
    ['https://example.com:80', 'https://example.com:80'],
    [' head,get,GET  example.com ', 'GET,HEAD example.com'],
    ['localhost:3000', 'localhost:3000'],
    ['my_bucket.example.com', 'my_bucket.example.com'],
  ])('%s is normalized to %s', (text, written) => {
    expect(network.format(network.parse(text))).toBe(written);
  });

  test.each([
    ['*', /cover every host/],
    ['*:443', /cover every host/],
    ['*.com', /cover all of \.com/],
    ['*.localhost', /cover all of \.localhost/],
    ['*.127.0.0.1', /no subdomains/],
    ['*.[::1]', /in brackets/],
    ['api.*.example.com', /only in front/],
    ['*.*.example.com', /only in front/],
    ['*example.com', /only in front/],
    ['', /write a host/],
    ['.', /write a host/],
    ['a..b', /write a host/],
    ['-a.example.com', /write a host/],
    ['exa%6dple.com', /write a host/],
    ['example.com/v1', /not paths/],
    ['https://example.com/', /not paths/],
    ['example.com?x', /not paths/],
    ['example.com#x', /not paths/],
    ['a\\b', /not paths/],
    ['user:pw@example.com', /user and password/],
    ['::1', /in brackets/],
    ['[::1', /in brackets/],
    ['[fe80::1%eth0]', /write a host/],
    ['example.com:0', /1 to 65535/],
    ['example.com:65536', /1 to 65535/],
    ['example.com:https', /write a host/],
    ['ftp://example.com', /only https and http/],
    ['CONNECT example.com', /never sent/],
    ['GET;HEAD example.com', /methods go before/],
    ['GET, example.com', /methods go before/],
    ['a b c', /one space before/],
    [`${'a'.repeat(64)}.com`, /write a host/],
    ['a'.repeat(2000), /longer than/],
  ])('%s is refused', (text, why) => {
    expect(() => network.parse(text)).toThrow(why);
  });

  test('the explanation says that http is cleartext', () => {
    const explain = (text: string): string => network.explain(network.parse(text));
    expect(explain('https://api.example.com')).toBe('Connect to api.example.com, over https.');
    expect(explain('api.example.com')).toBe(
      'Connect to api.example.com, over https or cleartext http, ' +
        'which anyone on the way can read and change.',
    );
    expect(explain('GET,HEAD http://*.example.com:8080')).toBe(
      'Send GET, HEAD requests to every subdomain of example.com (not example.com itself), ' +
        'port 8080 only, over cleartext http, which anyone on the way can read and change.',
    );
  });
});
