import { join } from 'node:path';
import { requireKeyOutside, readSigningKey } from '../keys/key-file.js';
import { signArtifact } from '../lock/signature.js';
import { envelopeOf, PACK_FILE, writePackFiles } from './node/lock-files.js';
import { contentsOf, type PackContents, refuseSecrets } from './pack-contents.js';
import { type Inspection, inspectSources } from './inspect-plugin.js';
import type { EngineOptions } from './types/options.js';

export interface PackOptions {
  /** A file with a private Ed25519 key, outside the plugin's directory. Default: no signature. */
  readonly signKey?: string;
  /** The file of the artifact. Default: `bulkhead.artifact` in the plugin's directory. */
  readonly out?: string;
  /** Files that are packed although they look like secrets, as the error names them. Default: none. */
  readonly include?: readonly string[];
}

/** A packed plugin. */
export interface Pack {
  readonly inspected: Inspection;
  readonly contents: PackContents;
  readonly file: string;
  /** The file of the signature, a DSSE envelope. */
  readonly envelopeFile?: string;
  /** The id of the key that signed it. */
  readonly signer?: string;
}

/**
 * Builds a plugin from its sources and writes its artifact, and its signature beside it. An engine that
 * adds the plugin runs these bytes: nothing is built again. Throws the errors of building, `INVALID_KEY`, and
 * `INVALID_ARTIFACT` for files that look like secrets.
 */
export async function packPlugin(
  directory: string,
  { signKey, out = join(directory, PACK_FILE), include = [] }: PackOptions,
  options: EngineOptions,
): Promise<Pack> {
  const key = signKey === undefined ? undefined : readSigningKey(signKey);
  // Others would get the private key with the plugin.
  if (signKey !== undefined) requireKeyOutside(signKey, directory);
  const inspected = await inspectSources(directory, options);
  const { artifact, plugin } = inspected;
  refuseSecrets(artifact, plugin.directory, include);
  const contents = contentsOf(artifact);
  if (key === undefined) {
    writePackFiles(out, { bytes: artifact.bytes });
    return { inspected, contents, file: out };
  }
  writePackFiles(out, { bytes: artifact.bytes, envelope: signArtifact(artifact, key) });
  return { inspected, contents, file: out, envelopeFile: envelopeOf(out), signer: key.id };
}
