import lt from 'semver/functions/lt.js';
import parse from 'semver/functions/parse.js';
import { removeStore } from '../brokers/storage/store.js';
import { BulkheadError } from '../errors.js';
import { makeEventBus } from '../events.js';
import { readPlugin } from '../formats/discover.js';
import type { PublicKey } from '../keys/signing-key.js';
import { type Changes, changesBetween, type Described } from '../lock/changes.js';
import { compact, expand } from '../lock/compact.js';
import { type Lock, type LockedPlugin, MAX_PREVIOUS, type Pin, type Signer } from '../lock/lock.js';
import type { PackageWants } from '../lock/locked-packages.js';
import { namedSigners, verifyArtifact } from '../lock/signature.js';
import { requiredKeysOf, whyRefused } from '../lock/trust.js';
import type { Permissions } from '../permissions/kind.js';
import { invalidArtifact, makeArtifact } from '../plugin/artifact/artifact.js';
import type { Plugin } from '../plugin/plugin.js';
import {
  type Inspection,
  type InspectionSetting,
  inspectArtifact,
  inspectPlugin,
} from './inspect-plugin.js';
import { diskReader } from './node/disk-reader.js';
import { hashFileTree } from './node/file-tree.js';
import {
  buildCurrent,
  type CurrentPlugin,
  isSameSource,
  readPack,
} from './plugins/find-plugins.js';
import { openLock, publicKeyOf, signerOf } from './plugins/lock.js';
import { type PackState, packStateOf } from './pack-state.js';
import { openEngineRuntime } from './runtime.js';
import { readSettings } from './settings.js';
import {
  type AcceptedPackages,
  describePackages,
  lockedPackages,
  withLocked,
} from './accepted-packages.js';
import type { EngineOptions } from './types/options.js';

/** The operator's decision when a plugin is accepted. */
export interface Acceptance {
  readonly granted: Permissions;
  /** Whether to trust the risk hints of the plugin's tools. Default: false. */
  readonly trustHints?: boolean;
  /** Whether the plugin may run without a compartment. Default: false. */
  readonly unconfined?: boolean;
  /** The person who accepts. */
  readonly by: string;
  /** The key that signed the artifact, as `verifySignature` returned it. Default: no signature is required. */
  readonly signer?: PublicKey;
  /**
   * What the npm packages in it may use, if it was built to run them separately. Default: the grant of the option
   * `packages`, else what they were accepted with before.
   */
  readonly packages?: AcceptedPackages;
  /** Whether a lower version than the accepted one may be accepted. Default: false. */
  readonly downgrade?: boolean;
}

/** The state of a locked plugin's directory. `broken`: it cannot be read or built. */
export type LockState = 'as-accepted' | 'changed' | 'missing' | 'broken';

