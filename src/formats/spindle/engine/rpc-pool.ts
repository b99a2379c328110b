import type { Json } from '../../../../sandbox/wire/messages.js';
import { isRecord } from '../../../../sandbox/wire/json.js';
import { BulkheadError } from '../../../errors.js';
import type { PowerDefinition } from '../../../brokers/powers/host-powers.js';
import type { Extension } from './extension.js';

/** The power's name in extensions. Every extension has the permission `spindle`. */
const POWER = 'spindle.rpcPool.read';

const READ_MS = 10_000;

/**
 * Shared RPC endpoints (Spindle shared RPC): an extension reads an endpoint and its owner answers.
 * The engine names the reading extension and its permissions.
 */
export function rpcPower(extensions: () => readonly Extension[]): PowerDefinition {
  return {
    name: POWER,
    description: 'Read what other extensions share.',
    permission: 'spindle',
    risk: 'low',
    timeoutMs: READ_MS + 1_000,
    handler: async (args, { plugin, signal }) => {
      const endpoint = endpointIn(args);
      const all = extensions();
      const owner = all.find(({ id }) => endpoint.startsWith(`${id}.`));
      const shared = owner?.registrations.endpoints.find((one) => one.endpoint === endpoint);
      const requester = all.find(({ id }) => id === plugin);
      if (owner === undefined || shared === undefined || requester === undefined) {
        throw refusal(`Shared RPC endpoint "${endpoint}" is not registered`);
      }
      const needed = shared.requires ?? namesHeld(owner);
      const missing = needed.find((permission) => !requester.held.includes(permission));
      // guard: spindle-rpc-permission-checked
      if (missing !== undefined) {
        throw refusal(
          `PERMISSION_DENIED: ${missing} — Shared RPC endpoint "${endpoint}" requires it of the extension that reads`,
        );
      }
      const payload = {
        endpoint,
        requesterExtensionId: plugin,
        effectivePermissions: namesHeld(requester),
      };
      try {
        return await owner.send('spindle:rpc', payload, { timeoutMs: READ_MS, signal });
      } catch (error) {
        throw refusal(
          error instanceof Error ? error.message : `Shared RPC endpoint "${endpoint}" failed`,
        );
      }
    },
  };
}

/** Spindle's own permissions, without `spindle`, which every extension has. */
function namesHeld({ held }: Extension): readonly string[] {
  return held.filter((name) => name !== 'spindle');
}

function endpointIn(args: Json): string {
  const list: unknown = isRecord(args) ? args['args'] : undefined;
  const endpoint: unknown = Array.isArray(list) ? list[0] : undefined;
  if (typeof endpoint === 'string') return endpoint.slice(0, 256);
  throw refusal('Shared RPC endpoint cannot be empty');
}

/** An error whose message the extension reads unchanged. */
function refusal(message: string): BulkheadError {
  return new BulkheadError('POWER_FAILED', message, { power: POWER });
}
