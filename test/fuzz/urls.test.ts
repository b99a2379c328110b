import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NetworkBrokerSpec } from '../../src/brokers/network/broker.js';
import { makeGrant } from '../../src/permissions/grant.js';
import { NO_PERMISSIONS } from '../../src/permissions/permissions.js';
import { brokerFor, type TestBroker } from '../brokers/network/plugin.js';
import { runs } from '../property-runs.js';
import { type Address, addresses, ipv4, isPublic } from './public-addresses.js';

interface Watched {
  readonly broker: TestBroker;
  /** Names that were looked up, and every address that was dialled. */
  readonly resolved: string[];
  readonly dialled: string[];
}

/** A broker that is watched: it looks names up in `answers`, and what it dials, it does not reach. */
function watch(answers: readonly string[], more: Partial<NetworkBrokerSpec> = {}): Watched {
  const resolved: string[] = [];
  const dialled: string[] = [];
  const broker = brokerFor(undefined, {
    allows: () => true,
    resolve: async (host) => {
      resolved.push(host);
      return answers;
    },
    connect: async (_host, _port, to) => {
      dialled.push(...to);
      throw new Error('not in a test');
    },
    ...more,
  });
  return { broker, resolved, dialled };
}

async function request(broker: TestBroker, url: string): Promise<string> {
  const error: unknown = await broker.get(url).catch((reason: unknown) => reason);
  return error instanceof Error && 'code' in error ? String(error.code) : 'no error of ours';
}

