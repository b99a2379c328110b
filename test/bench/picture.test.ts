import { describe, expect, it } from 'vitest';
import type { Comparison, Figures } from '../../bench/peers/comparison.js';
import { drawComparison } from '../../bench/picture.js';

const figures = (smallMicros: number): Figures => ({
  coldMs: 40,
  smallMicros,
  smallP99Micros: 90,
  bigMicros: 600,
  perSecond: 100_000,
  memoryKb: 11_000,
  fibTimes: 1,
  floorsTimes: 1,
});
const one = (name: string, node: string, smallMicros: number): Comparison => ({
  name,
  node,
  isolation: 'something',
  ownProcess: name === 'Bulkhead',
  isFloor: name === 'a bare pipe',
  figures: figures(smallMicros),
});
const draw = (...comparisons: readonly Comparison[]): string =>
  drawComparison({
    machine: '2 × a processor',
    at: '2026-01-02T03:04:05Z',
    measures: [],
    comparisons,
    missing: [],
  });

const svg = draw(
  one('a bare pipe', '20.1.0', 20),
  one('Bulkhead', '20.1.0', 30),
  one('a bare pipe', '26.1.0', 10),
  one('a <peer> 1.2.3', '26.1.0', 30),
  { ...one('absent', '26.1.0', 1), figures: undefined, missing: 'not installed' } as never,
);

describe('the picture of a run', () => {
  it('compares each with the floor of its own Node version', () => {
    expect(svg).toContain('>1.5×<');
    expect(svg).toContain('>3.0×<');
    expect(svg).toContain('bare pipe: 20 µs on Node 20, 10 µs on Node 26');
  });

  it('names each with its version and Node version, and leaves out those not measured', () => {
    expect(svg).toContain('a &lt;peer> 1.2.3 · Node 26');
    expect(svg).not.toContain('absent');
  });

  it('contains the date, the machine, and a note that scales are logarithmic', () => {
    expect(svg).toContain('2 × a processor, 2026-01-02');
    expect(svg).toContain('scales are logarithmic');
  });

  it('contains only numbers as figures', () => {
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  });
});
