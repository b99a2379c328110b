import type * as NodeModule from 'node:buffer';
import { Buffer as NodeBuffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadBuiltin } from './load.js';

const { Buffer } = await loadBuiltin<typeof NodeModule>('buffer-module');

const encodings = ['utf8', 'latin1', 'ascii', 'hex', 'base64', 'base64url', 'utf16le'] as const;
const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme-ascii' }),
  fc.string({ unit: 'binary', minLength: 60, maxLength: 90 }),
);
// Node reads the low byte of characters that are not ASCII. No program means that.
const digits = fc.string({ unit: fc.constantFrom(...'0189afAFgzZ+/-_= \n'.split('')) });
const bytes = fc.uint8Array({ maxLength: 40 });

describe('Buffer', () => {
  it.each(encodings)('encodes any text in %s as Node does', (encoding) => {
    fc.assert(
      fc.property(/hex|base/.test(encoding) ? digits : texts, (text) => {
        expect([...Buffer.from(text, encoding)]).toEqual([...NodeBuffer.from(text, encoding)]);
      }),
    );
  });

  it.each(encodings)('decodes any bytes from %s as Node does', (encoding) => {
    fc.assert(
      fc.property(bytes, (content) => {
        expect(Buffer.from(content).toString(encoding)).toBe(
          NodeBuffer.from(content).toString(encoding),
        );
      }),
    );
  });

  it.each(['ascii', 'base64', 'base64url', 'hex', 'latin1', 'ucs2', 'utf8'])(
    'has the methods of %s, as packages call them',
    (encoding) => {
      const use = (of: typeof NodeBuffer): unknown => {
        const written = of.alloc(12);
        const method = (name: string): unknown => Reflect.get(written, `${encoding}${name}`);
        const used = (name: string, ...args: readonly unknown[]): unknown =>
          Reflect.apply(method(name) as () => unknown, written, args);
        return [
          used('Write', '6162', 2, 4),
          used('Write', '6162'),
          used('Slice', 1, 8),
          used('Slice'),
          [...written],
        ];
      };
      expect(use(Buffer)).toEqual(use(NodeBuffer));
    },
  );

  it('finds what Node finds, from either end', () => {
    const offsets = fc.option(fc.oneof(fc.integer({ min: -25, max: 25 }), fc.double()), {
      nil: undefined,
    });
    fc.assert(
      fc.property(
        fc.uint8Array({ max: 3, maxLength: 20 }),
        fc.uint8Array({ max: 3, maxLength: 3 }),
        offsets,
        (content, wanted, from) => {
          const ours = Buffer.from(content);
          const nodes = NodeBuffer.from(content);
          for (const name of ['indexOf', 'lastIndexOf', 'includes'] as const) {
            const found = call(nodes, name, [wanted, from]);
            expect([name, call(ours, name, [Buffer.from(wanted), from])]).toEqual([name, found]);
            expect([name, call(ours, name, [wanted, from])]).toEqual([name, found]);
          }
        },
      ),
    );
  });

  it('finds texts in any encoding, and bytes by their number, as Node does', () => {
    const content = 'näh, abcabc, äh';
    const ours = Buffer.from(content);
    const nodes = NodeBuffer.from(content);
    const searches: readonly (readonly [string | number, ...unknown[]])[] = [
      ['ä'],
      ['ä', 3],
      ['e4', 'hex'],
      ['616263', 5, 'hex'],
      ['YWJj', 'base64'],
      ['abc', -9],
      ['', 40],
      [0x61],
      [0x61, -4],
      ['zz'],
    ];
    for (const args of searches) {
      for (const name of ['indexOf', 'lastIndexOf', 'includes']) {
        expect([name, args, call(ours, name, args)]).toEqual([name, args, call(nodes, name, args)]);
      }
    }
    const wide = 'abcabc';
    expect(Buffer.from(wide, 'utf16le').indexOf('c', 0, 'utf16le')).toBe(
      NodeBuffer.from(wide, 'utf16le').indexOf('c', 0, 'utf16le'),
    );
  });

  it.each(encodings)('writes a part of any text in %s, and no part of a character', (encoding) => {
    fc.assert(
      fc.property(
        /hex|base/.test(encoding) ? digits : texts,
        fc.nat({ max: 8 }),
        fc.option(fc.nat({ max: 12 }), { nil: undefined }),
        (text, offset, length) => {
          const write = (of: typeof NodeBuffer): unknown => {
            const target = of.alloc(8, 0xaa);
            const size = length === undefined ? undefined : Math.min(length, 8);
            const count =
              size === undefined
                ? target.write(text, offset, encoding)
                : target.write(text, offset, size, encoding);
            return [count, [...target]];
          };
          expect(write(Buffer)).toEqual(write(NodeBuffer));
        },
      ),
    );
  });

  it('counts the bytes of a text as Node does', () => {
    fc.assert(
      fc.property(texts, fc.constantFrom(...encodings), (text, encoding) => {
        expect(Buffer.byteLength(text, encoding)).toBe(NodeBuffer.byteLength(text, encoding));
      }),
    );
    expect(Buffer.byteLength(Buffer.alloc(3))).toBe(3);
    expect(Buffer.byteLength('ä')).toBe(2);
  });

  it('throws for a name that is no encoding, and for a place that is not there', () => {
    expect(() => Buffer.from('a', 'utf-9' as 'utf8')).toThrow('Unknown encoding: utf-9');
    expect(() => Buffer.from('a').toString('utf-9' as 'utf8')).toThrow('Unknown encoding: utf-9');
    expect(() => Buffer.alloc(2).write('a', 3)).toThrow(RangeError);
    expect(() => Buffer.alloc(2).write('a', 3, 'base64url')).toThrow(RangeError);
    expect(Buffer.isEncoding('UTF-8')).toBe(true);
    expect(Buffer.isEncoding('utf-9')).toBe(false);
    expect(Buffer.isEncoding(['utf8'] as never)).toBe(false);
    expect(() => Buffer.from('a').toString(16 as never)).toThrow('Unknown encoding: 16');
    expect(Buffer.from('a', 5 as never).toString()).toBe('a');
  });

  it.each(encodings)('encodes and decodes a long text in %s', (encoding) => {
    const content = NodeBuffer.alloc(100_000, 'abcdefghijk');
    const text = content.toString(encoding);
    expect(Buffer.from(text, encoding).equals(content)).toBe(true);
    expect(Buffer.from(content).toString(encoding)).toBe(text);
  });

  it('takes about as long as Node for a long text in UTF-8', () => {
    const text = 'abcdefghij'.repeat(100_000);
    const timeOf = (of: typeof NodeBuffer): number => {
      const times = Array.from({ length: 10 }, () => {
        const began = performance.now();
        of.from(of.from(text).toString()).indexOf('zzz');
        return performance.now() - began;
      });
      return Math.min(...times);
    };
    // The package takes a hundred times as long. A busy machine may interrupt each of them.
    expect(timeOf(Buffer)).toBeLessThan(20 + 20 * timeOf(NodeBuffer));
  });

  it('reads and writes every kind of number as Node does', () => {
    const content = Uint8Array.from({ length: 16 }, (_, index) => (index * 37 + 129) & 0xff);
    const nodes = NodeBuffer.from(content);
    const names = Object.getOwnPropertyNames(NodeBuffer.prototype).filter((name) =>
      /^(?:read|write)(?:U?Int|Uint|Big|Float|Double)/.test(name),
    );
    expect(names.length).toBeGreaterThan(60);
    for (const name of names) {
      const wide = /int(?:LE|BE)$/i.test(name);
      if (name.startsWith('read')) {
        const args = wide ? [3, 5] : [3];
        expect([name, call(Buffer.from(content), name, args)]).toEqual([
          name,
          call(nodes, name, args),
        ]);
      } else {
        const value = name.includes('Big') ? 77n : 77;
        const ours = Buffer.alloc(16);
        const theirs = NodeBuffer.alloc(16);
        const args = wide ? [value, 3, 5] : [value, 3];
        expect([name, call(ours, name, args)]).toEqual([name, call(theirs, name, args)]);
        expect([...ours]).toEqual([...theirs]);
      }
    }
  });

  it('shares memory between a buffer and its slices, and no memory between buffers', () => {
    const whole = Buffer.from('abcdef');
    const part = whole.slice(1, 3);
    part[0] = 0x58;
    expect(whole.toString()).toBe('aXcdef');
    expect(part).toBeInstanceOf(Buffer);
    expect(Buffer.from('a').buffer.byteLength).toBe(1);
  });

  it('can be made with and without new', () => {
    expect(new Buffer('hi').toString()).toBe('hi');
    expect(String(Reflect.apply(Buffer as never, undefined, ['hi']))).toBe('hi');
    expect(Reflect.apply(Buffer as never, undefined, [3])).toHaveLength(3);
  });

  it('concatenates, compares, fills, copies and swaps', () => {
    expect(Buffer.concat([Buffer.from('ab'), Buffer.from('c')]).toString()).toBe('abc');
    expect(Buffer.concat([Buffer.from('ab')], 4)).toHaveLength(4);
    expect(Buffer.compare(Buffer.from('a'), Buffer.from('b'))).toBe(-1);
    expect(Buffer.from('ab').equals(Buffer.from('ab'))).toBe(true);
    expect(Buffer.from('ab').equals(Uint8Array.of(97, 98))).toBe(true);
    expect(() => Buffer.from('ab').equals('ab' as never)).toThrow(TypeError);
    expect(Buffer.alloc(5, 'xy').toString()).toBe('xyxyx');
    const target = Buffer.alloc(4);
    expect(Buffer.from('abc').copy(target, 2)).toBe(2);
    expect([...target]).toEqual([0, 0, 97, 98]);
    expect([...Buffer.from([1, 2, 3, 4]).swap16()]).toEqual([2, 1, 4, 3]);
    expect(JSON.stringify(Buffer.from('a'))).toBe('{"type":"Buffer","data":[97]}');
  });
});

function call(target: object, name: string, args: readonly unknown[]): unknown {
  const method: unknown = Reflect.get(target, name);
  return typeof method === 'function' ? Reflect.apply(method, target, args) : `no ${name}`;
}
