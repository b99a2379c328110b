import { expect, vi } from 'vitest';

/**
 * Tests of engines bundle some two thousand plugins, and to start a process for each of them took
 * half of their processor time. So one process for each worker bundles them all, without walls;
 * which of it all concerns bundling itself, or containment, has the real one.
 */
const WITH_THE_REAL_ONE =
  /[\\/]test[\\/](?:escape[\\/](?:bundler|loading|native)|guests|plugin|cli[\\/]walls|engine[\\/]walls)/;

vi.mock(import('../src/engine/node/walled-bundler.js'), async (importOriginal) => {
  const original = await importOriginal();
  const { makeBundler } = await import('../src/plugin/bundle/bundler.js');
  const shared = makeBundler({ identify: () => 'every plugin of the tests' });
  return {
    ...original,
    walledBundler: (...args) =>
      WITH_THE_REAL_ONE.test(expect.getState().testPath ?? '')
        ? original.walledBundler(...args)
        : shared,
  };
});
