import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { snapshotEnvironment } from '../../src/brokers/environment.js';

describe('a snapshot of the environment', () => {
  it('holds the granted variables that are set, and no other', () => {
    const source = { API_KEY: 'k', EMPTY: '', HOME: '/root', UNSET: undefined };
    expect({ ...snapshotEnvironment(['API_KEY', 'EMPTY', 'UNSET', 'NONE'], source) }).toEqual({
      API_KEY: 'k',
      EMPTY: '',
    });
  });

  it('does not change when the source does', () => {
    const source: Record<string, string> = { API_KEY: 'old' };
    const snapshot = snapshotEnvironment(['API_KEY'], source);
    source['API_KEY'] = 'new';
    expect(snapshot['API_KEY']).toBe('old');
  });

  it("reads the process's own variables", () => {
    process.env['BULKHEAD_TEST'] = 'here';
    expect(snapshotEnvironment(['BULKHEAD_TEST'], process.env)['BULKHEAD_TEST']).toBe('here');
    delete process.env['BULKHEAD_TEST'];
  });

  it('has no prototype, and cannot get one', () => {
    const source = JSON.parse('{"__proto__":"p","A":"a"}') as Record<string, string>;
    const snapshot = snapshotEnvironment(['__proto__', 'A', 'constructor', 'toString'], source);
    expect(Object.getPrototypeOf(snapshot)).toBeNull();
    expect(Object.entries(snapshot)).toEqual([
      ['__proto__', 'p'],
      ['A', 'a'],
    ]);
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });

  it('never holds a key that was not granted', () => {
    const values = fc.dictionary(fc.string(), fc.string());
    fc.assert(
      fc.property(values, fc.array(fc.string()), (source, granted) => {
        const snapshot = snapshotEnvironment(granted, source);
        for (const key of Object.keys(snapshot)) {
          expect(granted).toContain(key);
          expect(snapshot[key]).toBe(source[key]);
        }
      }),
    );
  });
});