/** Reads a lock file, compares it with the plugins on disk, and changes it. */
export interface Lockfile {
  readonly path: string;
  /** Throws `INVALID_LOCK`, as do all functions here that read the file. */
  read(): Lock;
  /**
   * Resolves a full id, or an id without its scope if that is unique (`weather` for
   * `@pandorakit/weather`). Throws `NOT_LOCKED`.
   */
  idOf(text: string): string;
  /** Absolute path of a locked plugin's directory. Throws `NOT_LOCKED`. */
  directoryOf(id: string): string;
  /**
   * Inspects a plugin without accepting it. `setting`: what it gets meanwhile. A packed plugin is inspected by its artifact. Throws the errors of
   * reading and building it, and `INVALID_ARTIFACT`.
   */
  inspect(directory: string, setting?: InspectionSetting): Promise<Inspection>;
  /** Inspects the accepted version; `undefined` if it is not stored on this machine. Throws `NOT_LOCKED`. */
  inspectAccepted(id: string): Promise<Inspection | undefined>;
  /**
   * Verifies the signature of a pack. With `keys`, or if the trust file requires keys for the plugin, one of
   * them must have signed; else the accepted key is tried. Returns the signer; `undefined` if no key is
   * required and the accepted key did not sign. Throws `INVALID_ARTIFACT` and `INVALID_TRUST`.
   */
  verifySignature(inspected: Inspection, keys?: readonly PublicKey[]): PublicKey | undefined;
  /**
   * Compares an inspected plugin with the accepted version. `before`: the accepted version as
   * `inspectAccepted` returned it, for the texts that changed. Throws `NOT_LOCKED`.
   */
  changes(
    id: string,
    inspected: Inspection,
    more?: {
      readonly signer?: PublicKey | undefined;
      readonly before?: Inspection | undefined;
      /** What the code of each npm package in it uses. Absent: it was not read. */
      readonly wants?: Readonly<Record<string, PackageWants>> | undefined;
    },
  ): Changes;
  /**
   * Locks the inspected version. It runs from the next load on. The previous version is stored. Throws
   * `INVALID_ARTIFACT` if the trust file refuses it, and `INVALID_OPTIONS` for a lower version without
   * `downgrade`.
   */
  accept(inspected: Inspection, acceptance: Acceptance): LockedPlugin;
  remove(id: string): void;
  /** Deletes the stored files of a plugin. Resolves with `true` if there were any. */
  removeStorage(id: string): Promise<boolean>;
  setDisabled(id: string, disabled: boolean): void;
  /**
   * Restores the previously accepted version. Throws `NOT_LOCKED` if there is none, and `INVALID_ARTIFACT` if
   * the trust file refuses it.
   */
  rollback(id: string, by: string): LockedPlugin;
  /**
   * Compares the pack in a plugin's directory with the sources beside it. `none`: there is no pack, or no
   * sources. Does not run plugin code. Throws the errors of building the sources, and `INVALID_ARTIFACT`.
   */
  packState(directory: string): Promise<PackState>;
  /** Compares all locked plugins with their directories. Does not run plugin code. */
  check(): Promise<Readonly<Record<string, LockState>>>;
}

