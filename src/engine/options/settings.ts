import { resolve } from 'node:path';
import type { RiskPolicy } from '../../approval/risk.js';
import { openRuleBook, type RuleBook } from '../../approval/rule-book.js';
import { isTolerance, THRESHOLDS } from '../../approval/tolerance.js';
import { type LentPowers, readPowers } from '../../brokers/powers/lent.js';
import { BulkheadError } from '../../errors.js';
import {
  DEFAULT_WALLS,
  isOptionalWall,
  OPTIONAL_WALLS,
  type OptionalWall,
} from '../../guests/command.js';
import { isWallName, type WallName } from '../../guests/walls.js';
import type { PlacedTool } from '../call/placed-elsewhere.js';
import { readCoreTools } from '../plugins/core-tools.js';
import type { EffectMode } from '../../approval/effect-mode.js';
import { type HookSettings, readHookOptions } from '../hooks/hook-options.js';
import { type EngineLimits, readLimits } from './limits.js';
import type { HeldLock } from '../lock/held-lock.js';
import { lockedWith, lockPolicy } from '../lock/lock-policy.js';
import { openLock } from '../lock/open-lock.js';
import { makeDefaultLogger } from '../logger.js';
import type { EngineOptions, WallOptions } from './options.js';
import { ownCompiler } from '../powers/own-compiler.js';
import { openRuleFile } from '../powers/rule-file.js';
import { surroundings } from '../powers/surroundings.js';
import { checkSecrets } from './secrets.js';

/** The options with their defaults, checked. */
export interface Settings extends Omit<EngineOptions, 'rules'> {
  /** Absent where the host names no lock file. */
  readonly lock: HeldLock | undefined;
  /** Absent where the host names no file of rules. */
  readonly rules: RuleBook | undefined;
  readonly grant: NonNullable<EngineOptions['grant']>;
  readonly config: NonNullable<EngineOptions['config']>;
  readonly env: NonNullable<EngineOptions['env']>;
  readonly secrets: NonNullable<EngineOptions['secrets']>;
  readonly hostMode: readonly string[];
  readonly riskPolicy: RiskPolicy;
  readonly effects: EffectMode;
  readonly trustHints: readonly string[];
  readonly background: readonly string[];
  readonly trustGroups: NonNullable<EngineOptions['trustGroups']>;
  readonly walls: { readonly require: readonly WallName[]; readonly use: readonly OptionalWall[] };
  readonly limits: EngineLimits;
  readonly network: NonNullable<EngineOptions['network']>;
  readonly hooks: HookSettings;
  /** The host's powers, checked. */
  readonly lent: LentPowers;
  /** The host's own tools, checked. */
  readonly core: readonly PlacedTool[];
  readonly cacheDirectory: string;
  readonly storageDirectory: string;
  readonly logger: NonNullable<EngineOptions['logger']>;
}

/** Fills in the defaults. Throws `INVALID_OPTIONS` naming the option that is not what it takes. */
export function readSettings(options: EngineOptions): Settings {
  const around = surroundings();
  if (!Array.isArray(options.plugins)) {
    throw invalid('plugins', 'a list of directories, e.g. plugins: ["./plugins/*"]');
  }
  const rules = options.rules === undefined ? undefined : openRuleBook(openRuleFile(options.rules));
  // What cannot be read is told now, and not with the first call.
  rules?.list();
  const lock = options.lockFile === undefined ? undefined : openLock(options.lockFile);
  lock?.read();
  const { tolerance, riskPolicy } = options;
  if (tolerance !== undefined && !isTolerance(tolerance)) {
    throw invalid('tolerance', `one of ${Object.keys(THRESHOLDS).join(', ')}`);
  }
  if (riskPolicy !== undefined && riskPolicy !== 'proven' && riskPolicy !== 'author') {
    throw invalid('riskPolicy', 'proven or author');
  }
  const { collisions } = options;
  if (collisions !== undefined && collisions !== 'isolate' && collisions !== 'strict') {
    throw invalid('collisions', 'isolate or strict');
  }
  const walls = readWalls(options.walls ?? {});
  const limits = readLimits(options.limits ?? {});
  const env = options.env ?? around.env;
  const secrets = options.secrets ?? {};
  checkSecrets(secrets, env);
  return {
    ...options,
    lock,
    grant: lock === undefined ? (options.grant ?? 'nothing') : lockPolicy(lock, options.grant),
    config: options.config ?? {},
    env,
    secrets,
    // A lock may be changed while the engine runs.
    get hostMode() {
      return [...(options.hostMode ?? []), ...lockedWith(lock, 'unconfined')];
    },
    rules,
    effects: effectsOf(options),
    riskPolicy: options.riskPolicy ?? 'proven',
    get trustHints() {
      return [...(options.trustHints ?? []), ...lockedWith(lock, 'trustHints')];
    },
    background: options.background ?? [],
    trustGroups: readTrustGroups(options.trustGroups ?? {}),
    walls,
    limits,
    network: options.network ?? {},
    hooks: readHookOptions(options.hooks ?? {}),
    lent: readPowers(options.powers ?? [], ownCompiler),
    core: readCoreTools({
      tools: options.coreTools ?? [],
      timeoutMs: limits.timeoutMs,
      tolerance,
      compiler: ownCompiler,
    }),
    cacheDirectory: options.cacheDirectory ?? around.cacheDirectory,
    storageDirectory: resolve(options.storageDirectory ?? around.storageDirectory),
    logger: options.logger ?? makeDefaultLogger(),
  };
}

/** A plugin that were in two groups would be in one process or the other, by chance. */
function readTrustGroups(groups: Settings['trustGroups']): Settings['trustGroups'] {
  const plugins = Object.values(groups).flat();
  const twice = plugins.find((plugin, at) => plugins.indexOf(plugin) !== at);
  if (twice === undefined) return groups;
  throw invalid('trustGroups', `each plugin once; ${twice} is there twice`);
}

function effectsOf({ effects, approve, tolerance }: EngineOptions): EffectMode {
  if (effects !== undefined && effects !== 'ask' && effects !== 'audit' && effects !== 'off') {
    throw invalid('effects', 'ask, audit or off');
  }
  return effects ?? (approve === undefined || tolerance === 'full' ? 'audit' : 'ask');
}

function readWalls({
  require = [],
  use = DEFAULT_WALLS,
  paranoid = false,
}: WallOptions): Settings['walls'] {
  const unknown = require.find((wall: string) => !isWallName(wall));
  if (unknown !== undefined) {
    throw invalid('walls.require', `names of walls; there is no ${unknown}`);
  }
  if (!use.every((wall: string) => isOptionalWall(wall))) {
    throw invalid('walls.use', `any of ${OPTIONAL_WALLS.join(', ')}`);
  }
  return { require, use: paranoid ? OPTIONAL_WALLS : use };
}

function invalid(option: string, takes: string): BulkheadError {
  return new BulkheadError('INVALID_OPTIONS', `The option ${option} takes ${takes}.`, { option });
}
