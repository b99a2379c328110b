import { defineConfig } from 'vitest/config';

/** Tests that start guests, the command line or other programs. Everything else is a unit test. */
const PROCESS = [
  'test/{adapters,agent,cli,conformance,engine,escape,guests,http,load,remotes}/**/*.test.ts',
  'test/formats/*/{engine,council}/**/*.test.ts',
];
const DOCS = ['test/docs.test.ts', 'test/docs/**/*.test.ts'];
const FUZZ = ['test/fuzz/**/*.test.ts'];

/** A longer run of the properties (`npm run fuzz`) has no limit for each of them. */
const isLongFuzz = process.env['BULKHEAD_FUZZ_RUNS'] !== undefined;

export default defineConfig({
  test: {
    setupFiles: ['test/property-runs.ts', 'test/tidy-setup.ts'],
    // Generous: it ends a test that hangs. What a test measures, it measures itself.
    testTimeout: isLongFuzz ? 0 : 60_000,
    hookTimeout: 60_000,
    // Loading the imports of a test takes as long as the test, so files of one worker share them.
    // test/tidying.ts cleans up after each file.
    isolate: false,
    // Guests are processes: more files at once than cores would only make every deadline later.
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...PROCESS, ...DOCS, ...FUZZ],
        },
      },
      { extends: true, test: { name: 'process', include: PROCESS } },
      { extends: true, test: { name: 'docs', include: DOCS } },
      { extends: true, test: { name: 'fuzz', include: FUZZ } },
    ],
  },
});
