import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that start guests, the command line or other programs. Everything else is a unit test. */
const PROCESS = [
  'test/{adapters,agent,cli,conformance,engine,escape,examples,fleet,guests,http,load,npm,remotes}/**/*.test.ts',
  'test/plugin/bundle/{bundle,containment,denials}.test.ts',
  'test/formats/*/{engine,council}/**/*.test.ts',
];
/** They drive Chromium, and are skipped without it: `npm run test:browser`. */
const BROWSER = ['test/browser/**/*.test.ts'];
const DOCS = ['test/docs.test.ts', 'test/docs/**/*.test.ts'];
const FUZZ = ['test/fuzz/**/*.test.ts'];
/** They have a configuration of their own: `npm run test:adapters`. */
const FRAMEWORKS = ['test/frameworks/**'];

/** The files that take longest. They run first, so that the workers end together. */
const LONGEST = [
  'cli/registry',
  'engine/recording/fixtures',
  'cli/selftest/selftest',
  'cli/serve/serve',
  'escape/isolation',
  'load/churn',
  'engine/close',
  'docs',
  'cli/mistakes',
  'escape/locked-plugin',
  'escape/hooks',
  'escape/loading',
  'escape/native/managers',
  'engine/mounts',
  'cli/walls',
  'cli/init',
  'fleet/operator',
  'cli/npm',
  'engine/sqlite/sqlite',
  'cli/main',
  'engine/programs/killed-host',
].map((name) => `/test/${name}.test.ts`);

class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = LONGEST.findIndex((name) => moduleId.endsWith(name));
      return index === -1 ? LONGEST.length : index;
    };
    return Promise.resolve(files.toSorted((a, b) => rank(a) - rank(b)));
  }
}

/** A longer run of the properties (`npm run fuzz`) has no limit for each of them. */
const isLongFuzz = process.env['BULKHEAD_FUZZ_RUNS'] !== undefined;

export default defineConfig({
  test: {
    globalSetup: ['test/run-directory.ts'],
    setupFiles: ['test/property-runs.ts', 'test/tidy-setup.ts', 'test/bundler-setup.ts'],
    // Generous: it ends a test that hangs. What a test measures, it measures itself.
    testTimeout: isLongFuzz ? 0 : 180_000,
    hookTimeout: 180_000,
    // An event that a test waits for may take long on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    // Loading the imports of a test takes as long as the test, so files of one worker share them.
    // test/tidying.ts cleans up after each file.
    isolate: false,
    // Two more than the two cores of the smallest machine, because tests wait for their guests.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...PROCESS, ...BROWSER, ...DOCS, ...FUZZ, ...FRAMEWORKS],
        },
      },
      { extends: true, test: { name: 'process', include: PROCESS } },
      { extends: true, test: { name: 'browser', include: BROWSER } },
      { extends: true, test: { name: 'docs', include: DOCS } },
      { extends: true, test: { name: 'fuzz', include: FUZZ } },
    ],
  },
});
