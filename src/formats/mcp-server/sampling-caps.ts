import { isRecord } from '../../../sandbox/wire/json.js';

/** Caps on what a server asks the client's model. */
export interface SamplingCaps {
  /** Of one answer. */
  readonly maxTokens: number;
  /** Of one call. */
  readonly maxRequests: number;
}

const DEFAULT: SamplingCaps = { maxTokens: 1_000, maxRequests: 5 };

/** Reads `sampling` of the operator's configuration of a server. Values that are not valid count as absent. */
export function readSamplingCaps(config: Readonly<Record<string, unknown>>): SamplingCaps {
  const { maxTokens, maxRequests } = isRecord(config['sampling']) ? config['sampling'] : {};
  return {
    maxTokens: isCount(maxTokens) ? maxTokens : DEFAULT.maxTokens,
    maxRequests: isCount(maxRequests) ? maxRequests : DEFAULT.maxRequests,
  };
}

/** Why `sampling` of the configuration is not valid; none if it is. */
export function samplingProblems(config: Readonly<Record<string, unknown>>): readonly string[] {
  const { sampling } = config;
  if (sampling === undefined) return [];
  const known = ['maxTokens', 'maxRequests'];
  const isValid =
    isRecord(sampling) &&
    Object.entries(sampling).every(([key, value]) => known.includes(key) && isCount(value));
  return isValid ? [] : ['sampling: takes { maxTokens, maxRequests }, whole numbers from 1'];
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1;
}
