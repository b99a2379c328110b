import { BulkheadError } from '../errors.js';

export function auditFailed(path: string, what: string, cause?: unknown): BulkheadError {
  const why = cause instanceof Error ? `: ${cause.message}` : '';
  return new BulkheadError(
    'AUDIT_FAILED',
    `The audit log ${path} ${what}${why}.`,
    { path },
    cause === undefined ? {} : { cause },
  );
}
