import { expect, test } from 'vitest';
import { SPINDLE_PERMISSIONS } from '../../src/formats/spindle/permission-names.js';
import { powers } from '../../src/permissions/powers.js';
import { spindleWords } from '../../src/permissions/spindle-words.js';

test('every permission of Spindle is said in words of its own, and no other name is', () => {
  expect([...spindleWords.keys()].toSorted()).toEqual(
    ['spindle', ...SPINDLE_PERMISSIONS].toSorted(),
  );
  expect(new Set(spindleWords.values()).size).toBe(spindleWords.size);
  expect(powers.explain('interceptor')).toBe('Read and change every prompt before it is sent.');
  expect(powers.explain('conversations')).toBe('Use conversations, which the host provides.');
});
