// Bundles each spec that the host sends, one plugin after another, until the host disconnects.
import { isRecord } from '../../../sandbox/wire/json.js';
import { BulkheadError, messageOf } from '../../errors.js';
import { closeDescriptors, parseDescriptor } from '../../inherited-descriptors.js';
import { buildInPieces } from './build.js';
import { makeFormerTexts } from './former-texts.js';
import type { BundleSpec } from './spec.js';

// Before esbuild, which would inherit them.
// guard: bundler-closes-inherited-descriptors
closeDescriptors(process.argv.slice(2).map(parseDescriptor));

const former = makeFormerTexts();

process.on('message', (message: unknown) => {
  if (!isSpec(message)) return;
  buildInPieces(message).then(
    (built) => process.send?.({ built: former.shorten(message, built) }),
    (error: unknown) => process.send?.({ error: describe(error) }),
  );
});

// The host has ended.
process.on('disconnect', () => process.exit());

function describe(error: unknown): object {
  if (error instanceof BulkheadError) {
    return { code: error.code, message: error.message, details: error.details };
  }
  return { code: undefined, message: messageOf(error) };
}

/** Tells the host's messages from those that Node itself may send. The host is trusted. */
function isSpec(message: unknown): message is BundleSpec {
  return (
    isRecord(message) && typeof message['directory'] === 'string' && isRecord(message['entry'])
  );
}