/** `options`: the engine's options. They are used to read and build plugins. */
export function openLockfile(path: string, options: EngineOptions): Lockfile {
  const lock = openLock(path, options.trustFile);

  const locked = (id: string, { plugins } = lock.read()): LockedPlugin => {
    const found = Object.hasOwn(plugins, id) ? plugins[id] : undefined;
    if (found === undefined) throw notLocked(id, lock.path);
    return found;
  };
  /** Calls `make` with the current lock, while other processes cannot change it. */
  const put = (id: string, make: (now: Lock) => LockedPlugin): LockedPlugin => {
    let made: LockedPlugin | undefined;
    lock.change((now) => {
      made = make(now);
      return { ...now, plugins: { ...now.plugins, [id]: made } };
    });
    return made ?? locked(id);
  };

  return {
    path: lock.path,
    read: lock.read,
    idOf: (text) => {
      const ids = Object.keys(lock.read().plugins);
      const meant = ids.includes(text) ? [text] : ids.filter((id) => id.endsWith(`/${text}`));
      const [id] = meant;
      if (id === undefined || meant.length > 1) throw notLocked(text, lock.path);
      return id;
    },
    directoryOf: (id) => lock.directoryOf(locked(id).source),
    inspect: (directory, setting) => inspectPlugin(directory, withLocked(options, lock), setting),
    inspectAccepted: async (id) => {
      const pin = locked(id);
      const artifact = lock.open(id, pin);
      if (artifact === undefined) return undefined;
      const plugin = { ...artifact.plugin, directory: lock.directoryOf(pin.source) };
      return inspectArtifact(plugin, artifact, [], withLocked(options, lock), {
        variables: expand(pin.granted).env,
      });
    },
    verifySignature: (inspected, keys) => {
      const { id } = inspected.plugin;
      const { plugins } = lock.read();
      const before = Object.hasOwn(plugins, id) ? plugins[id] : undefined;
      return verifySigner(inspected, before?.signer, keys ?? requiredKeysOf(lock.trust(), id));
    },
    changes: (id, inspected, { signer, before, wants } = {}) => {
      const pin = locked(id);
      const tools = before === undefined ? pin.tools : before.tools;
      const { packages } = inspected;
      return changesBetween(
        { ...pin, tools },
        {
          ...describedOf(inspected, signer),
          ...(packages === undefined ? {} : { packages: describePackages(packages, wants) }),
        },
      );
    },
    accept: (inspected, acceptance) => {
      const { plugin, artifact, envelope } = inspected;
      const { signer, downgrade = false } = acceptance;
      const refused = whyRefused(lock.trust(), plugin.id, {
        hash: artifact.hash,
        signer: signer?.id,
      });
      if (refused !== undefined) throw invalidArtifact(`of ${plugin.id}`, refused);
      lock.store(artifact.hash, {
        bytes: artifact.bytes,
        ...(envelope === undefined ? {} : { envelope }),
      });
      return put(plugin.id, ({ plugins }) => {
        const before = Object.hasOwn(plugins, plugin.id) ? plugins[plugin.id] : undefined;
        // guard: lower-version-refused
        if (!downgrade && isLower(plugin.version, before?.version)) {
          throw lowerVersion(plugin, before?.version);
        }
        return {
          format: plugin.format,
          source: lock.sourceOf(plugin.directory),
          ...(before?.disabled === true ? { disabled: true } : {}),
          ...pinOf(inspected, acceptance),
          ...lockedPackages(inspected, acceptance, before, options),
          ...(before === undefined ? {} : { previous: previousOf(before, artifact.hash) }),
        };
      });
    },
    remove: (id) => {
      lock.change((now) => {
        locked(id, now);
        const { [id]: _, ...plugins } = now.plugins;
        return { ...now, plugins };
      });
    },
    removeStorage: (id) =>
      removeStore(readSettings({ ...options, plugins: [] }).storageDirectory, id),
    setDisabled: (id, disabled) => {
      put(id, (now) => {
        const { disabled: _, ...plugin } = locked(id, now);
        return disabled ? { ...plugin, disabled: true } : plugin;
      });
    },
    rollback: (id, by) =>
      put(id, (now) => {
        const { format, disabled, previous = [], ...pin } = locked(id, now);
        const [before, ...rest] = previous;
        if (before === undefined) throw noPrevious(id, lock.path);
        const refused = whyRefused(lock.trust(), id, {
          hash: before.artifact,
          signer: before.signer?.id,
        });
        if (refused !== undefined) throw invalidArtifact(`of ${id}`, refused);
        return {
          format,
          source: pin.source,
          ...(disabled === undefined ? {} : { disabled }),
          ...before,
          by,
          at: new Date().toISOString(),
          previous: [...rest, pin].slice(0, MAX_PREVIOUS),
        };
      }),
    packState: (directory) => packStateOf(directory, withLocked(options, lock)),
    check: async () => {
      const settings = readSettings({ ...withLocked(options, lock), plugins: [] });
      const runtime = await openEngineRuntime(settings, makeEventBus(Date.now));
      const stateOf = async (id: string, plugin: LockedPlugin): Promise<LockState> => {
        const directory = lock.directoryOf(plugin.source);
        if ((await diskReader.stat(directory)) === undefined) return 'missing';
        try {
          const accepted = lock.open(id, plugin);
          const current =
            readPack(lock, directory) ??
            (await buildCurrent(
              (await readPlugin(diskReader, directory)).plugin,
              Object.keys(plugin.bundles),
              runtime.build,
            ));
          const isSame =
            (plugin.files === undefined || plugin.files === (await hashFileTree(directory))) &&
            (accepted === undefined
              ? hashOf(current) === plugin.artifact
              : isSameSource(accepted, current));
          return isSame ? 'as-accepted' : 'changed';
        } catch {
          return 'broken';
        }
      };
      try {
        const states: Record<string, LockState> = {};
        for (const [id, plugin] of Object.entries(lock.read().plugins)) {
          states[id] = await stateOf(id, plugin);
        }
        return states;
      } finally {
        await runtime.close();
      }
    },
  };
}

