/** Tests of plugins: a real guest in a mocked world. */
export {
  loadPlugin,
  type TestedCall,
  type TestedPlugin,
  type TestOptions,
} from '../testing/load-plugin.js';
export { assertAsks, assertDenies, type MatcherResult, matchers } from '../testing/matchers.js';
export type { MockAnswer, MockFetch, SentRequest } from '../testing/mock-network.js';
export type { TestStorage } from '../testing/test-storage.js';
