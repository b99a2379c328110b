import { BulkheadError, messageOf } from '../errors.js';
import { parsePublicKeys, type PublicKey } from '../keys/signing-key.js';
import { array, object, optional, readShape, record, type Shape, string } from '../schema/shape.js';

/**
 * The operator's rules about keys and artifacts. They are outside the lock file, so that a deleted line of
 * the lock file does not lift them.
 */
export interface Trust {
  readonly version: 1;
  /** Public keys as PEM, by plugin id. `*` applies to each plugin without keys of its own. */
  readonly requiredKeys?: Readonly<Record<string, readonly string[]>>;
  /** Ids of keys (`ed25519-…`) whose signatures no longer count. */
  readonly revokedKeys?: readonly string[];
  /** Hashes of artifacts (`sha512-…`) that never run. */
  readonly revokedArtifacts?: readonly string[];
}

export const NO_TRUST_RULES: Trust = { version: 1 };

/** The form of an artifact's hash. */
export function isArtifactHash(text: string): boolean {
  return /^sha512-[A-Za-z0-9+/]{86}==$/.test(text);
}

/** The form of a key's id. */
export function isKeyId(text: string): boolean {
  return /^ed25519-[0-9a-f]{32}$/.test(text);
}

const pem: Shape<string> = {
  read: (value, at, problems) => {
    const read = string().read(value, at, problems);
    if (read === undefined) return undefined;
    try {
      parsePublicKeys(read.value, at);
      return read;
    } catch (error) {
      problems.push(`${at}: ${messageOf(error)}`);
      return undefined;
    }
  },
};

const trustShape: Shape<Trust> = {
  read: (value, at, problems) => {
    const read = fields.read(value, at, problems);
    if (read === undefined) return undefined;
    const { version: _, ...rest } = read.value;
    return { value: { version: 1, ...rest } };
  },
};

const fields = object(
  {
    version: {
      read: (value: unknown, at: string, problems: string[]) => {
        if (value === 1) return { value };
        problems.push(`${at}: must be 1`);
        return undefined;
      },
    },
    requiredKeys: optional(record(array(pem))),
    revokedKeys: optional(array(string('the id of a key, ed25519-…', isKeyId))),
    revokedArtifacts: optional(array(string('the hash of an artifact, sha512-…', isArtifactHash))),
  },
  'refuse',
);

/** Reads the text of a trust file. Throws `INVALID_TRUST`: rules that cannot be read would not apply. */
export function parseTrust(text: string, file: string): Trust {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw invalidTrust(file, [`trust: is not JSON: ${String(error)}`]);
  }
  const read = readShape(trustShape, data, 'trust');
  if (!read.ok) throw invalidTrust(file, read.problems);
  return read.value;
}

export function formatTrust(trust: Trust): string {
  const { requiredKeys = {}, revokedKeys = [], revokedArtifacts = [] } = trust;
  return `${JSON.stringify(
    {
      version: 1,
      requiredKeys: Object.fromEntries(
        Object.entries(requiredKeys).toSorted(([a], [b]) => (a < b ? -1 : 1)),
      ),
      revokedKeys: [...new Set(revokedKeys)].toSorted(),
      revokedArtifacts: [...new Set(revokedArtifacts)].toSorted(),
    },
    undefined,
    2,
  )}\n`;
}

/** The keys of which one must have signed the plugin; `undefined` if no signature is required. */
export function requiredKeysOf(
  { requiredKeys = {} }: Trust,
  plugin: string,
): readonly PublicKey[] | undefined {
  const own = Object.hasOwn(requiredKeys, plugin) ? requiredKeys[plugin] : requiredKeys['*'];
  return own?.flatMap((text) => parsePublicKeys(text, `the required key of ${plugin}`));
}

/** Why the operator's rules refuse an artifact; `undefined` if they do not. */
export function whyRefused(
  trust: Trust,
  plugin: string,
  { hash, signer }: { readonly hash: string; readonly signer: string | undefined },
): string | undefined {
  // guard: revoked-artifact-refused
  if (trust.revokedArtifacts?.includes(hash) === true) return `the artifact ${hash} is revoked`;
  // guard: revoked-key-refused
  if (signer !== undefined && trust.revokedKeys?.includes(signer) === true) {
    return `its signing key ${signer} is revoked`;
  }
  const required = requiredKeysOf(trust, plugin);
  // guard: required-key-enforced
  if (required === undefined || required.some(({ id }) => id === signer)) return undefined;
  const ids = required.map(({ id }) => id).join(' or ');
  return signer === undefined
    ? `a signature of ${ids} is required, and none was accepted`
    : `a signature of ${ids} is required, and ${signer} signed it`;
}

function invalidTrust(file: string, problems: readonly string[]): BulkheadError<'INVALID_TRUST'> {
  return new BulkheadError(
    'INVALID_TRUST',
    `The trust file ${file} is not valid, so no locked plugin runs: ${problems.join('; ')}. Correct the file.`,
    { file, problems },
  );
}