/** The hash of the artifact of a directory's content. */
function hashOf({ plugin, bundles, pack }: CurrentPlugin): string {
  return pack?.artifact.hash ?? makeArtifact({ ...plugin, directory: '' }, bundles).hash;
}

function verifySigner(
  { plugin, artifact, envelope }: Inspection,
  accepted: Signer | undefined,
  required: readonly PublicKey[] | undefined,
): PublicKey | undefined {
  const name = `of ${plugin.id}`;
  // guard: required-signature-verified
  if (required !== undefined) {
    if (envelope === undefined) {
      const ids = required.map(({ id }) => id).join(' or ');
      throw invalidArtifact(name, `a signature of ${ids} is required, and it is not signed`);
    }
    return verifyArtifact(artifact, envelope, required, name);
  }
  if (accepted === undefined || envelope === undefined) return undefined;
  if (!namedSigners(envelope, name).includes(accepted.id)) return undefined;
  return verifyArtifact(artifact, envelope, [publicKeyOf(accepted)], name);
}

function describedOf(
  inspected: Inspection,
  signer: PublicKey | undefined,
): Described & Omit<Pin, 'by' | 'at' | 'tools'> & { readonly tools: Inspection['tools'] } {
  const { plugin, declared, tools, hosts, artifact, unconfined } = inspected;
  return {
    ...(plugin.version === undefined ? {} : { version: plugin.version }),
    bundles: Object.fromEntries(
      Object.entries(artifact.bundles).map(([key, { hash }]) => [key, hash]),
    ),
    artifact: artifact.hash,
    ...(inspected.files === undefined ? {} : { files: inspected.files }),
    granted: compact(declared),
    tools,
    hosts,
    ...(signer === undefined ? {} : { signer: signerOf(signer) }),
    ...(unconfined ? { unconfined: true } : {}),
  };
}

function pinOf(inspected: Inspection, acceptance: Acceptance): Pin {
  const { granted, trustHints = false, unconfined = false, by, signer } = acceptance;
  const { granted: declared, unconfined: _, tools, ...described } = describedOf(inspected, signer);
  const given = compact(granted);
  const differs = JSON.stringify(given) !== JSON.stringify(declared);
  return {
    ...described,
    tools: Object.fromEntries(
      Object.entries(tools).map(([tool, { texts: __, ...hashes }]) => [tool, hashes]),
    ),
    granted: given,
    ...(differs ? { declared } : {}),
    ...(trustHints ? { trustHints } : {}),
    ...(unconfined ? { unconfined } : {}),
    by,
    at: new Date().toISOString(),
  };
}

function previousOf(before: LockedPlugin, next: string): readonly Pin[] {
  const { format: _, disabled: __, previous = [], ...pin } = before;
  // If the same content is accepted again, it does not become its own previous version.
  return before.artifact === next ? previous : [pin, ...previous].slice(0, MAX_PREVIOUS);
}

/** Whether both are semantic versions, and the first is lower. */
function isLower(version: string | undefined, before: string | undefined): boolean {
  const [now, then] = [parse(version), parse(before)];
  return now !== null && then !== null && lt(now, then);
}

function lowerVersion({ id, version }: Plugin, before: string | undefined): BulkheadError {
  return new BulkheadError(
    'INVALID_OPTIONS',
    `${id} was not accepted: its version ${version} is lower than the accepted ${before}. To accept a lower version, add --downgrade.`,
    { option: '--downgrade' },
  );
}

function notLocked(id: string, path: string): BulkheadError<'NOT_LOCKED'> {
  return new BulkheadError('NOT_LOCKED', `${id} is not in ${path}. See \`bulkhead list\`.`, {
    plugin: id,
  });
}

function noPrevious(id: string, path: string): BulkheadError<'NOT_LOCKED'> {
  return new BulkheadError(
    'NOT_LOCKED',
    `${path} has no earlier version of ${id}. To fix this, accept the version that you want with \`bulkhead update ${id}\`; \`bulkhead list\` shows what is accepted.`,
    { plugin: id },
  );
}
