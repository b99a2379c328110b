import { BulkheadError } from '../errors.js';
import { isWallName } from '../guests/walls.js';
import { makeDefaultLogger } from './logger.js';
import type { EngineLimits, EngineOptions } from './options.js';
import { checkSecrets } from './secrets.js';
import { surroundings } from './powers/surroundings.js';

/** The options with their defaults, checked. */
export interface Settings extends EngineOptions {
  readonly grant: NonNullable<EngineOptions['grant']>;
  readonly config: NonNullable<EngineOptions['config']>;
  readonly env: NonNullable<EngineOptions['env']>;
  readonly secrets: NonNullable<EngineOptions['secrets']>;
  readonly hostMode: readonly string[];
  readonly limits: EngineLimits;
  readonly network: NonNullable<EngineOptions['network']>;
  readonly cacheDirectory: string;
  readonly logger: NonNullable<EngineOptions['logger']>;
}

/** What holds where a host says nothing. Milliseconds, mebibytes, counts. */
export const DEFAULT_LIMITS: EngineLimits = {
  // Pandora's default for a tool is 60 s; nothing that a model waits for should take longer.
  timeoutMs: 60_000,
  loadTimeoutMs: 10_000,
  graceMs: 100,
  memoryMb: 64,
  cpuSeconds: 3_600,
  maxCallsPerPlugin: 128,
  // Pandora's own cap on what a tool may return.
  maxResultBytes: 1024 * 1024,
  maxInputBytes: 8 * 1024 * 1024,
  maxLogLinesPerSecond: 100,
  pool: 1,
};

/** Fills in the defaults. Throws `INVALID_OPTIONS` naming the option that is not what it takes. */
export function readSettings(options: EngineOptions): Settings {
  const around = surroundings();
  if (!Array.isArray(options.plugins)) {
    throw invalid('plugins', 'a list of directories, e.g. plugins: ["./plugins/*"]');
  }
  const required: readonly string[] = options.walls?.require ?? [];
  for (const wall of required) {
    if (!isWallName(wall)) throw invalid('walls.require', `names of walls; there is no ${wall}`);
  }
  const env = options.env ?? around.env;
  const secrets = options.secrets ?? {};
  checkSecrets(secrets, env);
  return {
    ...options,
    grant: options.grant ?? 'nothing',
    config: options.config ?? {},
    env,
    secrets,
    hostMode: options.hostMode ?? [],
    limits: readLimits(options.limits ?? {}),
    network: options.network ?? {},
    cacheDirectory: options.cacheDirectory ?? around.cacheDirectory,
    logger: options.logger ?? makeDefaultLogger(),
  };
}

function readLimits(given: Partial<EngineLimits>): EngineLimits {
  const limits = { ...DEFAULT_LIMITS, ...given };
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) {
      throw invalid(`limits.${name}`, `one of ${Object.keys(DEFAULT_LIMITS).join(', ')}`);
    }
    const least = name === 'pool' ? 0 : 1;
    // Timers beyond 2³¹ − 1 ms fire at once: a limit that large would be none.
    if (!Number.isInteger(value) || value < least || value > 2 ** 31 - 1) {
      throw invalid(`limits.${name}`, `a whole number from ${least} to 2147483647`);
    }
  }
  return limits;
}

function invalid(option: string, takes: string): BulkheadError {
  return new BulkheadError('INVALID_OPTIONS', `The option ${option} takes ${takes}.`, { option });
}