describe('a name', () => {
  it('is dialled where every address that it has is public, at these addresses, and else not', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(addresses, { maxLength: 4 }), async (answers) => {
        const texts = answers.map(({ text }) => text);
        const { broker, dialled } = watch(texts);
        const code = await request(broker, 'https://api.test/');
        if (answers.every(({ bytes }) => isPublic(bytes))) {
          expect(code).toBe('NETWORK_FAILED');
          expect(dialled).toEqual(texts);
        } else {
          expect(code).toBe('NETWORK_DENIED');
          expect(dialled).toEqual([]);
        }
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('an address in a URL', () => {
  it('is dialled where it is public, however it is written, and never looked up', async () => {
    await fc.assert(
      fc.asyncProperty(spelt(), async ({ bytes, text }) => {
        const { broker, resolved, dialled } = watch([]);
        const code = await request(broker, `http://${text}/`);
        expect(resolved).toEqual([]);
        expect([code, dialled]).toEqual(
          isPublic(bytes) ? ['NETWORK_FAILED', [bytes.join('.')]] : ['NETWORK_DENIED', []],
        );
      }),
      { numRuns: runs(500) },
    );
  });

  it('of the sixth version is dialled only where it is public', async () => {
    await fc.assert(
      fc.asyncProperty(addresses, async ({ bytes, text }) => {
        const { broker, resolved, dialled } = watch([]);
        const code = await request(broker, `http://${text.includes(':') ? `[${text}]` : text}/`);
        expect(resolved).toEqual([]);
        expect([code, dialled.length]).toEqual(
          isPublic(bytes) ? ['NETWORK_FAILED', 1] : ['NETWORK_DENIED', 0],
        );
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('whatever the text of a URL', () => {
  it('nothing but a public address is dialled, and nothing but a public name looked up', async () => {
    await fc.assert(
      fc.asyncProperty(urlTexts(), async (text) => {
        const { broker, resolved, dialled } = watch(['93.184.216.34']);
        expect(await request(broker, text)).toMatch(/^NETWORK_/);
        for (const name of resolved) {
          expect(name).toMatch(/^[^\s/@:[\]%]+\.[^\s/@:[\]%.]+$/u);
          expect(name).not.toMatch(/(^|\.)(localhost|localdomain|local|internal|home\.arpa)$/);
          expect(name).not.toMatch(/^[\d.]+$/);
        }
        for (const address of dialled) {
          expect(isPublic(address.split('.').map(Number))).toBe(true);
        }
      }),
      {
        numRuns: runs(1000),
        examples: [
          ['http://1.1.1.1@127.0.0.1/'],
          ['http://127.0.0.1#@1.1.1.1/'],
          ['http:/\\[::1]/'],
        ],
      },
    );
  });

  it('no host but the one that is granted is looked up or dialled', async () => {
    const permissions = { ...NO_PERMISSIONS, network: ['api.test', '*.sub.test'] };
    const grant = makeGrant(permissions, permissions);
    await fc.assert(
      fc.asyncProperty(urlTexts(), async (text) => {
        const { broker, resolved, dialled } = watch(['93.184.216.34'], {
          allows: (url, method) => grant.allowsUrl(url, method),
        });
        await request(broker, text);
        for (const name of resolved) expect(name).toMatch(/^(api\.test|.+\.sub\.test)$/);
        expect(dialled.filter((address) => address !== '93.184.216.34')).toEqual([]);
      }),
      { numRuns: runs(1000) },
    );
  });
});

/** An IPv4 address in any of the ways in which URLs write one. */
function spelt(): fc.Arbitrary<Address> {
  const radix = fc.constantFrom(10, 16, 8);
  return fc
    .tuple(
      ipv4(),
      fc.integer({ min: 1, max: 4 }),
      fc.array(radix, { minLength: 4, maxLength: 4 }),
      fc.constantFrom('', '.'),
      fc.infiniteStream(fc.nat(11)),
    )
    .map(([{ bytes }, parts, radixes, dot, disguises]) => {
      const heads = bytes.slice(0, parts - 1);
      const tail = bytes.slice(parts - 1).reduce((sum, byte) => sum * 256 + byte, 0);
      const text = [...heads, tail]
        .map((value, index) => writeNumber(value, radixes[index] ?? 10))
        .join('.');
      return { bytes, text: disguise(text + dot, disguises) };
    });
}

function writeNumber(value: number, radix: number): string {
  const prefix = radix === 16 ? '0x' : radix === 8 ? '0' : '';
  return `${prefix}${value.toString(radix)}`;
}

/** The same characters to the URL parser: encoded, full width, in upper case. */
function disguise(text: string, ways: Iterator<number>): string {
  return Array.from(text, (character) => {
    const way = ways.next().value ?? 0;
    if (way === 0) return `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
    if (way === 1 && /[0-9a-fx]/.test(character)) {
      return String.fromCharCode(character.charCodeAt(0) + 0xfee0);
    }
    if (way === 2 && character === '.') return '。';
    return way === 3 ? character.toUpperCase() : character;
  }).join('');
}

/** Texts that are URLs, nearly, or not at all. */
function urlTexts(): fc.Arbitrary<string> {
  const host = fc.oneof(
    fc.constantFrom('api.test', 'API.test.', 'x.sub.test', 'sub.test', 'api.test.evil.test'),
    fc.constantFrom('localhost', 'a.localhost', 'evil.test', 'metadata.google.internal', '0', ''),
    fc.constantFrom('[::1]', '[::ffff:7f00:1]', '[fe80::1%25eth0]', '1.1.1.1', 'xn--api-.test'),
    fc.constantFrom('api.test\u3002', 'ａｐｉ.test', 'api%2etest', 'api.test%00', 'api\u00ad.test'),
    spelt().map(({ text }) => text),
    fc.domain(),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
  );
  const parts = fc.tuple(
    fc.constantFrom(
      'http:',
      'https:',
      'HTTPS:',
      'http',
      'ftp:',
      'file:',
      'ws:',
      '',
      ' https:',
      'h\tttp:',
    ),
    fc.constantFrom('//', '/', '\\\\', '', '///', '/\\'),
    fc.constantFrom('', 'u:p@', '@', 'api.test@', 'api.test:80@', '1.1.1.1#@', 'api.test\\@'),
    host,
    fc.constantFrom('', ':80', ':443', ':0', ':65536', ':8080', ':', ':api.test', '\n', '\0'),
    fc.constantFrom('', '/', '/../', '?x=/', '#@api.test/', '\\@api.test', '/%00', ';@api.test'),
  );
  return fc.oneof(
    { weight: 6, arbitrary: parts.map((some) => some.join('')) },
    { weight: 1, arbitrary: fc.webUrl() },
    { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
  );
}
