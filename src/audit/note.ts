import type { BulkheadEvent } from '../events.js';
import { hasMembers } from './canonical.js';
import { KEPT } from './fields.js';
import { AUDIT_LIMITS } from './limits.js';
import { type AuditEntry, isEntry } from './record.js';
import { type InputPolicy, noteInput } from './redact.js';

/** What is kept of an event; `undefined` where it is none of the log's business. */
export function noteEvent(event: BulkheadEvent, policy: InputPolicy): AuditEntry | undefined {
  const names = NAMES.get(event.type);
  const told: unknown = event;
  if (names === undefined || !hasMembers(told)) return undefined;
  const entry: Record<string, unknown> = { type: event.type, atMs: event.atMs };
  for (const name of names) {
    const value = told[name];
    if (value !== undefined) entry[name] = cut(value);
  }
  if (event.type === 'call-started') Object.assign(entry, noteInput(event.input, policy));
  if (event.type === 'call-ended') Object.assign(entry, noteLine(event.stack));
  return isEntry(entry) ? entry : undefined;
}

/** The members that are kept of each type of event. */
const NAMES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(KEPT).map(([type, fields]) => [
    type,
    fields.map((field) => field.replace(/\?$/, '')),
  ]),
);

function cut(value: unknown): unknown {
  return typeof value === 'string' && value.length > AUDIT_LIMITS.maxTextCharacters
    ? `${value.slice(0, AUDIT_LIMITS.maxTextCharacters)}…`
    : value;
}

/** Of a stack only the place: what was thrown says whatever the plugin had at hand. */
function noteLine(stack: string | undefined): { readonly at?: string } {
  if (stack === undefined) return {};
  const place = /^[ \t]+at (?:.*\()?(?<at>[^\s()]{1,200}:\d+:\d+)\)?$/m.exec(stack)?.groups;
  return place?.['at'] === undefined ? {} : { at: place['at'] };
}
