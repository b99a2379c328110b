import { makeRevocation } from './denial.js';
import type { Endowed, Endowment, EndowmentCapabilities } from './endowment.js';
import { toPluginError } from './errors.js';
import { type PowerRequestOptions, requestPower } from './power-request.js';

/**
 * `powers.<name>(arguments)`: the host's functions by name. Each returns a promise of a copy. A
 * name without a grant is a function that rejects with the denial.
 */
export const powers: Endowment = {
  permission: 'powers',
  globals: ['powers'],
  make: (given): Endowed => {
    const client = makePowerClient(given);
    const own = (given.grant.powers ?? []).map((name): [string, Power] => [
      name,
      (args) => client.use(name, args),
    ]);
    return {
      globals: { powers: offer(own, client) },
      revoke: client.revoke,
      restore: () => {
        client.restore();
        return undefined;
      },
    };
  },
  withheld: (given): Endowed => powers.make(given),
};

type Power = (args: unknown) => Promise<unknown>;

/** Calls the host's powers by name. Plugin code may see every rejection. */
export interface PowerClient {
  /** Rejects with `POWER_DENIED` if no permission of the plugin covers the name. */
  use(name: string, args: unknown, options?: PowerRequestOptions): Promise<unknown>;
  revoke(): void;
  /** Allows uses again. */
  restore(): void;
}

export function makePowerClient(
  given: Pick<
    EndowmentCapabilities,
    'host' | 'plugin' | 'serialize' | 'limits' | 'denial' | 'grant' | 'text'
  >,
): PowerClient {
  let revoked = false;
  return {
    use: async (name, args, options) => {
      if (revoked) throw makeRevocation(given.plugin, 'powers', name);
      // Only the host knows which names a permission covers.
      if (given.grant.powers === undefined) throw given.denial('powers', name);
      try {
        return await requestPower(given, name, args === undefined ? {} : args, options);
      } catch (error) {
        throw toPluginError(error, 'POWER_FAILED', `${name} failed`);
      }
    },
    revoke: () => {
      revoked = true;
    },
    restore: () => {
      revoked = false;
    },
  };
}

function offer(own: readonly (readonly [string, Power])[], client: PowerClient): object {
  const target: Readonly<Record<string, Power>> = Object.assign(
    Object.create(null),
    Object.fromEntries(own),
  );
  return new Proxy(target, {
    get: (held, key) => {
      // `await` reads `then` and `JSON.stringify` reads `toJSON`. Neither is a power.
      if (typeof key === 'symbol' || key === 'then' || key === 'toJSON') return undefined;
      const power = Object.hasOwn(held, key) ? held[key] : undefined;
      // The grant may change, so the client checks it at each use.
      return power ?? harden((args: unknown): Promise<unknown> => client.use(key, args));
    },
  });
}
