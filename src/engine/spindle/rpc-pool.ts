import type { Json } from '../../../sandbox/wire/messages.js';
import { isRecord } from '../../../sandbox/wire/parse.js';
import { BulkheadError } from '../../errors.js';
import type { PowerDefinition } from '../../brokers/powers/definition.js';
import type { Extension } from './extension.js';

/** As extensions ask for it; every extension holds the permission `spindle`. */
const POWER = 'spindle.rpcPool.read';

const READ_MS = 10_000;

/**
 * What extensions show each other (Spindle shared RPC): one reads an endpoint, its owner answers. Who
 * asks is the engine's word, and so is what they hold.
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
      const needed = shared.requires.length > 0 ? shared.requires : namesHeld(owner);
      const missing = needed.find((permission) => !requester.held.includes(permission));
      if (missing !== undefined) {
        throw refusal(
          `PERMISSION_DENIED: ${missing} — Shared RPC endpoint "${endpoint}" requires it of whoever asks`,
        );
      }
      const payload = {
        endpoint,
        requesterExtensionId: plugin,
        effectivePermissions: namesHeld(requester),
      };
      try {
        return await owner.tell('spindle:rpc', payload, { timeoutMs: READ_MS, signal });
      } catch (error) {
        throw refusal(
          error instanceof Error ? error.message : `Shared RPC endpoint "${endpoint}" failed`,
        );
      }
    },
  };
}

/** Spindle's own permissions: `spindle` itself is everybody's. */
function namesHeld({ held }: Extension): readonly string[] {
  return held.filter((name) => name !== 'spindle');
}

function endpointIn(args: Json): string {
  const list: unknown = isRecord(args) ? args['args'] : undefined;
  const endpoint: unknown = Array.isArray(list) ? list[0] : undefined;
  if (typeof endpoint === 'string') return endpoint.slice(0, 256);
  throw refusal('Shared RPC endpoint cannot be empty');
}

/** Words of ours, or the owner's, which the extension that asks reads as they are. */
function refusal(message: string): BulkheadError {
  return new BulkheadError('POWER_FAILED', message, { power: POWER });
}
