import { userInfo } from 'node:os';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemCapabilities } from '../../src/cli/system-capabilities.js';

afterEach(() => vi.unstubAllEnvs());

describe('the operator', () => {
  it("has the name of the system's user, not that of the variable USER", () => {
    vi.stubEnv('USER', 'mallory');
    vi.stubEnv('LOGNAME', 'mallory');
    const { operator } = systemCapabilities(new AbortController().signal, '0');
    expect(operator).toBe(userInfo().username);
    expect(operator).not.toBe('mallory');
  });
});
