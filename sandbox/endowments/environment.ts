import { toText } from './web-idl.js';
import { makeRevocation } from './denial.js';
import type { Endowed, Endowment, EndowmentPowers } from './endowment.js';

/** `env.get(key)`: the granted variables as they were at load, and `undefined` for every other. */
export const environment: Endowment = {
  permission: 'environment',
  globals: ['env'],
  make: (powers): Endowed => {
    const { plugin } = powers;
    let values = readValues(powers);
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
      restore: () => {
        revoked = false;
        values = readValues(powers);
        return undefined;
      },
    };
  },
};

function readValues({ grant }: EndowmentPowers): Map<string, string> {
  return new Map(Object.entries(grant.environment ?? {}));
}
