import { hash } from '../hash.js';
import type { BulkheadEvent } from '../events.js';
import { isRecord } from '../../sandbox/wire/json.js';
import { canonicalJson } from '../canonical.js';
import {
  AUDIT_LIMITS,
  type AuditEntry,
  type InputNote,
  RECORDED_FIELDS,
  isEntry,
} from './record.js';

/** The audit entry of an event; `undefined` if the log does not record events of its type. */
export function noteEvent(event: BulkheadEvent, policy: InputPolicy): AuditEntry | undefined {
  const names = NAMES.get(event.type);
  const members: unknown = event;
  if (names === undefined || !isRecord(members)) return undefined;
  const entry: Record<string, unknown> = { type: event.type, atMs: event.atMs };
  for (const name of names) {
    const value = members[name];
    if (value !== undefined) entry[name] = cut(value);
  }
  if (event.type === 'call-started') Object.assign(entry, noteInput(event.input, policy));
  if (event.type === 'call-ended') Object.assign(entry, noteLine(event.stack));
  return isEntry(entry) ? entry : undefined;
}

/** The recorded members of each type of event. */
const NAMES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(RECORDED_FIELDS).map(([type, fields]) => [
    type,
    fields.map((field) => field.replace(/\?$/, '')),
  ]),
);

function cut(value: unknown): unknown {
  return typeof value === 'string' && value.length > AUDIT_LIMITS.maxTextCharacters
    ? `${value.slice(0, AUDIT_LIMITS.maxTextCharacters)}…`
    : value;
}

/** Only the place: the error's message may contain secrets. */
function noteLine(stack: string | undefined): { readonly at?: string } {
  if (stack === undefined) return {};
  const place = /^[ \t]+at (?:.*\()?(?<at>[^\s()]{1,200}:\d+:\d+)\)?$/m.exec(stack)?.groups;
  return place?.['at'] === undefined ? {} : { at: place['at'] };
}

/** What the log records of the inputs of calls. */
export interface InputPolicy {
  /**
   * `none`. `digest` (the default): a hash. It identifies a known input; an input with few possible
   * values can be guessed from it. `full`: the input itself, without the members in `redact`.
   */
  readonly inputs: 'none' | 'digest' | 'full';
  /** Members with these names are replaced by `[redacted]` in full inputs, at any depth. */
  readonly redact: readonly string[];
}

/** Matched anywhere in a name, ignoring case, hyphens, underscores and white space. */
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

const REDACTED = '[redacted]';

/** What may be kept of an input or an answer, given as JSON text. */
export interface NotedContent {
  readonly digest?: string;
  /** Without the redacted members, and cut if it is long. */
  readonly text?: string;
}

export function noteContent(json: string, policy: InputPolicy): NotedContent {
  if (policy.inputs === 'none') return {};
  const value: unknown = parse(json);
  const digest = hash('sha256', canonicalJson(value), 'hex');
  if (policy.inputs === 'digest') return { digest };
  const text = JSON.stringify(withoutNamed(value, policy.redact.map(plain)));
  const { maxInputCharacters } = AUDIT_LIMITS;
  return {
    digest,
    text: text.length > maxInputCharacters ? `${text.slice(0, maxInputCharacters)}…` : text,
  };
}

/** What the log records of an input, given as JSON text. */
function noteInput(input: string, policy: InputPolicy): InputNote {
  const { digest, text } = noteContent(input, policy);
  if (digest === undefined) return {};
  return { inputDigest: digest, ...(text === undefined ? {} : { input: text }) };
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
