import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tameSuppressedError } from '../../../sandbox/node/suppressed-error.js';

beforeEach(() => {
  vi.stubGlobal('harden', (made: { readonly prototype: object }) => {
    Object.freeze(made.prototype);
    return Object.freeze(made);
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

/** The realm's untamed `Error`, and the class that V8 takes when a disposal throws. */
function makeRealm() {
  class FeralError extends Error {}
  class SuppressedError extends FeralError {}
  return { SuppressedError, FeralError };
}

describe('SuppressedError', () => {
  it('leads to the same Error as the other kinds of errors do', () => {
    const realm = makeRealm();
    tameSuppressedError(realm);
    expect(Object.getPrototypeOf(realm.SuppressedError)).toBe(Object.getPrototypeOf(TypeError));
  });

  it('cannot be changed', () => {
    const realm = makeRealm();
    tameSuppressedError(realm);
    expect(Object.isFrozen(realm.SuppressedError)).toBe(true);
    expect(Object.isFrozen(realm.SuppressedError.prototype)).toBe(true);
  });

  it('may be missing, as before Node 24', () => {
    expect(() => tameSuppressedError({})).not.toThrow();
  });
});
