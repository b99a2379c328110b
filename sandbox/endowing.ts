import { makeDenial } from './endowments/denial.js';
import { type Ahead, endowAhead } from './endowments/endow.js';
import type { EndowmentPowers, HostPower, WebPowers } from './endowments/endowment.js';
import { serialize } from './serialize.js';
import { MAX_ERROR_STACK } from './wire/limits.js';
import type { GuestGrant, LoadParams } from './wire/methods.js';

/** What it takes to endow a plugin. */
export interface EndowingPowers extends WebPowers {
  /** Whether this realm holds other plugins too. */
  readonly shared?: boolean;
  /** The real stack of an error, which the plugin itself cannot read. */
  readonly getStackString: (error: Error) => string;
}

/** What the endowments of one compartment are made from, whosever it will be. */
export interface Endowing {
  readonly powers: EndowmentPowers;
  /** What was made of them already. */
  readonly ahead?: Ahead;
  /** Says whose it is. Until then nobody may ask who that is, nor what it may use up. */
  begin(params: Pick<LoadParams, 'plugin' | 'limits' | 'grant'>): void;
  /** Changes what it holds. */
  regrant(grant: GuestGrant): void;
}

export function makeEndowing(
  powers: EndowingPowers,
  host: HostPower,
  reportFault: (error: unknown) => void,
): Endowing {
  let owner: Pick<LoadParams, 'plugin' | 'limits'> | undefined;
  let grant = NOTHING;
  const known = (): Pick<LoadParams, 'plugin' | 'limits'> => {
    if (owner === undefined) throw new Error('it is nobody’s yet');
    return owner;
  };
  return {
    powers: {
      ...powers,
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
      reportFault,
      serialize: (value) => serialize(value, known().limits),
      denial: (permission, wanted) => {
        const error = makeDenial(known().plugin)(permission, wanted);
        const stack = powers.getStackString(error).slice(0, MAX_ERROR_STACK);
        host.notify('denied', { permission, wanted, stack });
        return error;
      },
    },
    begin: ({ plugin, limits, grant: first }) => {
      owner = { plugin, limits };
      grant = first;
    },
    regrant: (next) => {
      grant = next;
    },
  };
}

/**
 * Makes, while the guest is blank, what its plugin will be endowed with as far as that is the same for
 * all of them: a third of the work of loading one. It is for one compartment.
 */
export function prepareEndowing(...args: Parameters<typeof makeEndowing>): Endowing {
  const endowing = makeEndowing(...args);
  return { ...endowing, ahead: endowAhead(endowing.powers) };
}

/** What a plugin has that asked for nothing. */
export const NOTHING: GuestGrant = {
  time: false,
  random: false,
  network: false,
  filesystem: false,
  storage: false,
  powers: undefined,
  environment: undefined,
};
