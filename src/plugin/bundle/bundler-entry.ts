// Bundles what it is sent, one plugin after another, until the process that started it ends.
import { BulkheadError } from '../../errors.js';
import { buildBundle } from './build.js';
import { isObject } from './resolve/package.js';
import type { BundleSpec } from './spec.js';

process.on('message', (message: unknown) => {
  if (!isSpec(message)) return;
  buildBundle(message).then(
    (built) => process.send?.({ built }),
    (error: unknown) => process.send?.({ error: describe(error) }),
  );
});

// Whoever asked has gone.
process.on('disconnect', () => process.exit());

function describe(error: unknown): object {
  if (error instanceof BulkheadError) {
    return { code: error.code, message: error.message, details: error.details };
  }
  return { code: undefined, message: error instanceof Error ? error.message : String(error) };
}

/** The sender is our own code: this tells its messages from what Node itself may send. */
function isSpec(message: unknown): message is BundleSpec {
  return (
    isObject(message) && typeof message['directory'] === 'string' && isObject(message['entry'])
  );
}
