import { describe, expect, it } from 'vitest';
import { sourceOf } from '../../../src/brokers/powers/bytes.js';
import type { PowerDefinition } from '../../../src/brokers/powers/host-powers.js';
import { echo, lend } from './lender.js';

const { signal } = new AbortController();

async function use(
  args: unknown,
  parts: unknown,
  content: Uint8Array,
  limits = {},
): Promise<unknown> {
  const got: unknown[] = [];
  const power = { ...echo, handler: (given: unknown) => void got.push(given) };
  const { broker } = lend([power], ['echo'], limits);
  const params = { name: 'echo', arguments: args, bytes: { stream: 1, parts } };
  await broker.use(params, signal, {}, sourceOf([content]));
  return got[0];
}

const refusal = (args: unknown, parts: unknown, content: Uint8Array, limits = {}) =>
  use(args, parts, content, limits).then(
    () => 'allowed',
    (error: unknown) => (error instanceof Error ? error.message : ''),
  );

const bytes = Buffer.from('abcdef');

describe('the bytes of arguments', () => {
  it('are placed where the arguments have null', async () => {
    expect(
      await use(
        { a: null, list: [null, 1] },
        [
          [['a'], 2],
          [['list', 0], 4],
        ],
        bytes,
      ),
    ).toEqual({ a: Buffer.from('ab'), list: [Buffer.from('cdef'), 1] });
    expect(await use(null, [[[], 6]], bytes)).toEqual(bytes);
  });

  it('replace nothing else, whatever the guest names', async () => {
    const args = { a: 'text', b: { c: 1 } };
    for (const path of [['a'], ['b', 'c'], ['none'], ['b', 'none', 'x'], ['__proto__', 'y']]) {
      expect(await use(args, [[path, 6]], bytes)).toEqual(args);
    }
    expect(Object.hasOwn(Object.prototype, 'y')).toBe(false);
  });

  it('are no more than announced, and no more than the power takes', async () => {
    expect(await refusal({ a: null }, [[['a'], 3]], bytes)).toContain('echo');
    expect(await refusal({ a: null }, [[['a'], 6]], bytes, { maxArgumentBytes: 12 })).toContain(
      'the arguments of echo are 16 bytes. The limit maxArgumentBytes is 12.',
    );
  });

  it.each([
    ['text'],
    [[['a', 2]]],
    [[[['a'], -1]]],
    [[[['a'], 1.5]]],
    [[[[{}], 1]]],
    [Array.from({ length: 1_001 }, () => [['a'], 0])],
  ])('at a place like %j are malformed', async (parts) => {
    expect(await refusal({ a: null }, parts, bytes)).toMatch(/power without a name/);
  });
});

describe('the bytes of a result', () => {
  it('leave null in their places, and follow in one stream', async () => {
    const result = {
      data: Buffer.from('ab'),
      more: [new Uint8Array([99]).buffer],
      at: new Date(0),
    };
    const { broker } = lend([{ ...echo, handler: () => result }], ['echo']);
    const answer = await broker.use({ name: 'echo', arguments: {} }, signal);
    expect(JSON.parse(answer.text)).toEqual({
      data: null,
      more: [null],
      at: '1970-01-01T00:00:00.000Z',
    });
    expect(answer.bytes?.parts).toEqual([
      [['data'], 2],
      [['more', 0], 1],
    ]);
    expect(Buffer.from((await answer.bytes?.content.pull()) ?? '')).toEqual(Buffer.from('ab'));
    expect(Buffer.from((await answer.bytes?.content.pull()) ?? '')).toEqual(Buffer.from('c'));
    expect(await answer.bytes?.content.pull()).toBeUndefined();
  });

  it('have the caps of the power', async () => {
    const big = { ...echo, maxResultBytes: 20, handler: () => ({ data: Buffer.alloc(20) }) };
    const { refusal: refused } = lend([big], ['echo']);
    expect(await refused('echo')).toEqual([
      'POWER_LIMIT',
      'A use of a power by notes was stopped: the result of echo is larger. The limit maxResultBytes is 20.',
    ]);
  });

  it.each([0, 1.5, 33 * 1024 * 1024, '1'])('a cap of %j is refused', (cap) => {
    // @ts-expect-error -- one of them is a text
    expect(() => lend([{ ...echo, maxResultBytes: cap }], [])).toThrow('powers[0].maxResultBytes');
  });
});

describe('arguments that begin the stream', () => {
  const text = JSON.stringify({ a: 'é', b: null });
  const json = Buffer.from(text);

  async function useJson(
    content: Uint8Array,
    length: unknown,
    parts: unknown = [],
    definition: Partial<PowerDefinition> = {},
  ): Promise<unknown> {
    const got: unknown[] = [];
    const power = { ...echo, ...definition, handler: (given: unknown) => void got.push(given) };
    const { broker } = lend([power], ['echo']);
    const source = sourceOf([content]);
    const params = { name: 'echo', arguments: null, bytes: { stream: 1, parts, json: length } };
    const code = await broker.use(params, signal, {}, source).then(
      () => 'allowed',
      (error: unknown) => (error instanceof Error ? Reflect.get(error, 'code') : error),
    );
    return code === 'allowed' ? got[0] : code;
  }

  it('are parsed, checked and joined with the bytes after them', async () => {
    expect(await useJson(json, json.length)).toEqual({ a: 'é', b: null });
    const all = Buffer.concat([json, bytes]);
    expect(await useJson(all, json.length, [[['b'], 6]])).toEqual({ a: 'é', b: bytes });
    const schema = { type: 'object', properties: { a: { type: 'number' } } };
    expect(await useJson(json, json.length, [], { arguments: schema })).toBe('POWER_INVALID');
  });

  it('are refused if they are not what the guest says', async () => {
    expect(await useJson(json, json.length - 1)).toBe('POWER_FAILED');
    expect(await useJson(json.subarray(1), json.length)).toBe('POWER_INVALID');
    for (const length of [-1, 1.5, '5', null, Number.NaN]) {
      expect(await useJson(json, length)).toBe('POWER_INVALID');
    }
    const deep = Buffer.from(`${'['.repeat(500)}${']'.repeat(500)}`);
    expect(await useJson(deep, deep.length)).toBe('POWER_INVALID');
    const many = Buffer.from(`[${'1,'.repeat(200_000)}1]`);
    expect(await useJson(many, many.length)).toBe('POWER_INVALID');
    const proto = Buffer.from('{"__proto__":{"x":1},"a":1}');
    expect(Object.keys(Object(await useJson(proto, proto.length)))).toEqual(['a']);
  });

  it('count for the cap of the power before they are read', async () => {
    let pulled = 0;
    const { broker } = lend([{ ...echo, maxArgumentBytes: 2_000_000 }], ['echo']);
    const params = (length: number): object => ({
      name: 'echo',
      arguments: null,
      bytes: { stream: 1, parts: [], json: length },
    });
    const source = {
      pull: async () => {
        pulled += 1;
        return undefined;
      },
      cancel: () => {},
    };
    await expect(broker.use(params(2_000_001), signal, {}, source)).rejects.toMatchObject({
      code: 'POWER_LIMIT',
    });
    expect(pulled).toBe(0);
  });
});
