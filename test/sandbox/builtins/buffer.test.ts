import type * as NodeModule from 'node:buffer';
import { Buffer as NodeBuffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadBuiltin } from './load.js';

const { Buffer } = await loadBuiltin<typeof NodeModule>('buffer-module');

const encodings = ['utf8', 'latin1', 'ascii', 'hex', 'base64', 'base64url', 'utf16le'] as const;
const texts = fc.string({ unit: 'binary' });
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
    fc.assert(
      fc.property(
        fc.uint8Array({ max: 3, maxLength: 20 }),
        fc.uint8Array({ max: 3, minLength: 1, maxLength: 3 }),
        fc.integer({ min: -25, max: 25 }),
        (content, wanted, from) => {
          const ours = Buffer.from(content);
          const nodes = NodeBuffer.from(content);
          expect(ours.indexOf(Buffer.from(wanted), from)).toBe(
            nodes.indexOf(NodeBuffer.from(wanted), from),
          );
          expect(ours.lastIndexOf(Buffer.from(wanted))).toBe(
            nodes.lastIndexOf(NodeBuffer.from(wanted)),
          );
        },
      ),
    );
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
