import { toText } from './web-idl.js';
import { makeRevocation } from './denial.js';
import type { Endowed, Endowment } from './endowment.js';

/** `env.get(key)`: the granted variables as they were at load, and `undefined` for every other. */
export const environment: Endowment = {
  permission: 'environment',
  globals: ['env'],
  make: ({ plugin, grant }): Endowed => {
    const values = new Map(Object.entries(grant.environment ?? {}));
    let revoked = false;
    return {
      globals: {
        env: {
          get: (key: unknown): string | undefined => {
            const name = toText(key);
            if (revoked) throw makeRevocation(plugin, 'environment', name);
            return values.get(name);
          },
        },
      },
      revoke: () => {
        revoked = true;
        values.clear();
      },
    };
  },
};
