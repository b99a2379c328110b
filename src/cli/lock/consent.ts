import type { Inspection } from '../../engine/inspect-plugin.js';
import { BulkheadError } from '../../errors.js';
import { readPublicKeys } from '../../keys/key-file.js';
import type { PublicKey } from '../../keys/signing-key.js';

/** The public keys of the files that the operator named; `undefined` if none was named. */
export function requiredKeys({
  requireSignature,
}: {
  readonly requireSignature?: readonly string[];
}): readonly PublicKey[] | undefined {
  return requireSignature?.flatMap((file) => readPublicKeys(file));
}

/** Whether the operator accepts code without a compartment: of the plugin, or of some of its tools. */
export function runsUnconfined(
  { unconfined, hostTools }: Inspection,
  { allowHost = false }: { readonly allowHost?: boolean },
): boolean {
  return unconfined || (allowHost && hostTools.length > 0);
}

export function hostModeDenied({ plugin }: Inspection): BulkheadError<'HOST_MODE_DENIED'> {
  return new BulkheadError(
    'HOST_MODE_DENIED',
    `${plugin.id} requests to run without a sandbox (sandbox: "host"), with all rights of your user. To allow this, add --allow-host.`,
    { plugin: plugin.id },
  );
}
