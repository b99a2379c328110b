import { expect, test } from 'vitest';
import { closest } from '../../src/permissions/closest.js';

test('the candidate with the fewest errors is chosen', () => {
  expect(closest('api.exampel.com', ['api.sample.com', 'api.example.com'])).toBe('api.example.com');
});

test('a candidate with too many errors for the length of the text is not chosen', () => {
  expect(closest('abc', ['xyz'])).toBeUndefined();
  expect(closest('a.test', ['b.test'])).toBe('b.test');
  expect(closest('aa.test', ['bb.test'])).toBeUndefined();
});

test('the text itself is its own closest', () => {
  expect(closest('a.test', ['b.test', 'a.test', 'c.test'])).toBe('a.test');
});
