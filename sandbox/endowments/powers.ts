import { RawJson } from '../wire/service.js';
import { makeRevocation } from './denial.js';
import type { Endowed, Endowment, EndowmentPowers } from './endowment.js';
import { toPluginError } from './from-host.js';
import { withCode } from './coded-error.js';

/**
 * `powers.<name>(arguments)`: what the host lends by name. Each is a function that gives a promise
 * of a copy. A name that was not granted is a function, too: one that says so.
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

/** Uses the host's powers by name. Every rejection is an error that plugin code may have. */
export interface PowerClient {
  /** Rejects with `POWER_DENIED` where no permission of the plugin lends that name. */
  use(name: string, args: unknown): Promise<unknown>;
  revoke(): void;
  /** Takes uses again. */
  restore(): void;
}

export function makePowerClient(
  given: Pick<EndowmentPowers, 'host' | 'plugin' | 'serialize' | 'denial' | 'grant'>,
): PowerClient {
  let revoked = false;
  return {
    use: async (name, args) => {
      if (revoked) throw makeRevocation(given.plugin, 'powers', name);
      // Which of the host's names a permission lends, the host alone knows.
      if (given.grant.powers === undefined) throw given.denial('powers', name);
      const text = argumentsText(name, args, given.serialize);
      try {
        const params = new RawJson(`{"name":${JSON.stringify(name)},"arguments":${text}}`);
        return await given.host.request('power', params);
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

function argumentsText(name: string, args: unknown, serialize: (value: unknown) => string): string {
  try {
    return args === undefined ? '{}' : serialize(args);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'they cannot be read';
    throw withCode(new Error(`The arguments of ${name} cannot be sent: ${why}`), 'POWER_INVALID');
  }
}

function offer(own: readonly (readonly [string, Power])[], client: PowerClient): object {
  const target: Readonly<Record<string, Power>> = Object.assign(
    Object.create(null),
    Object.fromEntries(own),
  );
  return new Proxy(target, {
    get: (held, key) => {
      // A promise is asked for `then`, and `JSON.stringify` asks for `toJSON`: neither is a power.
      if (typeof key === 'symbol' || key === 'then' || key === 'toJSON') return undefined;
      const power = Object.hasOwn(held, key) ? held[key] : undefined;
      // One that is not granted may be later: the client says each time how it stands.
      return power ?? harden((args: unknown): Promise<unknown> => client.use(key, args));
    },
  });
}
