import { describe, expect, it } from 'vitest';
import { exampleInput, parseCallLine } from '../../../src/cli/dev/call-line.js';
import { complete } from '../../../src/cli/dev/complete.js';

const schema = {
  type: 'object',
  properties: {
    city: { type: 'string' },
    days: { type: 'integer', minimum: 1 },
    unit: { enum: ['C', 'F'] },
  },
  required: ['city', 'unit'],
};

describe('a line of bulkhead dev', () => {
  it.each([
    ['weather', {}],
    ['weather {"city":"Oslo"}', { city: 'Oslo' }],
    ['weather city=Oslo days=3', { city: 'Oslo', days: 3 }],
    ['weather city=7 unit="C"', { city: '7', unit: 'C' }],
    ['weather city="New York" days=1', { city: 'New York', days: 1 }],
    ["weather city='New York'", { city: 'New York' }],
    ['weather city=', { city: '' }],
    ['weather more={"a":[1,2]}', { more: { a: [1, 2] } }],
  ])('%s is a call', (line, input) => {
    expect(parseCallLine(line, () => schema)).toEqual({ tool: 'weather', input });
  });

  it.each(['weather Oslo', 'weather {"city"', 'weather =1'])('%s is refused', (line) => {
    expect(() => parseCallLine(line, () => schema)).toThrow(/is not a field|is not JSON/);
  });

  it('has an example with the required fields', () => {
    expect(exampleInput(schema)).toEqual({ city: 'text', unit: 'C' });
  });
});

describe('the completion of a line', () => {
  const tools = [
    { name: 'w__weather', tool: 'weather', inputSchema: schema },
    { name: 'w__where', tool: 'where', inputSchema: {} },
  ];
  it.each([
    ['we', ['weather '], 'we'],
    ['w', ['weather ', 'where '], 'w'],
    ['.pe', ['.permissions '], '.pe'],
    ['weather ', ['city=', 'days=', 'unit='], ''],
    ['weather city=Oslo d', ['days='], 'd'],
    ['weather {', ['{"city":"text","unit":"C"}'], '{'],
    ['weather {"city":"Oslo","da', ['days":'], 'da'],
    ['weather {"city":"Os', [], 'weather {"city":"Os'],
    ['nothing ', [], 'nothing '],
  ])('%j', (line, candidates, part) => {
    expect(complete(line, tools)).toEqual([candidates, part]);
  });
});
