/**
 * What becomes of an invocation, by what its handlers return and throw (Spindle tools, Handling tool
 * invocations): each case byte for byte as in the original's own runtime.
 */
import { describe, expect, it } from 'vitest';
import { makeExtension, registering } from '../../engine/extension-on-disk.js';
import { startEngine } from '../../engine/plugin-on-disk.js';

interface Golden {
  readonly name: string;
  readonly handlers: readonly string[];
  readonly answer: { readonly result: string } | { readonly error: string };
}

const cases: readonly Golden[] = [
  { name: 'a text', handlers: ['() => "found it"'], answer: { result: 'found it' } },
  { name: 'an object', handlers: ['() => ({ a: 1 })'], answer: { result: '[object Object]' } },
  { name: 'a number', handlers: ['() => 42'], answer: { result: '42' } },
  { name: 'false', handlers: ['() => false'], answer: { result: 'false' } },
  {
    name: 'an empty text, which counts as an answer',
    handlers: ['() => ""', '() => "ignored"'],
    answer: { result: '' },
  },
  { name: 'nothing at all', handlers: ['() => {}', '() => null'], answer: { result: '' } },
  {
    name: 'an error',
    handlers: ['() => { throw new Error("boom") }', '() => "never asked"'],
    answer: { error: 'boom' },
  },
  {
    name: 'a throw that is no error',
    handlers: ['() => { throw "text" }'],
    answer: { error: 'Tool invocation failed' },
  },
  {
    name: 'two answers, of which the first counts',
    handlers: ['async () => null', 'async () => "first"', '() => "second"'],
    answer: { result: 'first' },
  },
  {
    name: 'an answer and then an error',
    handlers: ['() => "answer"', '() => { throw new Error("late") }'],
    answer: { error: 'late' },
  },
  { name: 'no handler', handlers: [], answer: { error: 'No TOOL_INVOCATION handler registered' } },
  {
    name: 'a promise that is rejected',
    handlers: ['async () => { throw new TypeError("no such thing") }'],
    answer: { error: 'no such thing' },
  },
];

describe('a Spindle extension', () => {
  it.each(cases)('answers $name as the original does', async ({ handlers, answer }) => {
    const source = [
      registering('tool'),
      ...handlers.map((handler) => `spindle.on('TOOL_INVOCATION', ${handler});`),
    ].join('\n');
    const engine = await startEngine([makeExtension({ source })]);
    const result = await engine.call('sample:tool', {});
    const [block] = result.content;
    expect(result.isError ? { error: block?.text } : { result: block?.text }).toEqual(answer);
    await engine.close();
  });

  it('runs all handlers one after the other', async () => {
    const source = `${registering('tool')} ${registering('order')}
    const order = [];
    spindle.on('TOOL_INVOCATION', async ({ toolName }) => {
      if (toolName === 'order') return order.join();
      order.push('a'); await null; await null; order.push('b'); return 'x';
    });
    spindle.on('TOOL_INVOCATION', ({ toolName }) => { if (toolName === 'tool') order.push('c'); });`;
    const engine = await startEngine([makeExtension({ source })]);
    expect((await engine.call('tool', {})).value).toBe('x');
    expect((await engine.call('order', {})).value).toBe('a,b,c');
  });

  it('no longer calls a handler that unsubscribed', async () => {
    const source = `${registering('tool')}
    const stop = spindle.on('TOOL_INVOCATION', () => { stop(); return 'once'; });`;
    const engine = await startEngine([makeExtension({ source })]);
    expect((await engine.call('tool', {})).value).toBe('once');
    expect((await engine.call('tool', {})).content[0]?.text).toBe(
      'No TOOL_INVOCATION handler registered',
    );
  });
});
