import type { EffectMode } from '../../approval/policy.js';
import type { RiskPolicy } from '../../approval/risk.js';
import type { RuleBook } from '../../approval/rule-book.js';
import type { HostPowers } from '../../brokers/powers/host-powers.js';
import type { OptionalWall } from '../../guests/walls/optional.js';
import type { UserRange } from '../../guests/walls/plan.js';
import type { WallName } from '../../guests/walls/wall-names.js';
import type { Lock, Pin } from '../../lock/lock.js';
import type { Trust } from '../../lock/trust.js';
import type { Artifact, PackFiles } from '../../plugin/artifact/artifact.js';
import type { Bundle } from '../../plugin/plugin.js';
import type { GuestSettings } from './guest-options.js';
import type { HookSettings } from './hook-options.js';
import type { EngineLimits } from './limits.js';
import type { EngineOptions } from './options.js';
import type { PackageSettings } from './package-options.js';
import type { PlacedTool } from './place.js';

/** The checked options with their defaults. */
export interface Settings
  extends
    Omit<EngineOptions, 'rules' | 'packages' | 'timeZone' | keyof GuestSettings>,
    GuestSettings {
  /** Absent if the host does not set a lock file. */
  readonly lock: AcceptedPlugins | undefined;
  /** Absent if the host does not set a rule file. */
  readonly rules: RuleBook | undefined;
  readonly packages: PackageSettings;
  readonly grant: NonNullable<EngineOptions['grant']>;
  readonly config: NonNullable<EngineOptions['config']>;
  readonly env: NonNullable<EngineOptions['env']>;
  readonly secrets: NonNullable<EngineOptions['secrets']>;
  readonly hostMode: readonly string[];
  readonly riskPolicy: RiskPolicy;
  readonly effects: EffectMode;
  readonly trustHints: readonly string[];
  readonly timeZone: () => string;
  readonly walls: {
    readonly require: readonly WallName[];
    readonly use: readonly OptionalWall[];
    readonly users?: UserRange;
  };
  readonly limits: EngineLimits;
  readonly network: NonNullable<EngineOptions['network']>;
  readonly hooks: HookSettings;
  /** The host's powers, checked. */
  readonly hostPowers: HostPowers;
  /** The host's tools, checked. */
  readonly core: readonly PlacedTool[];
  /** Paths that no plugin writes through a mount: the operator's own files. */
  readonly closed: readonly string[];
  readonly cacheDirectory: string;
  readonly storageDirectory: string;
  readonly enclaveKeyFile: string;
  readonly logger: NonNullable<EngineOptions['logger']>;
}

/** A lock file. Each method reads its current content. */
export interface AcceptedPlugins {
  readonly path: string;
  /** Throws `INVALID_LOCK`. A missing file gives an empty lock. */
  read(): Lock;
  /** Throws `INVALID_LOCK`. Other processes cannot change the file at the same time. */
  change(next: (lock: Lock) => Lock): void;
  /**
   * The accepted artifact of a plugin, from the store, with its hash, its signature and the operator's rules
   * verified; `undefined` if the store does not have it. Throws `INVALID_ARTIFACT` if it is refused.
   */
  open(id: string, locked: Pin): Artifact | undefined;
  /**
   * Whether the build comes from an artifact that `open` returned for this plugin. Throws `INVALID_ARTIFACT` if
   * the trust rules refuse it by now, and `INVALID_TRUST`.
   */
  admits(id: string, bundle: Bundle): boolean;
  /** The stored artifact with this hash, and its signature; `undefined` if there is none. Nothing is checked. */
  readStored(hash: string): PackFiles | undefined;
  /** Stores an artifact, with its signature if it has one. */
  store(hash: string, pack: PackFiles): void;
  /** The artifact in a plugin's directory; `undefined` if it has none. Nothing is checked. */
  readPack(directory: string): PackFiles | undefined;
  /** The operator's rules about keys and artifacts. Throws `INVALID_TRUST`. */
  trust(): Trust;
  /** The directory of a source. */
  directoryOf(source: string): string;
  /**
   * Whether the lock file still names the artifact of a bundle that runs, and the trust rules allow it. `false`
   * if they cannot be read.
   */
  stillAccepts(id: string, bundle: Bundle): boolean;
  /** The source of a directory, as the lock file names it. */
  sourceOf(directory: string): string;
}
