import type { AuditOptions } from '../audit/options.js';
import type { EngineOptions } from '../engine/types/options.js';

/** How a gateway or a runner reaches NATS. */
export interface FleetConnection {
  /** URLs of the servers, e.g. `tls://nats.internal:4222`. `nats://` is allowed on loopback only. */
  readonly servers: readonly string[];
  /** The name of the cell: gateways and runners with the same name work together. Default: `main`. */
  readonly cell?: string;
  /** This process's name, unique in its cell: small letters, digits and hyphens. */
  readonly name: string;
  /** A file with an NKey seed, mode 0600. Default: none. */
  readonly nkeyFile?: string;
  /** A file of credentials of NATS (`.creds`: a user's JWT and seed), mode 0600. Default: none. */
  readonly credentialsFile?: string;
  /** A file with certificate authorities, PEM. Default: those of Node. */
  readonly caFile?: string;
  /** Allows `nats://`, which anyone on the way can read, also for other hosts than loopback. Default: false. */
  readonly allowPlaintext?: boolean;
}

/** Options of a gateway: those of an engine, and its fleet. */
export interface GatewayOptions extends EngineOptions {
  /** The accepted plugins. Every runner has the same file. */
  readonly lockFile: string;
  readonly fleet: FleetConnection & {
    /** A file with the private Ed25519 key that signs calls, as `bulkhead keys new sign` creates it. */
    readonly signKey: string;
    /** Calls under way at once. Further ones fail with `BUSY`. Default: 1,000. */
    readonly maxCalls?: number;
  };
}

/** Options of a runner: those of an engine, and its fleet. */
export interface RunnerOptions extends EngineOptions {
  /** The audit log. Without a file or a store of its own, it is in the cell's stream. Default: there. */
  readonly audit?: AuditOptions;
  readonly lockFile: string;
  readonly fleet: FleetConnection & {
    /** Files with the public keys of the gateways that may send calls. */
    readonly gatewayKeys: readonly string[];
    /** A directory for what outlives this process: the ids of calls that ran. */
    readonly stateDirectory: string;
    /** The tenants that it serves. Default: all of the cell. */
    readonly tenants?: readonly string[];
    /** Calls that run at once. Further ones are sent to another runner. Default: 64. */
    readonly maxCalls?: number;
  };
}

/** A runner as a gateway last heard of it. */
export interface RunnerStatus {
  readonly name: string;
  /** The version of Bulkhead. */
  readonly version: string;
  /**
   * `ready` takes calls of this gateway. `deaf` does not hear the gateway, or does not trust its key. `leaving`
   * finishes its calls and ends. `silent` sent no heartbeat for 6 seconds.
   */
  readonly state: 'ready' | 'deaf' | 'leaving' | 'silent';
  /** The hashes of the artifacts that it can run. */
  readonly artifacts: readonly string[];
  readonly callsUnderWay: number;
  readonly maxCalls: number;
  /** Free bytes of its machine's memory. */
  readonly freeMemory: number;
  /** The tenants that it serves; `undefined`: all. */
  readonly tenants?: readonly string[];
  /** Milliseconds since 1970 of its last heartbeat, by the gateway's clock. */
  readonly heardAtMs: number;
  /** Why its audit log in NATS is not intact; absent if it is, or if it is not there. */
  readonly auditBroken?: string;
}
