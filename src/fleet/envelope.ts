import type { JsonObject } from '../../sandbox/wire/messages.js';
import type { Isolation } from '../engine/types/options.js';
import type { PublicKey, SigningKey } from '../keys/signing-key.js';
import {
  any,
  boolean,
  jsonObject,
  number,
  object,
  oneOf,
  optional,
  readShape,
  type Shape,
  string,
  wholeNumber,
} from '../schema/shape.js';
import { type BodyReference, bodyReferenceShape } from './bodies.js';
import { openFrame, sealFrame, sealSessionFrame, type SessionOf } from './frame.js';
import type { SessionKey } from './session.js';

/** A call as a gateway signs it for a runner. */
export interface Envelope {
  /** The version of this format. */
  readonly protocol: number;
  /** The version of Bulkhead that made it. */
  readonly version: string;
  /** The id of the gateway's key. */
  readonly key: string;
  /** The gateway's name. */
  readonly gateway: string;
  readonly cell: string;
  /** The name of the one runner that may run it, or `*`: any runner of the cell. */
  readonly audience: string;
  /** The id of the call, and which attempt at it this is. A runner runs each pair once. */
  readonly call: string;
  readonly attempt: number;
  readonly tenant?: string;
  /** `plugin:tool`. */
  readonly tool: string;
  /** The hash of the artifact. */
  readonly artifact: string;
  /** sha256 over artifact, tool, input, tenant, grant, configuration and risk, as for approvals. */
  readonly digest: string;
  /** The approval that the gateway spent for it. */
  readonly approval?: string;
  /** The gateway's epoch when it sent the call. */
  readonly epoch: number;
  /** Milliseconds since 1970. Later, the call does not begin. */
  readonly expiresAtMs: number;
  readonly timeoutMs: number;
  /** Which calls may share a guest with it. */
  readonly isolation: Isolation;
  readonly context?: JsonObject;
  readonly incomplete?: boolean;
  readonly unattended?: boolean;
  readonly dryRun?: boolean;
  readonly record?: boolean;
  /** Whether its caller reads output and progress while it runs. */
  readonly watched?: boolean;
  /** The input, or where it is. */
  readonly input?: unknown;
  readonly body?: BodyReference;
}

/**
 * Newer versions may add members to messages, which older ones ignore: gateways and runners are upgraded one after
 * the other. A member that restricts a call must not be ignored: it needs another number here.
 */
export const PROTOCOL: number = 1;

/** Bytes of a message. A longer input or result is stored in the object store, and the message refers to it. */
export const MAX_MESSAGE_BYTES: number = 512 * 1024;

/**
 * `inputText` is JSON. It is left out if the envelope has a body.
 *
 * @param session the key that the runner shares with this gateway. Default: the envelope is signed
 */
export function sealEnvelope(
  key: SigningKey,
  head: Omit<Envelope, 'input' | 'protocol' | 'key'>,
  inputText: string | undefined,
  session?: SessionKey,
): Uint8Array {
  const about = JSON.stringify({ protocol: PROTOCOL, key: key.id, ...head });
  const text = inputText === undefined ? about : `${about.slice(0, -1)},"input":${inputText}}`;
  return session === undefined ? sealFrame(key, 'call', text) : sealSessionFrame(session, text);
}

/**
 * The envelope in a frame; `undefined` if neither a pinned key nor a session vouches for it. `'version'`: of
 * another protocol. `'session'`: the session is not, or no more, the one with this runner.
 */
export function openEnvelope(
  keys: ReadonlyMap<string, PublicKey>,
  frame: Uint8Array,
  sessionOf?: SessionOf,
): Envelope | 'version' | 'session' | undefined {
  const value = openFrame(keys, 'call', frame, sessionOf);
  if (value === undefined || value === 'session') return value;
  if (value['protocol'] !== PROTOCOL) return 'version';
  const read = readShape(envelopeShape, value, 'envelope');
  return read.ok ? read.value : undefined;
}

const envelopeShape: Shape<Envelope> = object({
  protocol: wholeNumber,
  version: string(),
  key: string(),
  gateway: string(),
  cell: string(),
  audience: string(),
  call: string('the id of a call', (text) => /^call_[0-9a-f]{32}$/.test(text)),
  attempt: wholeNumber,
  tenant: optional(string()),
  tool: string(),
  artifact: string(),
  digest: string(),
  approval: optional(string()),
  epoch: wholeNumber,
  expiresAtMs: number,
  timeoutMs: number,
  isolation: oneOf('plugin', 'tenant', 'call'),
  context: optional(jsonObject),
  incomplete: optional(boolean),
  unattended: optional(boolean),
  dryRun: optional(boolean),
  record: optional(boolean),
  watched: optional(boolean),
  input: optional(any),
  body: optional(bodyReferenceShape),
});

/** The major version of `1.2.3`. */
export function majorOf(version: string): string {
  return version.split('.')[0] ?? '';
}
