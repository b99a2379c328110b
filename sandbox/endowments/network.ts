import type { Endowed, Endowment } from './endowment.js';
import { makeFetch } from './fetch/fetch.js';

/** `fetch` to the granted hosts. Its classes are always present: see `web`. */
export const network: Endowment = {
  permission: 'network',
  globals: ['fetch'],
  make: (capabilities): Endowed => {
    const { fetch, fetchWithin, revoke, restore } = makeFetch(capabilities);
    return {
      globals: { fetch },
      revoke,
      restore: () => {
        restore();
        return undefined;
      },
      narrow: (limit) => ({ fetch: fetchWithin(limit) }),
    };
  },
};
