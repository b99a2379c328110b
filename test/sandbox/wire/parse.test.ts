import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { WireViolation } from '../../../sandbox/wire/failure.js';
import { FROM_GUEST, FROM_HOST } from '../../../sandbox/wire/limits.js';
import type { Json, Message } from '../../../sandbox/wire/messages.js';
import { parseMessage } from '../../../sandbox/wire/parse.js';

const id = fc.integer({ min: 0, max: 0xffffffff });
const failure = fc.record({ name: fc.string({ maxLength: 20 }), message: fc.string() });
const payload: fc.Arbitrary<Json> = fc
  .jsonValue({ noUnicodeString: false })
  .map((value) => withoutProto(value));
const arbMessage: fc.Arbitrary<Message> = fc.oneof(
  fc.record({
    t: fc.constant('request' as const),
    i: id,
    m: fc.constantFrom('call', 'fetch'),
    p: payload,
  }),
  fc.record({ t: fc.constant('reply' as const), i: id, v: payload }),
  fc.record({ t: fc.constant('failure' as const), i: id, e: failure }),
  fc.record({ t: fc.constant('cancel' as const), i: id, why: fc.string() }),
  fc.record({ t: fc.constant('notice' as const), m: fc.constant('log'), p: payload }),
  fc.record({ t: fc.constant('credit' as const), s: id, n: id }),
  fc.record({ t: fc.constant('end' as const), s: id }),
  fc.record({ t: fc.constant('refuse' as const), s: id, why: fc.string() }),
);

function withoutProto(value: unknown): Json {
  return JSON.parse(JSON.stringify(value), (key, inner: unknown) =>
    key === '__proto__' ? undefined : inner,
  );
}

it('what was said is what is read', () => {
  fc.assert(
    fc.property(arbMessage, (message) => {
      expect(parseMessage(JSON.stringify(message), FROM_GUEST)).toEqual(
        JSON.parse(JSON.stringify(message)),
      );
    }),
  );
});

it('any text is a message or a violation', () => {
  const texts = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .record({
        t: fc.constantFrom('request', 'reply', 'failure', 'end', 'x'),
        i: fc.anything(),
        e: fc.anything(),
      })
      .map((value) => JSON.stringify(value) ?? ''),
  );
  fc.assert(
    fc.property(texts, (text) => {
      try {
        parseMessage(text, FROM_GUEST);
      } catch (error) {
        expect(error).toBeInstanceOf(WireViolation);
      }
    }),
  );
});

describe('ids', () => {
  it.each(['-1', '1.5', '4294967296', '1e400', '"1"', 'null', '[1]', '{}'])(
    '%s is refused',
    (raw) => {
      expect(() => parseMessage(`{"t":"reply","i":${raw},"v":1}`, FROM_GUEST)).toThrow(
        WireViolation,
      );
    },
  );
});

it('a payload nested deeper than the cap is refused without recursion', () => {
  const deep = `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`;
  expect(() => parseMessage(`{"t":"reply","i":1,"v":${deep}}`, FROM_GUEST)).toThrow(
    /nested deeper/,
  );
});

it('a payload of more values than the cap is refused', () => {
  const wide = `[${'0,'.repeat(FROM_GUEST.maxNodes)}0]`;
  expect(() => parseMessage(`{"t":"reply","i":1,"v":${wide}}`, FROM_GUEST)).toThrow(/more than/);
});

it('a bomb is weighed before it is parsed', () => {
  const parse = vi.spyOn(JSON, 'parse');
  const bomb = `[${'[],'.repeat(2_000_000)}0]`;
  expect(() => parseMessage(`{"t":"reply","i":1,"v":${bomb}}`, FROM_GUEST)).toThrow(/more than/);
  expect(parse).not.toHaveBeenCalled();
  parse.mockRestore();
});

it('what looks like structure inside of texts weighs nothing', () => {
  const text = `${'[{,'.repeat(500_000)}\\"\\`;
  const message = parseMessage(JSON.stringify({ t: 'reply', i: 1, v: [text, { [text]: text }] }), {
    ...FROM_GUEST,
    maxNodes: 9,
    maxDepth: 3,
  });
  expect(message).toEqual({ t: 'reply', i: 1, v: [text, { [text]: text }] });
});

it('values are counted as a walk over them would', () => {
  fc.assert(
    fc.property(payload, (value) => {
      const text = JSON.stringify({ t: 'reply', i: 1, v: value });
      const limits = { ...FROM_GUEST, maxNodes: countValues(JSON.parse(text)) };
      expect(parseMessage(text, limits)).toEqual(JSON.parse(text));
      const fewer = { ...limits, maxNodes: limits.maxNodes - 1 };
      expect(() => parseMessage(text, fewer)).toThrow(/more than/);
    }),
  );
});

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, part) => sum + countValues(part), 1);
}

it('no object of a payload keeps an own __proto__, however it is spelled', () => {
  const message = parseMessage(
    '{"t":"reply","i":1,"v":{"a":[{"__proto__":{"polluted":1}}],"\\u005f_proto__":{"polluted":1},"b":2}}',
    FROM_GUEST,
  );
  expect(message).toEqual({ t: 'reply', i: 1, v: { a: [{}], b: 2 } });
  const copy: unknown = Object.assign({}, 'v' in message ? message.v : undefined);
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
});

it('what a host sends has no own __proto__ in it either', () => {
  const message = parseMessage(
    '{"t":"request","i":1,"m":"call","p":{"input":{"__proto__":{"polluted":1},"b":2}}}',
    FROM_HOST,
  );
  expect(message).toMatchObject({ p: { input: { b: 2 } } });
  expect(JSON.stringify(message)).not.toContain('polluted');
});

it('an error keeps only a code that may cross, and texts within their caps', () => {
  const message = parseMessage(
    JSON.stringify({
      t: 'failure',
      i: 1,
      e: { name: 'n'.repeat(999), message: 'm'.repeat(99_999), code: 'ENGINE_CLOSED', extra: 1 },
    }),
    FROM_GUEST,
  );
  const error = message.t === 'failure' ? message.e : undefined;
  expect(error).not.toHaveProperty('code');
  expect(error).not.toHaveProperty('extra');
  expect(error?.message.length).toBeLessThan(8_300);
  expect(error?.name.length).toBeLessThan(210);
});
