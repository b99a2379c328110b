import { type CanonicalKey, canonicalKeys } from './canonical.js';
import { MADE } from './fields.js';
import { type AuditEntry, FIELDS } from './record.js';

/** What records of a type are made of besides their hash, in the order in which they are written. */
export interface Shape {
  readonly beforeHash: readonly CanonicalKey[];
  readonly afterHash: readonly CanonicalKey[];
}

export function shapeOf(type: AuditEntry['type']): Shape {
  const known = SHAPES.get(type);
  if (known !== undefined) return known;
  const names = (FIELDS.get(type) ?? []).map(({ name }) => name);
  const keys = canonicalKeys([...ALWAYS, ...names, ...(MADE[type] ?? [])]);
  const made = {
    beforeHash: keys.filter(([key]) => key < 'hash'),
    afterHash: keys.filter(([key]) => key > 'hash'),
  };
  SHAPES.set(type, made);
  return made;
}

const SHAPES = new Map<string, Shape>();

const ALWAYS: readonly string[] = ['type', 'atMs', 'seq', 'prev'];
