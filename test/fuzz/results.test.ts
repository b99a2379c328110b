import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serialize } from '../../sandbox/serialize.js';
import { runs } from '../property-runs.js';

const LIMITS = { maxResultBytes: 2_000, maxResultDepth: 12, maxResultNodes: 200 };

type Outcome = { readonly text: string } | { readonly code: unknown };

function outcomeOf(value: unknown): Outcome {
  try {
    return { text: serialize(value, LIMITS) };
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    return { code: Reflect.get(error as Error, 'code') };
  }
}

describe('whatever a plugin returns', () => {
  it('leaves as JSON within the caps, or is refused by a code', () => {
    let made = 0;
    fc.assert(
      fc.property(graphs(), (nodes) => {
        const outcome = outcomeOf(build(nodes));
        if ('code' in outcome) {
          expect(outcome.code).toMatch(/^RESULT_(INVALID|TOO_LARGE)$/);
          return;
        }
        made += 1;
        expect(Buffer.byteLength(outcome.text)).toBeLessThanOrEqual(LIMITS.maxResultBytes);
        const copy: unknown = JSON.parse(outcome.text);
        expect(JSON.stringify(copy)).toBe(outcome.text);
        expect(depthOf(copy)).toBeLessThanOrEqual(LIMITS.maxResultDepth);
        expect(nodesOf(copy)).toBeLessThanOrEqual(LIMITS.maxResultNodes + 1);
      }),
      { numRuns: runs(1000) },
    );
    expect(made).toBeGreaterThan(50);
  });

  it('each of its properties is read once, so that what is counted is what leaves', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const reads = new Map<object, Map<PropertyKey, number>>();
        outcomeOf(watched(value, reads));
        for (const keys of reads.values()) {
          for (const [key, count] of keys) expect([key, count]).toEqual([key, 1]);
        }
      }),
    );
  });
});

/** Counts how often each property of each object is read. `length` of a list counts as one. */
function watched(value: unknown, reads: Map<object, Map<PropertyKey, number>>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const mine = new Map<PropertyKey, number>();
  reads.set(value, mine);
  return new Proxy(value, {
    get: (target, key) => {
      mine.set(key, (mine.get(key) ?? 0) + 1);
      return watched(Reflect.get(target, key), reads);
    },
  });
}

interface Node {
  readonly list: boolean;
  readonly items: readonly unknown[];
  readonly twist: (object: object) => unknown;
}

/** How to build values that are connected as they like, and do things where they are touched. */
function graphs(): fc.Arbitrary<readonly Node[]> {
  const leaf = fc.oneof(
    fc.anything({ withBigInt: true, withDate: true, withMap: true, withTypedArray: true }),
    fc.constantFrom(undefined, null, NaN, -0, 1n, Symbol('s'), () => 1, ''),
    fc.string({ unit: 'binary', maxLength: 300 }),
  );
  const node = fc.record({
    list: fc.boolean(),
    items: fc.array(fc.oneof(leaf, fc.nat(9).map(reference)), { maxLength: 5 }),
    twist: fc.oneof(
      { weight: 6, arbitrary: fc.constant(asItIs) },
      { weight: 1, arbitrary: fc.constantFrom(...TWISTS) },
    ),
  });
  return fc.array(node, { minLength: 1, maxLength: 10 });
}

/** Not done by the arbitrary, because fast-check looks into what it makes. */
function build(nodes: readonly Node[]): unknown {
  const made: object[] = nodes.map(({ list }) => (list ? [] : {}));
  nodes.forEach(({ list, items }, index) => {
    items.forEach((item, at) => {
      const value = item instanceof Reference ? made[item.index % made.length] : item;
      Reflect.set(made[index] ?? {}, list ? at : `k${at}`, value);
    });
  });
  return nodes.map(({ twist }, index) => twist(made[index] ?? {}))[0];
}

class Reference {
  readonly index: number;
  constructor(index: number) {
    this.index = index;
  }
}

function reference(index: number): Reference {
  return new Reference(index);
}

function asItIs(object: object): unknown {
  return object;
}

const TWISTS: readonly ((object: object) => unknown)[] = [
  (object) => Object.assign(object, { toJSON: () => object }),
  (object) => Object.assign(object, { toJSON: () => [object, object] }),
  (object) =>
    Object.assign(object, {
      toJSON: () => {
        throw 'thrown';
      },
    }),
  (object) =>
    Object.defineProperty(object, 'bad', {
      enumerable: true,
      get: () => {
        throw new Proxy(new Error('x'), {
          get: () => {
            throw new Error('again');
          },
        });
      },
    }),
  (object) => Object.defineProperty(object, 'more', { enumerable: true, get: () => ({ object }) }),
  (object) => new Proxy(object, { ownKeys: () => ['a', 'a'] }),
  () => new Proxy([], { get: (_list, key) => (key === 'length' ? 2 ** 53 : undefined) }),
  () => new Proxy([], { get: (_list, key) => (key === 'length' ? { valueOf: () => 9 } : key) }),
  () => new Proxy([], { get: (_list, key) => (key === 'length' ? -1 : undefined) }),
  () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
  (object) => Object.setPrototypeOf(object, null),
  (object) => Object.setPrototypeOf(object, String.prototype),
  (object) => Array.from({ length: 50 }, () => object),
  (object) => Object.freeze(object),
  () => Object.create({ inherited: 1 }, { own: { value: 1, enumerable: true } }),
  () => new String('boxed'),
  () => Object.assign(new Number(1), { valueOf: () => 'x'.repeat(9_999) }),
];

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function nodesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, item) => sum + nodesOf(item), 1);
}
