import type { GrantPolicy } from '../engine/types/options.js';
import {
  choosePermissions,
  type PermissionChoice,
  unionOfRequests,
} from '../permissions/choice.js';

/**
 * What a plugin gets while it is inspected: what its call would get with the same options, but its files
 * read-only. A plugin that is inspected is not trusted yet. It therefore gets hosts only by `--allow`, and
 * `NO_NETWORK` answers its requests.
 */
export function inspectedGrant({ allow = [], only }: PermissionChoice): GrantPolicy {
  return ({ entries }) => {
    const request = unionOfRequests(entries);
    const choice = { allow, ...(only === undefined ? {} : { only }) };
    const chosen = choosePermissions(request, choice, () => {});
    const allowed = choosePermissions(request, { allow, only: [] }, () => {});
    return {
      ...chosen,
      // guard: inspected-without-network
      network: allowed.network,
      // guard: inspected-files-read-only
      fs: chosen.fs.map((scope) => scope.replace(/:rw$/, '')),
    };
  };
}

/** Answers the requests of a plugin that is inspected. Nothing is sent. */
export const NO_NETWORK = {
  answer: (): Promise<never> =>
    Promise.reject(new Error('bulkhead inspect gives a plugin no network')),
};
