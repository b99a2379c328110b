import { describe, expect, it } from 'vitest';
import { closest } from '../../src/brokers/closest.js';

describe('the closest of what is known', () => {
  it.each([
    ['api.wether.com', ['api.weather.com'], 'api.weather.com'],
    ['data/a.text', ['other', 'data/a.txt'], 'data/a.txt'],
    ['api.weathre.com', ['api.weaver.com', 'api.weather.com'], 'api.weather.com'],
    ['evil.com', ['api.weather.com'], undefined],
    ['abc', ['xyz'], undefined],
    ['api.weather.com', [], undefined],
    ['', ['a'], undefined],
  ])('of %j among %j is %j', (text, known, nearest) => {
    expect(closest(text, known)).toBe(nearest);
  });
});
