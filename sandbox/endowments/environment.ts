import { toText } from './web-idl.js';
import { makeRevocation } from './denial.js';
import type { Endowed, Endowment, EndowmentCapabilities } from './endowment.js';

/** `env.get(key)`: the granted variables as they were at load. `undefined` for other names. */
export const environment: Endowment = {
  permission: 'env',
  globals: ['env'],
  make: (capabilities): Endowed => {
    const { plugin } = capabilities;
    let values = readValues(capabilities);
    let revoked = false;
    return {
      globals: {
        env: {
          get: (key: unknown): string | undefined => {
            const name = toText(key);
            // guard: variable-revoked
            if (revoked) throw makeRevocation(plugin, 'env', name);
            return values.get(name);
          },
        },
      },
      revoke: () => {
        revoked = true;
        values.clear();
      },
      restore: () => {
        revoked = false;
        values = readValues(capabilities);
        return undefined;
      },
    };
  },
};

function readValues({ grant }: EndowmentCapabilities): Map<string, string> {
  return new Map(Object.entries(grant.env ?? {}));
}
