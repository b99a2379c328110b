import { denial, offer } from './denied.js';
import { surrounding, type Surroundings } from './surroundings.js';

/** What packages such as node-fetch give, made of the compartment's own `fetch` where there is one. */
const fetch: Surroundings['fetch'] = (input, init) => {
  const own = surrounding('fetch');
  if (own === undefined) {
    throw denial(
      'NETWORK_DENIED',
      `fetch(${JSON.stringify(String(input))}) is refused: this plugin has no network permission. Add the host to "network" in its manifest.`,
    );
  }
  return own(input, init);
};

export const builtin: object = offer(
  'node-fetch',
  Object.assign(fetch, {
    default: fetch,
    fetch,
    get Headers() {
      return surrounding('Headers');
    },
    get Request() {
      return surrounding('Request');
    },
    get Response() {
      return surrounding('Response');
    },
    get FormData() {
      return surrounding('FormData');
    },
  }),
);
