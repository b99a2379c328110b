import { makeDenial } from './endowments/denial.js';
import { type Prebuilt, prebuildEndowments } from './endowments/endow.js';
import type {
  EndowmentCapabilities,
  HostCapability,
  WebCapabilities,
} from './endowments/endowment.js';
import { serialize } from './serialize.js';
import { MAX_ERROR_STACK } from './wire/limits.js';
import type { GuestGrant, LoadParams } from './wire/methods.js';

/** The requirements for endowing a plugin. */
export interface EndowerCapabilities extends WebCapabilities {
  /** Whether the realm has other plugins. */
  readonly shared?: boolean;
  /** Reads the real stack of an error, which the plugin cannot read. */
  readonly getStackString: (error: Error) => string;
}

/** The plugin of an endower. */
interface EndowedPlugin extends Pick<LoadParams, 'plugin' | 'limits' | 'grant'> {
  /** Whether plugins of its system may have cryptographic randomness. */
  readonly hasCryptoRandom: boolean;
}

/** The source of the endowments of one compartment. Its plugin may not be known yet. */
export interface Endower {
  readonly capabilities: EndowmentCapabilities;
  /** Endowments that were built in advance. */
  readonly ahead?: Prebuilt;
  /** Sets the plugin. Before this, its identity and limits must not be read. */
  begin(params: EndowedPlugin): void;
  /** Replaces the grant of the plugin. */
  regrant(grant: GuestGrant): void;
  /** Calls the listener with each line of the plugin's `console`s, also those of its packages. One listener at most. */
  listen(listener: NonNullable<EndowmentCapabilities['logged']>): void;
}

export function makeEndower(
  capabilities: EndowerCapabilities,
  host: HostCapability,
  reportFault: (error: unknown) => void,
): Endower {
  let owner: Omit<EndowedPlugin, 'grant'> | undefined;
  let grant = NOTHING;
  let logged: EndowmentCapabilities['logged'];
  const known = (): Omit<EndowedPlugin, 'grant'> => {
    if (owner === undefined) throw new Error('it has no owner yet');
    return owner;
  };
  const report = (permission: string, wanted: string, error: Error, inPackage?: string): void => {
    const stack = capabilities.getStackString(error).slice(0, MAX_ERROR_STACK);
    const named = inPackage === undefined ? {} : { package: inPackage };
    host.notify('denied', { permission, wanted, stack, ...named });
  };
  return {
    capabilities: {
      ...capabilities,
      get plugin() {
        return known().plugin;
      },
      get limits() {
        return known().limits;
      },
      get grant() {
        return grant;
      },
      host,
      get logged() {
        return logged;
      },
      reportFault,
      serialize: (value, { maxBytes, ...options } = {}) => {
        const { limits } = known();
        const most = maxBytes === undefined ? limits : { ...limits, maxResultBytes: maxBytes };
        return serialize(value, most, options);
      },
      get hasCryptoRandom() {
        return known().hasCryptoRandom;
      },
      denied: report,
      denial: (permission, wanted) => {
        const error = makeDenial(known().plugin)(permission, wanted);
        report(permission, wanted, error);
        return error;
      },
    },
    begin: ({ grant: first, ...plugin }) => {
      owner = plugin;
      grant = first;
    },
    regrant: (next) => {
      grant = next;
    },
    listen: (listener) => {
      logged = listener;
    },
  };
}

/**
 * Builds, on standby, the endowments that do not depend on the plugin. They take a third of a
 * load's time. For one compartment only.
 */
export function prepareEndower(...args: Parameters<typeof makeEndower>): Endower {
  const endowing = makeEndower(...args);
  return { ...endowing, ahead: prebuildEndowments(endowing.capabilities) };
}

/** The grant of a plugin without permissions. */
export const NOTHING: GuestGrant = {
  time: false,
  random: false,
  network: false,
  fs: undefined,
  storage: false,
  powers: undefined,
  env: undefined,
};
