import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { hasUnits } from '../../../sandbox/wire/units.js';
import { BulkheadError, isBulkheadError } from '../../errors.js';
import { parsePublicKeys, type PublicKey } from '../../keys/signing-key.js';
import { expand } from '../../lock/compact.js';
import {
  type Lock,
  type LockedPlugin,
  type LockedRemote,
  type Pin,
  type Signer,
  formatLock,
  parseLock,
} from '../../lock/lock.js';
import { verifyArtifact } from '../../lock/signature.js';
import { NO_TRUST_RULES, parseTrust, type Trust, whyRefused } from '../../lock/trust.js';
import { parseScope } from '../../permissions/filesystem.js';
import { effectivePermissions } from '../../permissions/grant.js';
import type { Permissions } from '../../permissions/kind.js';
import { type Artifact, invalidArtifact, parseArtifact } from '../../plugin/artifact/artifact.js';
import type { Bundle, Plugin } from '../../plugin/plugin.js';
import { type LockFiles, openLockFiles, readTrustText } from '../node/lock-files.js';
import type { PinStore } from '../../remotes/pins.js';
import type { GrantPolicy, PluginGrant } from '../types/options.js';
import type { AcceptedPlugins } from '../types/settings.js';
import { NOTHING, policyFor } from './grants.js';
import { packageIntegrity } from './inspected-packages.js';

/** `trust`: reads the operator's rules about keys and artifacts. */
export function makeAcceptedPlugins(files: LockFiles, trust: () => Trust): AcceptedPlugins {
  /** The builds of accepted artifacts, with the plugin that they were accepted for. */
  const admitted = new WeakMap<Bundle, Admitted>();
  let lastText: string | undefined;
  let last: Lock = EMPTY;
  const readText = (text: string | undefined): Lock => {
    if (text === lastText) return last;
    const read = text === undefined ? { ok: true as const, value: EMPTY } : parseLock(text);
    if (!read.ok) throw invalidLock(files.path, read.problems);
    lastText = text;
    last = read.value;
    return last;
  };
  return {
    path: files.path,
    read: () => readText(files.read()),
    change: (next) => files.change((text) => formatLock(next(readText(text)))),
    open: (id, pin) => {
      const stored = files.readArtifact(pin.artifact);
      if (stored === undefined) return undefined;
      const name = `of ${id} in the store`;
      const artifact = parseStored(stored.bytes, name, pin.artifact);
      if (artifact === undefined) return undefined;
      // guard: artifact-id-compared
      if (artifact.plugin.id !== id) {
        throw invalidArtifact(name, `it is the artifact of ${artifact.plugin.id}`);
      }
      verifySigner(artifact, pin, stored.envelope, name);
      verifyPackages(artifact, pin, name);
      const refused = whyRefused(trust(), id, { hash: artifact.hash, signer: pin.signer?.id });
      if (refused !== undefined) throw invalidArtifact(name, refused);
      for (const bundle of Object.values(artifact.bundles)) {
        admitted.set(bundle, { id, hash: artifact.hash, signer: pin.signer?.id });
      }
      return artifact;
    },
    stillAccepts: (id, bundle) => {
      try {
        const { plugins } = readText(files.read());
        const locked = Object.hasOwn(plugins, id) ? plugins[id] : undefined;
        if (locked === undefined || locked.artifact !== bundle.artifact) return false;
        const facts = { hash: locked.artifact, signer: locked.signer?.id };
        return whyRefused(trust(), id, facts) === undefined;
      } catch {
        return false;
      }
    },
    admits: (id, bundle) => {
      const known = admitted.get(bundle);
      if (known?.id !== id) return false;
      // The rules may have changed since the artifact was opened.
      const refused = whyRefused(trust(), id, known);
      // guard: revoked-code-refused-at-start
      if (refused !== undefined) throw invalidArtifact(`of ${id}`, refused);
      return true;
    },
    readStored: files.readArtifact,
    store: files.storeArtifact,
    readPack: files.readPack,
    trust,
    directoryOf: (source) => resolve(files.directory, source),
    sourceOf: (directory) => {
      const path = relative(files.directory, directory).split(sep).join('/');
      if (path === '') return '.';
      return path.startsWith('..') ? path : `./${path}`;
    },
  };
}

/** What the operator's rules are compared with. */
interface Admitted {
  readonly id: string;
  readonly hash: string;
  readonly signer: string | undefined;
}

const EMPTY: Lock = { version: 2, plugins: {} };

function invalidLock(file: string, problems: readonly string[]): BulkheadError<'INVALID_LOCK'> {
  return new BulkheadError(
    'INVALID_LOCK',
    `The lock file ${file} cannot be read, and nothing runs by half of it: ${problems.join('; ')}.`,
    { file, problems },
  );
}

/** Bytes with another hash count as missing: the store is a cache, and the directory may have the right ones. */
function parseStored(bytes: Uint8Array, name: string, hash: string): Artifact | undefined {
  try {
    return parseArtifact(bytes, name, hash);
  } catch (error) {
    if (isBulkheadError(error, 'INVALID_ARTIFACT')) return undefined;
    throw error;
  }
}

