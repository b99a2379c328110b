import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/property-runs.ts'],
    // None where properties are run for as long as somebody likes.
    testTimeout: process.env['BULKHEAD_FUZZ_RUNS'] === undefined ? 20_000 : 0,
    // Guests are processes: more files at once than cores only makes every deadline later.
    maxWorkers: 2,
  },
});
