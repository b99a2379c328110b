import { grantRemedy } from '../../../sandbox/wire/grant-remedy.js';
import type { PluginIdentity } from '../../../sandbox/wire/methods.js';
import { BulkheadError } from '../../errors.js';
import type { PowerLimits } from '../limits.js';

/** Every refusal of a use of a power. Plugins read them. */
export interface Refusals {
  denied(power: string, permission: string, granted: readonly string[]): BulkheadError;
  /** Granted, but the host does not define it. */
  unavailable(power: string): BulkheadError;
  malformed(): BulkheadError;
  invalid(power: string, problems: readonly string[]): BulkheadError;
  failed(power: string, why: string, cause?: unknown): BulkheadError;
  /** `most`: the limit's value, if the power has its own. */
  limit(limit: keyof PowerLimits, what: string, most?: number): BulkheadError;
  cancelled(power: string): BulkheadError;
  revoked(power: string): BulkheadError;
}

export function makeRefusals(plugin: PluginIdentity, limits: PowerLimits): Refusals {
  const { id } = plugin;
  return {
    denied: (power, permission, granted) =>
      new BulkheadError(
        'POWER_DENIED',
        `${id} may not use ${power}, which the host provides. ${grantRemedy(plugin, 'powers', permission)}`,
        { plugin: id, wanted: power, granted },
      ),
    unavailable: (power) =>
      new BulkheadError(
        'POWER_UNAVAILABLE',
        `${id} may use ${power}, but this host does not provide it. To provide it, add { name: "${power}", handler } to the engine's powers, or --power ${power}=MODULE.mjs to the command.`,
        { power },
      ),
    malformed: () =>
      new BulkheadError('POWER_INVALID', `${id} requested a power without a name.`, {
        power: '',
      }),
    invalid: (power, problems) =>
      new BulkheadError(
        'POWER_INVALID',
        `The arguments of ${power} do not fit: ${problems.slice(0, 8).join('; ')}.`,
        { power },
      ),
    failed: (power, why, cause) =>
      new BulkheadError('POWER_FAILED', `${power} failed: ${why}.`, { power }, { cause }),
    limit: (limit, what, most = limits[limit]) =>
      new BulkheadError(
        'POWER_LIMIT',
        `A use of a power by ${id} was stopped: ${what}. The limit ${limit} is ${most}.`,
        { limit },
      ),
    cancelled: (power) => new BulkheadError('CANCELLED', `A use of ${power} was cancelled.`, {}),
    revoked: (power) =>
      new BulkheadError(
        'PERMISSION_REVOKED',
        `The permission of ${id} to use ${power} was revoked.`,
        { permission: 'powers' },
      ),
  };
}
