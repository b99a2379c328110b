import { hash } from 'node:crypto';
import { canonicalJson } from './canonical.js';
import { AUDIT_LIMITS } from './limits.js';
import type { InputNote } from './record.js';

/** What the log keeps of the inputs of calls. */
export interface InputPolicy {
  /**
   * `none`. `digest` (the default): a hash, by which an input that is known can be recognised, and one
   * of few possible ones guessed. `full`: the input itself, but for what `redact` names.
   */
  readonly inputs: 'none' | 'digest' | 'full';
  /** Names of members whose values are left out of full inputs, wherever they are. */
  readonly redact: readonly string[];
}

/** Matched without regard to case, hyphens and underscores, anywhere in the name. */
export const DEFAULT_REDACT: readonly string[] = [
  'password',
  'passphrase',
  'secret',
  'token',
  'apikey',
  'authorization',
  'cookie',
  'credential',
  'privatekey',
];

export const REDACTED = '[redacted]';

/** What is kept of an input, given as its JSON. */
export function noteInput(input: string, policy: InputPolicy): InputNote {
  if (policy.inputs === 'none') return {};
  const value: unknown = parse(input);
  const inputDigest = hash('sha256', canonicalJson(value), 'hex');
  if (policy.inputs === 'digest') return { inputDigest };
  const text = JSON.stringify(withoutNamed(value, policy.redact.map(plain)));
  return {
    inputDigest,
    input:
      text.length > AUDIT_LIMITS.maxInputCharacters
        ? `${text.slice(0, AUDIT_LIMITS.maxInputCharacters)}…`
        : text,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function withoutNamed(value: unknown, names: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((member) => withoutNamed(member, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      names.some((name) => plain(key).includes(name)) ? REDACTED : withoutNamed(member, names),
    ]),
  );
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_\s]/g, '');
}
