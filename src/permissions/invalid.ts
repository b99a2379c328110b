import { BulkheadError } from '../errors.js';
import type { PermissionName } from './kind.js';

/** The error for a permission that cannot be read; `why` ends with what to write instead. */
export function invalidPermission(
  kind: PermissionName | 'known',
  text: string,
  why: string,
): BulkheadError<'INVALID_PERMISSION'> {
  const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  return new BulkheadError(
    'INVALID_PERMISSION',
    `${JSON.stringify(shown)} is no ${kind} permission: ${why}`,
    { kind, text: shown },
  );
}
