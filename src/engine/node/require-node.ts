import { BulkheadError } from '../../errors.js';
import { whyUnsupported } from '../../supported-runtime.js';

/** Throws `GUEST_START_FAILED`, with one line, in a runtime that cannot run guests. */
export function requireNode(): void {
  const reason = whyUnsupported(process.versions, 'YOUR-PROGRAM');
  if (reason !== undefined) throw new BulkheadError('GUEST_START_FAILED', reason, { reason });
}
