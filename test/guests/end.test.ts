import { expect, it } from 'vitest';
import { endError, explainExit } from '../../src/guests/end.js';

it.each([
  [
    { exitCode: null, signal: 'SIGABRT', lastWords: 'FATAL ERROR: JavaScript heap out of memory' },
    'memory',
  ],
  [{ exitCode: 134, signal: null, lastWords: 'Fatal process out of memory: Zone' }, 'memory'],
  [{ exitCode: null, signal: 'SIGXCPU', lastWords: '' }, 'cpu'],
  [{ exitCode: 152, signal: null, lastWords: '' }, 'cpu'],
  [{ exitCode: null, signal: 'SIGSEGV', lastWords: '' }, 'crash'],
  [{ exitCode: 3, signal: null, lastWords: '' }, 'crash'],
] as const)('%j is told as %s', (facts, cause) => {
  expect(explainExit(facts).cause).toBe(cause);
});

it('each way to end has a code of its own', () => {
  const codeOf = (cause: Parameters<typeof endError>[1]['cause']): string =>
    endError('p', { cause, detail: 'd' }).code;
  expect(codeOf('crash')).toBe('GUEST_CRASHED');
  expect(codeOf('memory')).toBe('GUEST_OUT_OF_MEMORY');
  expect(codeOf('cpu')).toBe('GUEST_OUT_OF_CPU');
  expect(codeOf('deadline')).toBe('GUEST_KILLED');
  expect(codeOf('protocol')).toBe('PROTOCOL_VIOLATION');
  expect(codeOf('closed')).toBe('ENGINE_CLOSED');
});
