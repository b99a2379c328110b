import { expect, it } from 'vitest';
import { GUEST_LIMITS } from '../../../src/engine/options/limits.js';
import { makeOutputs } from '../../../src/engine/call/outputs.js';

it('a call’s output is heard up to its cap, whatever its guest sends', () => {
  const outputs = makeOutputs();
  let heard = 0;
  outputs.open('a', (chunk) => (heard += chunk.length));
  for (let n = 0; n < 5; n += 1) outputs.hear('a', 'x'.repeat(400_000));
  expect(heard).toBe(GUEST_LIMITS.maxOutputText);
});

it('what is no text, and of no call that is under way, is not heard', () => {
  const outputs = makeOutputs();
  const heard: string[] = [];
  outputs.open('a', (chunk) => heard.push(chunk));
  for (const call of ['b', undefined, 5, '__proto__']) outputs.hear(call, 'text');
  for (const text of [undefined, 5, {}, '']) outputs.hear('a', text);
  outputs.hear('a', 'heard');
  outputs.close('a');
  outputs.hear('a', 'late');
  expect(heard).toEqual(['heard']);
});
