import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WireViolation } from '../../sandbox/wire/failure.js';
import { FROM_GUEST } from '../../sandbox/wire/limits.js';
import { weigh } from '../../sandbox/wire/parse.js';
import { runs } from '../property-runs.js';

const LIMITS = { ...FROM_GUEST, maxNodes: 12, maxDepth: 4 };

function isTooHeavy(text: string): boolean {
  try {
    weigh(text, LIMITS);
    return false;
  } catch (error) {
    expect(error).toBeInstanceOf(WireViolation);
    return true;
  }
}

describe('the weight of a JSON text', () => {
  it('is too high exactly if the weight of its value is', () => {
    const awkward = fc.constantFrom(
      '"',
      '\\',
      '\\"',
      '\\\\',
      ',',
      '[',
      '{"a":',
      ']}',
      '\\u0022',
      '',
    );
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 6, depthSize: 'large' },
        fc.oneof(awkward, fc.string(), fc.double(), fc.constant(null)),
        fc.array(tie('node'), { maxLength: 4 }),
        fc.dictionary(fc.oneof(awkward, fc.string()), tie('node'), { maxKeys: 3 }),
      ),
    })).node;
    fc.assert(
      fc.property(value, (given) => {
        const text = JSON.stringify(given);
        const { depth, nodes } = measure(JSON.parse(text));
        expect(isTooHeavy(text)).toBe(depth > LIMITS.maxDepth || nodes > LIMITS.maxNodes);
      }),
      { numRuns: runs(2000) },
    );
  });

  it('is not reduced by its notation', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom(0, 1, '\t', ' \n'), (json, indent) => {
        const value: unknown = JSON.parse(json);
        const { depth, nodes } = measure(value);
        if (depth <= LIMITS.maxDepth && nodes <= LIMITS.maxNodes) return;
        expect(isTooHeavy(JSON.stringify(value, null, indent))).toBe(true);
      }),
      { numRuns: runs(2000) },
    );
  });
});

function measure(value: unknown): { readonly depth: number; readonly nodes: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, nodes: 1 };
  const parts = Object.values(value).map(measure);
  return {
    depth: 1 + Math.max(0, ...parts.map((part) => part.depth)),
    nodes: parts.reduce((sum, part) => sum + part.nodes, 1),
  };
}
