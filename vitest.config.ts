import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/property-runs.ts', 'test/tidy-setup.ts'],
    // None where properties are run for as long as somebody likes.
    testTimeout: process.env['BULKHEAD_FUZZ_RUNS'] === undefined ? 20_000 : 0,
    // Loading what a test imports takes as long as the test: files of one worker share it. What a file
    // leaves behind is tidied away after it (test/tidying.ts).
    isolate: false,
    // Guests are processes: more files at once than cores only makes every deadline later.
    maxWorkers: 2,
    // Deadlines of milliseconds are tested on machines that have other work: on one of those a test
    // that fails is run again, and has to pass then. What is broken fails every time.
    retry: process.env['CI'] === undefined ? 0 : 2,
  },
});