/** Throws `INVALID_ARTIFACT` unless the accepted key signed the artifact. */
function verifySigner(
  artifact: Artifact,
  { signer }: Pin,
  envelope: string | undefined,
  name: string,
): void {
  if (signer === undefined) return;
  if (envelope === undefined) {
    throw invalidArtifact(name, `its signature of ${signer.id} is missing`);
  }
  // guard: stored-signature-verified
  verifyArtifact(artifact, envelope, [publicKeyOf(signer)], name);
}

/** Throws `INVALID_ARTIFACT` if a package of the artifact is not the one that the permissions were accepted for. */
function verifyPackages({ bundles }: Artifact, { packages = {} }: Pin, name: string): void {
  const separate = Object.values(bundles).filter(({ code }) => hasUnits(code));
  for (const [path, { granted, integrity }] of Object.entries(packages)) {
    // guard: package-integrity-compared
    if (granted === undefined || packageIntegrity(path, separate) === integrity) continue;
    throw invalidArtifact(name, `its package ${path} is not the one that the lock file names`);
  }
}

/** Throws `INVALID_ARTIFACT` if the key does not have the id that the lock file names. */
export function publicKeyOf({ id, publicKey }: Signer): PublicKey {
  const pem = `-----BEGIN PUBLIC KEY-----\n${publicKey}\n-----END PUBLIC KEY-----`;
  const [key] = parsePublicKeys(pem, `the lock file's key ${id}`);
  if (key?.id === id) return key;
  throw invalidArtifact('of the lock file', `its public key does not have the id ${id}`);
}

/** A public key as the lock file has it. */
export function signerOf({ id, pem }: PublicKey): Signer {
  return { id, publicKey: pem.replace(/-----[^-]+-----|\s/g, '') };
}

/**
 * The grant policy under a lock: the accepted permissions, or fewer if the host's policy gives
 * fewer.
 */
export function lockPolicy(lock: AcceptedPlugins, given: GrantPolicy | undefined): GrantPolicy {
  return (plugin): PluginGrant => {
    // The lock file does not apply to the host's default plugins and its workspace.
    if (plugin.origin !== undefined) return policyFor(given ?? 'nothing', plugin);
    const locked = lockedOf(lock, plugin.id);
    if (locked === undefined) return 'nothing';
    const accepted = withoutChangedFiles(plugin, expand(locked.granted));
    const host = given === undefined ? 'declared' : policyFor(given, plugin);
    if (host === 'nothing') return 'nothing';
    if (host === 'declared' || host.declared === true) return accepted;
    return effectivePermissions({ ...NOTHING, ...host }, accepted);
  };
}

/** The permissions without the plugin's own directory, if its files are not those that were accepted. */
function withoutChangedFiles({ ownFiles }: Plugin, accepted: Permissions): Permissions {
  // guard: changed-files-not-readable
  if (ownFiles !== 'changed') return accepted;
  return { ...accepted, fs: accepted.fs.filter((scope) => isAbsolute(parseScope(scope).path)) };
}

/** The ids of plugins whose lock entries set `mark`. */
export function lockedWith(
  lock: AcceptedPlugins | undefined,
  mark: 'trustHints' | 'unconfined',
): readonly string[] {
  if (lock === undefined) return [];
  return Object.entries(lock.read().plugins).flatMap(([id, locked]) =>
    locked[mark] === true ? [id] : [],
  );
}

function lockedOf(lock: AcceptedPlugins, id: string): LockedPlugin | undefined {
  const { plugins } = lock.read();
  return Object.hasOwn(plugins, id) ? plugins[id] : undefined;
}

/**
 * Opens a lock file. Its store is `.bulkhead/store` in the same directory. `trustFile`: the operator's rules
 * about keys and artifacts; a file that does not exist has no rules.
 */
export function openLock(path: string, trustFile?: string): AcceptedPlugins {
  const file = resolve(path);
  const readTrust = (): Trust => {
    const text = trustFile === undefined ? undefined : readTrustText(trustFile);
    return text === undefined ? NO_TRUST_RULES : parseTrust(text, trustFile ?? '');
  };
  return makeAcceptedPlugins(
    openLockFiles(file, join(dirname(file), '.bulkhead', 'store')),
    readTrust,
  );
}

/** The reviewed tools of servers, in the lock file. A server that is not in the file offers no tool. */
export function lockedPins(lock: AcceptedPlugins): PinStore {
  return {
    reviewsFirstList: true,
    read: (id) => {
      const { remotes = {} } = lock.read();
      return Object.hasOwn(remotes, id) ? JSON.stringify(remotes[id]?.tools) : undefined;
    },
    write: async (id, text) => {
      const tools: LockedRemote['tools'] = JSON.parse(text);
      lock.change((now) => ({ ...now, remotes: { ...now.remotes, [id]: { tools } } }));
    },
  };
}
