import { describe, expect, it } from 'vitest';
import { writePage } from '../../bench/page.js';

describe('the page of a run', () => {
  it('contains every figure of a run, including missed goals and missing peers', () => {
    const page = writePage({
      machine: '2 × a processor, linux',
      at: '2026-11-20T20:00:00.000Z',
      measures: [
        { work: 'small', unit: 'µs', ours: 75, floor: 107, ratio: 0.7, goal: '≤ 1.6', met: true },
        { work: 'a | b', unit: 'ms', ours: 132.4, goal: '≤ 100', met: false },
        { work: 'without a peer', unit: 'µs', ours: 0, goal: '≤ 1', missing: 'not installed' },
      ],
      comparisons: [],
      missing: ['without a peer: not installed'],
    });
    expect(page).toContain('on 2026-11-20, Node');
    expect(page).toContain('1 of 2 goals met.');
    expect(page).toContain(
      [
        '| work           | ours    | floor  | ratio | goal  |              |',
        '| -------------- | ------- | ------ | ----- | ----- | ------------ |',
        '| small          | 75.0 µs | 107 µs | 0.70  | ≤ 1.6 | met          |',
        '| a \\| b         | 132 ms  | –      | –     | ≤ 100 | NOT MET      |',
        '| without a peer | –       | –      | –     | ≤ 1   | not measured |',
      ].join('\n'),
    );
    expect(page).toContain('- without a peer: not installed');
  });
});
