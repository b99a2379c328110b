import type { PermissionName } from '../permissions/kind.js';
import { snapshotEnvironment } from './environment.js';
import { makeFilesystemBroker } from './filesystem/broker.js';
import { makeNetworkBroker } from './network/broker.js';
import { makePowerBroker } from './powers/broker.js';
import { makeStorageBroker } from './storage/broker.js';

/** Who in the host serves each kind of permission, once it is granted. */
export const brokers: BrokerTable = {
  time: {
    none:
      'Every process can tell the time, so there is nothing that a host would have to lend. The' +
      ' guest keeps its clock from a compartment that was not granted it.',
  },
  random: {
    none:
      'Math.random is computed in the guest from a seed of its own realm. It is no secret of the' +
      ' host, and the guest keeps it from a compartment that was not granted it.',
  },
  storage: { make: makeStorageBroker },
  powers: { make: makePowerBroker },
  network: { make: makeNetworkBroker },
  filesystem: { make: makeFilesystemBroker },
  // Not a servant but its last act: values are read once, at load, and cross as data.
  environment: { make: snapshotEnvironment },
};

export interface BrokerTable extends Record<PermissionName, NoBroker | { readonly make: unknown }> {
  readonly time: NoBroker;
  readonly random: NoBroker;
  readonly storage: { readonly make: typeof makeStorageBroker };
  readonly powers: { readonly make: typeof makePowerBroker };
  readonly network: { readonly make: typeof makeNetworkBroker };
  readonly filesystem: { readonly make: typeof makeFilesystemBroker };
  readonly environment: { readonly make: typeof snapshotEnvironment };
}

/** Why a kind of permission needs no servant in the host. */
export interface NoBroker {
  readonly none: string;
}
