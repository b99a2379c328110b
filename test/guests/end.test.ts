import { describe, expect, it } from 'vitest';
import { endError, explainExit } from '../../src/guests/end.js';

describe('the end of a guest', () => {
  it.each([
    [
      {
        exitCode: null,
        signal: 'SIGABRT',
        stderrTail: 'FATAL ERROR: JavaScript heap out of memory',
      },
      'memory',
    ],
    [{ exitCode: 134, signal: null, stderrTail: 'Fatal process out of memory: Zone' }, 'memory'],
    [{ exitCode: null, signal: 'SIGXCPU', stderrTail: '' }, 'cpu'],
    [{ exitCode: 152, signal: null, stderrTail: '' }, 'cpu'],
    [{ exitCode: null, signal: 'SIGSEGV', stderrTail: '' }, 'crash'],
    [{ exitCode: 3, signal: null, stderrTail: '' }, 'crash'],
  ] as const)('by %j is reported as %s', (facts, cause) => {
    expect(explainExit(facts).cause).toBe(cause);
  });

  it('has a different code for each cause', () => {
    const codeOf = (cause: Parameters<typeof endError>[1]['cause']): string =>
      endError('p', { cause, detail: 'd' }).code;
    expect(codeOf('crash')).toBe('GUEST_CRASHED');
    expect(codeOf('memory')).toBe('GUEST_OUT_OF_MEMORY');
    expect(codeOf('cpu')).toBe('GUEST_OUT_OF_CPU');
    expect(codeOf('deadline')).toBe('NEIGHBOUR_ENDED');
    expect(codeOf('revoked')).toBe('GUEST_KILLED');
    expect(codeOf('protocol')).toBe('PROTOCOL_VIOLATION');
    expect(codeOf('closed')).toBe('ENGINE_CLOSED');
  });
});
