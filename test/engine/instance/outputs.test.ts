import { describe, expect, it } from 'vitest';
import { makeOutputs } from '../../../src/engine/instance/in-flight.js';
import { GUEST_LIMITS } from '../../../src/engine/types/limits.js';

describe('the output of a call', () => {
  it('is passed on up to its cap', () => {
    const outputs = makeOutputs();
    let heard = 0;
    outputs.open('a', { onOutput: (chunk) => (heard += chunk.length) });
    for (let n = 0; n < 5; n += 1) outputs.hear('a', 'x'.repeat(400_000));
    expect(heard).toBe(GUEST_LIMITS.maxOutputText);
  });

  it('is ignored if it is not text or belongs to no running call', () => {
    const outputs = makeOutputs();
    const heard: string[] = [];
    outputs.open('a', { onOutput: (chunk) => heard.push(chunk) });
    for (const call of ['b', undefined, 5, '__proto__']) outputs.hear(call, 'text');
    for (const text of [undefined, 5, {}, '']) outputs.hear('a', text);
    outputs.hear('a', 'heard');
    outputs.close('a');
    outputs.hear('a', 'late');
    expect(heard).toEqual(['heard']);
  });

  it('reports progress to a caller that reads it, field by field, and as text to others', () => {
    const outputs = makeOutputs();
    const heard: unknown[] = [];
    outputs.open('a', {
      onOutput: (chunk) => heard.push(chunk),
      onProgress: (progress) => heard.push(progress),
    });
    outputs.open('b', { onOutput: (chunk) => heard.push(chunk) });
    outputs.hear('a', '1/2 half', { progress: 1, total: 2, message: 'half', evil: 1 });
    outputs.hear('a', 'text', { progress: '1', total: 2 });
    outputs.hear('a', 'text', { progress: 2, total: 'x', message: {} });
    outputs.hear('a', 'long', { progress: 3, message: 'x'.repeat(9_000) });
    outputs.hear('b', '1/2 half', { progress: 1, total: 2, message: 'half' });
    expect(heard).toEqual([
      { progress: 1, total: 2, message: 'half' },
      'text',
      { progress: 2 },
      { progress: 3, message: 'x'.repeat(4_000) },
      '1/2 half',
    ]);
  });
});
