/**
 * The codes an error may carry across. From a guest they are claims: good enough to word an answer
 * to the model, never evidence (what a broker refused, the broker itself reports).
 */
export const WIRE_CODES = [
  'TIME_DENIED',
  'RANDOM_DENIED',
  'NETWORK_DENIED',
  'NETWORK_FAILED',
  'NETWORK_LIMIT',
  'EFFECT_DENIED',
  'FILESYSTEM_DENIED',
  'FILESYSTEM_FAILED',
  'FILESYSTEM_LIMIT',
  'ENVIRONMENT_DENIED',
  'STORAGE_DENIED',
  'STORAGE_FAILED',
  'STORAGE_LIMIT',
  'POWER_DENIED',
  'POWER_UNAVAILABLE',
  'POWER_INVALID',
  'POWER_FAILED',
  'POWER_LIMIT',
  'PERMISSION_REVOKED',
  'BUILTIN_DENIED',
  'BUNDLE_FAILED',
  'OUTSIDE_PLUGIN',
  'CANCELLED',
  'INVALID_HOOK_CHANGE',
  'INVALID_INPUT',
  'INVALID_SCHEMA',
  'INVALID_TOOL',
  'LOAD_FAILED',
  'SES_INCOMPATIBLE',
  'RESULT_INVALID',
  'RESULT_TOO_LARGE',
  'TOOL_FAILED',
  'TOOL_NOT_FOUND',
] as const;

export type WireCode = (typeof WIRE_CODES)[number];

const codes: ReadonlySet<string> = new Set(WIRE_CODES);

export function isWireCode(code: unknown): code is WireCode {
  return typeof code === 'string' && codes.has(code);
}
