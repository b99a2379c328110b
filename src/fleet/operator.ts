import { setTimeout } from 'node:timers/promises';
import { BulkheadError, messageOf } from '../errors.js';
import { readPublicKeys, readSigningKey } from '../keys/key-file.js';
import { auditStreamOf } from './audit-stream.js';
import { type RunnerAudit, type VerifyRunnersOptions, watchAudit } from './audit-watch.js';
import { connectCell } from './connection.js';
import { gatewayId } from './epoch.js';
import { HEARTBEAT_EVERY_MS, readHeartbeat } from './heartbeat.js';
import type { FleetConnection, RunnerStatus } from './options.js';
import { openPins, type Pin } from './pins.js';
import { makeRunnerTable } from './runner-table.js';
import { BULKHEAD_VERSION } from './version.js';

/** What an operator reads and changes in a cell, with the keys of one of its gateways, which need not run. */
export interface FleetOperator extends AsyncDisposable {
  /** The runners that send a heartbeat within some three seconds, as the gateway would see them. */
  runners(): Promise<readonly RunnerStatus[]>;
  /** The runners that keep the state of plugins. */
  pins(): Promise<readonly Pin[]>;
  /** From now on, that runner keeps the state of the plugin for that tenant. */
  move(plugin: string, runner: string, tenant: string | undefined): Promise<void>;
  /** Verifies the audit logs of all runners that NATS has. `keys`: files with public keys. */
  verifyAudit(
    options: Pick<VerifyRunnersOptions, 'anchors'> & {
      readonly keys?: readonly string[] | undefined;
    },
  ): Promise<readonly RunnerAudit[]>;
}

/** More than the time between two heartbeats. */
const LISTEN_MS = 1.25 * HEARTBEAT_EVERY_MS;

/** Throws `INVALID_KEY`, and `FLEET_FAILED` if NATS cannot be reached. */
export async function openFleetOperator(
  fleet: FleetConnection & { readonly signKey: string },
): Promise<FleetOperator> {
  const key = readSigningKey(fleet.signKey);
  const cell = await connectCell(fleet);
  const pins = openPins(cell);
  return {
    runners: async () => {
      const gateway = gatewayId({ key: key.id, gateway: cell.name });
      const table = makeRunnerTable({ gateway, version: BULKHEAD_VERSION, now: Date.now });
      const { connection, subjects } = cell;
      const heartbeats = connection.subscribe(subjects.heartbeat('*'), {
        callback: (error, message) => {
          const heartbeat = error === null ? readHeartbeat(message.string()) : undefined;
          if (heartbeat?.runner === subjects.lastToken(message.subject)) table.hear(heartbeat);
        },
      });
      await setTimeout(LISTEN_MS);
      heartbeats.unsubscribe();
      return table.list();
    },
    pins: () => pins.list(),
    move: (plugin, runner, tenant) => pins.move(tenant, plugin, runner),
    verifyAudit: async ({ keys, ...rest }) => {
      const options = {
        ...rest,
        ...(keys === undefined ? {} : { keys: keys.flatMap(readPublicKeys) }),
      };
      const watch = await watchAudit({ cell, onBroken: () => {} }).catch((error: unknown) => {
        throw new BulkheadError(
          'FLEET_FAILED',
          `The stream ${auditStreamOf(cell.cell)} cannot be read: ${messageOf(error)}. The first gateway of a cell creates it: compare fleet.cell, and the permissions of ${cell.name} in NATS.`,
          { reason: 'transport' },
          { cause: error },
        );
      });
      try {
        return await watch.verifyAll(options);
      } finally {
        await watch.close();
      }
    },
    [Symbol.asyncDispose]: () => cell.connection.drain().catch(() => cell.connection.close()),
  };
}
