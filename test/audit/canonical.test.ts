import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/canonical.js';
import { seal, unseal } from '../../src/audit/chain.js';
import {
  type AuditEntry,
  FIELDS,
  FIELD_TYPES,
  COMPUTED_FIELDS,
  isEntry,
} from '../../src/audit/record.js';

/** Any text: with characters to escape, lone surrogates, and plain text. */
const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.string({ maxLength: 0 }));
const key = fc.oneof(text, fc.constantFrom('__proto__', 'hash', '10', '9', 'constructor'));
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(text, fc.double({ noNaN: true }), fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .array(fc.tuple(key, tie('value')), { maxLength: 6 })
      .map((members): unknown => Object.fromEntries(members)),
  ),
})).value;

/** Entries of every type, with all or some of their optional members. */
const entries = fc
  .constantFrom(...FIELDS.entries())
  .chain(([type, fields]) => {
    const computed = COMPUTED_FIELDS[type] ?? [];
    const members: Record<string, fc.Arbitrary<unknown>> = {
      type: fc.constant(type),
      atMs: fc.double({ min: -1e15, max: 1e15, noNaN: true }),
    };
    for (const name of [...fields.map((field) => field.name), ...computed])
      members[name] = valueOf(name);
    const optional = new Set([
      ...fields.filter((field) => field.isOptional).map((field) => field.name),
      ...computed,
    ]);
    const requiredKeys = Object.keys(members).filter((name) => !optional.has(name));
    return fc.record(members, { requiredKeys });
  })
  .filter((entry): entry is typeof entry & AuditEntry => isEntry(entry));

function valueOf(name: string): fc.Arbitrary<unknown> {
  switch (FIELD_TYPES[name] ?? 'string') {
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'texts':
      return fc.array(text, { maxLength: 3 });
    case 'object':
      return fc.array(fc.tuple(key, json), { maxLength: 3 }).map(Object.fromEntries);
    default:
      return text;
  }
}

/** Canonical JSON by its definition, without the optimisations of `canonicalJson`. */
function canonicalByDefinition(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalByDefinition).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, one]) => `${JSON.stringify(name)}:${canonicalByDefinition(one)}`).join(',')}}`;
}

describe('canonicalJson', () => {
  it('returns the text that its definition gives', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(value)).toBe(canonicalByDefinition(value));
      }),
    );
  });

  it('encodes all members of a record, and the hash covers all members except itself', () => {
    fc.assert(
      fc.property(entries, (entry) => {
        const { record, line } = seal({ seq: 6, hash: 'a'.repeat(64) }, entry);
        const linked = { ...entry, v: 2, seq: 7, prev: 'a'.repeat(64) };
        const hash = createHash('sha256').update(canonicalByDefinition(linked)).digest('hex');
        expect(line).toBe(canonicalByDefinition({ ...linked, hash }));
        expect(record).toEqual({ ...linked, hash });
        expect(typeof unseal(line)).toBe('object');
      }),
      { numRuns: 300 },
    );
  });

  it('returns the same text as the first release', () => {
    const { line } = seal(
      { seq: 41, hash: 'ab'.repeat(32) },
      {
        type: 'call-ended',
        atMs: 1_700_000_000_000.5,
        call: 'c1',
        plugin: 'pé"\\',
        tool: 't\n',
        outcome: 'error',
        code: 'TOOL_FAILED',
        durationMs: 1e-7,
        at: 'src/\ud800.ts:1:2',
      },
    );
    expect(line).toBe(GOLDEN);
  });
});

/** A line of the first release. */
const GOLDEN = String.raw`{"at":"src/\ud800.ts:1:2","atMs":1700000000000.5,"call":"c1","code":"TOOL_FAILED","durationMs":1e-7,"hash":"92741d3abb33f9661b986dbcb2ed4f909d2d41e3db006426377855f6adb0a316","outcome":"error","plugin":"pé\"\\","prev":"${'ab'.repeat(32)}","seq":42,"tool":"t\n","type":"call-ended","v":2}`;
