import { array, boolean, number, object, optional, type Shape, string } from '../schema/shape.js';

/** How the server reaches its runners over NATS. It needs a lock file. */
export interface ConfiguredFleet {
  readonly servers: readonly string[];
  readonly name: string;
  readonly signKey: string;
  readonly cell?: string;
  readonly nkeyFile?: string;
  readonly credentialsFile?: string;
  readonly caFile?: string;
  readonly allowPlaintext?: boolean;
  readonly maxCalls?: number;
}

export const fleetShape: Shape<ConfiguredFleet> = object(
  {
    servers: array(string()),
    name: string(),
    signKey: string(),
    cell: optional(string()),
    nkeyFile: optional(string()),
    credentialsFile: optional(string()),
    caFile: optional(string()),
    allowPlaintext: optional(boolean),
    maxCalls: optional(number),
  },
  'refuse',
);
