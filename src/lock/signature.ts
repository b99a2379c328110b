import { createHash } from 'node:crypto';
import { isRecord } from '../../sandbox/wire/json.js';
import { canonicalJson } from '../canonical.js';
import type { PublicKey, SigningKey } from '../keys/signing-key.js';
import { type Artifact, invalidArtifact, MANIFEST_FILE } from '../plugin/artifact/artifact.js';
import { writeModel } from '../plugin/artifact/model.js';

/**
 * Signs an artifact. Returns a DSSE envelope as JSON: an in-toto statement that names the plugin's id and
 * version and the sha512 of the artifact and of its manifest.
 */
export function signArtifact(artifact: Artifact, key: SigningKey): string {
  const payload = Buffer.from(canonicalJson(statementOf(artifact)), 'utf8');
  const envelope = {
    payloadType: PAYLOAD_TYPE,
    payload: payload.toString('base64'),
    signatures: [
      { keyid: key.id, sig: Buffer.from(key.sign(encodePreAuth(payload))).toString('base64') },
    ],
  };
  return `${JSON.stringify(envelope, undefined, 2)}\n`;
}

/**
 * Verifies the signature of the artifact's bytes. Returns the key that signed them. Throws `INVALID_ARTIFACT`
 * if none of the keys did, and if the statement names another plugin, version, manifest or artifact.
 *
 * @param name the file of the envelope, for messages
 */
export function verifyArtifact(
  artifact: Artifact,
  envelope: string,
  keys: readonly PublicKey[],
  name: string,
): PublicKey {
  const { payload, signatures } = parseEnvelope(envelope, name);
  const signed = encodePreAuth(payload);
  const signer = keys.find((key) =>
    signatures.some(({ keyid, sig }) => keyid === key.id && key.verify(signed, sig)),
  );
  // guard: signature-verified
  if (signer === undefined) {
    const named = signatures.map(({ keyid }) => keyid).join(', ');
    const wanted = keys.map(({ id }) => id).join(', ');
    throw invalidArtifact(
      name,
      `it has no valid signature of ${wanted === '' ? 'a required key' : wanted}; it names ${named}`,
    );
  }
  // The signed bytes are compared as a whole, so that no member has a second meaning.
  // guard: signed-statement-compared
  if (payload.toString('utf8') !== canonicalJson(statementOf(artifact))) {
    throw invalidArtifact(
      name,
      `its signature is for ${subjectOf(payload)}, and the artifact is ${nameOf(artifact)} with ${artifact.hash}`,
    );
  }
  return signer;
}

/** The ids of the keys that an envelope names. Nothing of it is verified. */
export function namedSigners(envelope: string, name: string): readonly string[] {
  return parseEnvelope(envelope, name).signatures.map(({ keyid }) => keyid);
}

const PAYLOAD_TYPE = 'application/vnd.in-toto+json';
const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
const PREDICATE_TYPE = 'https://bulkhead.dev/pack/v1';

/** Stops an envelope that costs more to read than the artifact. */
const MAX_ENVELOPE_CHARACTERS = 64 * 1024;
const MAX_SIGNATURES = 10;

function statementOf(artifact: Artifact): object {
  const { plugin, hash } = artifact;
  return {
    _type: STATEMENT_TYPE,
    subject: [
      {
        name: nameOf(artifact),
        digest: { sha512: Buffer.from(hash.slice('sha512-'.length), 'base64').toString('hex') },
      },
    ],
    predicateType: PREDICATE_TYPE,
    predicate: {
      id: plugin.id,
      version: plugin.version ?? null,
      [MANIFEST_FILE]: {
        sha512: createHash('sha512')
          .update(`${writeModel(plugin)}\n`)
          .digest('hex'),
      },
    },
  };
}

function nameOf({ plugin: { id, version } }: Artifact): string {
  return version === undefined ? id : `${id}@${version}`;
}

/** DSSE's pre-authentication encoding. */
function encodePreAuth(payload: Buffer): Uint8Array {
  const head = `DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `;
  return Buffer.concat([Buffer.from(head, 'utf8'), payload]);
}

interface Envelope {
  readonly payload: Buffer;
  readonly signatures: readonly { readonly keyid: string; readonly sig: Uint8Array }[];
}

function parseEnvelope(text: string, name: string): Envelope {
  const value = parseJson(text);
  const payload = isRecord(value) ? base64In(value, 'payload') : undefined;
  const written: unknown = isRecord(value) ? value['signatures'] : undefined;
  const signatures = Array.isArray(written) ? written.flatMap((one) => readSignature(one)) : [];
  if (
    payload === undefined ||
    !isRecord(value) ||
    value['payloadType'] !== PAYLOAD_TYPE ||
    signatures.length === 0 ||
    signatures.length > MAX_SIGNATURES
  ) {
    throw invalidArtifact(name, 'its signature is not a DSSE envelope of an in-toto statement');
  }
  return { payload, signatures };
}

function readSignature(value: unknown): Envelope['signatures'] {
  if (!isRecord(value)) return [];
  const { keyid } = value;
  const sig = base64In(value, 'sig');
  return typeof keyid === 'string' && sig !== undefined ? [{ keyid, sig }] : [];
}

/** Canonical base64 only. */
function base64In(value: Readonly<Record<string, unknown>>, key: string): Buffer | undefined {
  const text = value[key];
  if (typeof text !== 'string') return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

function parseJson(text: string): unknown {
  if (text.length > MAX_ENVELOPE_CHARACTERS) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The plugin that a statement names, for a message. */
function subjectOf(payload: Buffer): string {
  const statement = parseJson(payload.toString('utf8'));
  const subject: unknown = isRecord(statement) ? statement['subject'] : undefined;
  const first: unknown = Array.isArray(subject) ? subject[0] : undefined;
  const name: unknown = isRecord(first) ? first['name'] : undefined;
  const digest: unknown = isRecord(first) ? first['digest'] : undefined;
  const sha512: unknown = isRecord(digest) ? digest['sha512'] : undefined;
  const hash =
    typeof sha512 === 'string'
      ? ` with sha512-${Buffer.from(sha512, 'hex').toString('base64')}`
      : '';
  return `${typeof name === 'string' ? name.slice(0, 300) : 'another statement'}${hash}`;
}
