import type { PermissionName } from '../permissions/kind.js';
import { snapshotEnvironment } from './environment.js';
import { makeFilesystemBroker } from './filesystem/broker.js';
import { makeNetworkBroker } from './network/broker.js';
import { makePowerBroker } from './powers/broker.js';
import { makeStorageBroker } from './storage/broker.js';

/** The broker of each kind of permission. */
export const brokers: BrokerTable = {
  time: {
    none:
      'Every process has a clock, so the host has nothing to lend. The guest hides its clock from a' +
      ' compartment without the permission.',
  },
  random: {
    none:
      'Math.random is computed in the guest from a seed of its own realm. It is not a secret of the' +
      ' host, and the guest keeps it from a compartment that was not granted it.',
  },
  storage: { make: makeStorageBroker },
  powers: { make: makePowerBroker },
  network: { make: makeNetworkBroker },
  fs: { make: makeFilesystemBroker },
  // Not a service: the host reads the values once at load and sends them as data.
  env: { make: snapshotEnvironment },
};

export interface BrokerTable extends Record<PermissionName, NoBroker | { readonly make: unknown }> {
  readonly time: NoBroker;
  readonly random: NoBroker;
  readonly storage: { readonly make: typeof makeStorageBroker };
  readonly powers: { readonly make: typeof makePowerBroker };
  readonly network: { readonly make: typeof makeNetworkBroker };
  readonly fs: { readonly make: typeof makeFilesystemBroker };
  readonly env: { readonly make: typeof snapshotEnvironment };
}

/** Why a kind of permission needs no broker. */
export interface NoBroker {
  readonly none: string;
}
