import type { PluginIdentity } from '../../../sandbox/wire/methods.js';
import { BulkheadError } from '../../errors.js';
import type { PowerLimits } from './limits.js';

/** Every sentence with which a use of a power is refused. They reach the plugin. */
export interface Refusals {
  denied(power: string, permission: string, granted: readonly string[]): BulkheadError;
  /** Granted, and not defined by the host. */
  unavailable(power: string): BulkheadError;
  malformed(): BulkheadError;
  invalid(power: string, problems: readonly string[]): BulkheadError;
  failed(power: string, why: string, cause?: unknown): BulkheadError;
  limit(limit: keyof PowerLimits, what: string): BulkheadError;
  cancelled(power: string): BulkheadError;
  revoked(power: string): BulkheadError;
}

export function makeRefusals({ id, manifest }: PluginIdentity, limits: PowerLimits): Refusals {
  return {
    denied: (power, permission, granted) =>
      new BulkheadError(
        'POWER_DENIED',
        `${id} may not use ${power}, which the host provides. To allow it, add "${permission}" to the powers permission in ${manifest} and grant it.`,
        { plugin: id, wanted: power, granted },
      ),
    unavailable: (power) =>
      new BulkheadError(
        'POWER_UNAVAILABLE',
        `${id} may use ${power}, but this host does not provide it. To provide it, add { name: "${power}", handler } to the engine's powers.`,
        { power },
      ),
    malformed: () =>
      new BulkheadError('POWER_INVALID', `${id} asked for a power without naming it.`, {
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
    limit: (limit, what) =>
      new BulkheadError(
        'POWER_LIMIT',
        `A use of a power by ${id} was stopped: ${what}. The limit ${limit} is ${limits[limit]}.`,
        { limit },
      ),
    cancelled: (power) => new BulkheadError('CANCELLED', `A use of ${power} was given up.`, {}),
    revoked: (power) =>
      new BulkheadError(
        'PERMISSION_REVOKED',
        `The permission of ${id} to use ${power} was taken away.`,
        { permission: 'powers' },
      ),
  };
}
