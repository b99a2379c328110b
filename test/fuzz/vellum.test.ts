import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { vellum } from '../../src/formats/vellum/format.js';
import { NO_PERMISSIONS } from '../../src/permissions/permissions.js';
import type { PluginEntry } from '../../src/plugin/plugin.js';
import type { Json } from '../../sandbox/wire/messages.js';
import { runs } from '../property-runs.js';
import { injections, schemaLike } from './json.js';

const stems = ['a', 'b-c', 'host_x', '__proto__', 'constructor'];
const entry: PluginEntry = {
  key: 'plugin',
  surface: 'tools',
  file: 'package.json',
  surfaces: stems.map((stem) => ({ kind: 'tools', stem, file: `tools/${stem}.ts` })),
  dialect: 'vellum',
  confinement: 'compartment',
  declared: NO_PERMISSIONS,
  requireApproval: false,
};

const words = fc.oneof(injections, fc.string(), fc.constantFrom('low', 'high', 'host', 'sandbox'));
const anything = fc.oneof(words, fc.jsonValue(), schemaLike());
const tool = fc.dictionary(
  fc.constantFrom(
    'name',
    'description',
    'input_schema',
    'defaultRiskLevel',
    'category',
    'executionTarget',
    'exclusive',
  ),
  anything,
);
const described = fc.record(
  {
    stem: fc.oneof(fc.constantFrom(...stems), words),
    tool: fc.oneof(tool, anything),
    error: anything,
    exports: anything,
  },
  { requiredKeys: [] },
);

describe('a Vellum plugin', () => {
  it('has valid contributions of its own files only, for any answer of a guest', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.record({ tools: fc.array(fc.oneof(described, anything)) }), anything),
        (answer) => {
          const offer = vellum.readContributions(answer, {
            plugin: { id: 'p' },
            entry,
            granted: NO_PERMISSIONS,
            maxTimeoutMs: 60_000,
          });
          expect(new Set(offer.tools.map(({ id }) => id)).size).toBe(offer.tools.length);
          for (const read of offer.tools) {
            expect(read.id).toBe(`p:${read.toolId}`);
            expect(read.toolId).not.toContain(':');
            expect(stems).toContain(read.surface);
            expect(['low', 'medium', 'high']).toContain(read.declaredRisk);
            // No plugin was allowed to run outside of the sandbox.
            expect(read.executionTarget).toBe('sandbox');
            expect(typeof read.description).toBe('string');
            expect(Object.isFrozen(read.parameters.schema)).toBe(true);
          }
          for (const text of [...offer.problems, ...offer.refused.map(({ message }) => message)]) {
            expect(text.length).toBeLessThanOrEqual(4_096);
          }
        },
      ),
      { numRuns: runs(300) },
    );
  });

  const block = fc.record(
    {
      type: fc.oneof(fc.constantFrom('text', 'image', 'file', 'tool_use', 'tool_result'), words),
      text: anything,
      source: fc.oneof(fc.record({ media_type: anything, data: anything }), anything),
    },
    { requiredKeys: [] },
  );
  const result = fc.record(
    {
      content: fc.oneof(anything, fc.array(block)),
      isError: anything,
      status: anything,
      yieldToUser: anything,
      contentBlocks: fc.oneof(anything, fc.array(block)),
    },
    { requiredKeys: [] },
  );

  it('shows a model only texts and media, for any tool result', () => {
    fc.assert(
      fc.property(fc.oneof(result, anything), (value) => {
        const copy: Json = JSON.parse(JSON.stringify(value));
        const answer = vellum.readAnswer?.(copy);
        expect(typeof answer?.isError).toBe('boolean');
        for (const shown of answer?.content ?? []) {
          expect(['text', 'image', 'file']).toContain(shown.type);
          if (shown.type === 'text') expect(typeof shown.text).toBe('string');
          else expect([typeof shown.mimeType, typeof shown.data]).toEqual(['string', 'string']);
        }
        expect(answer?.content.length).toBeLessThanOrEqual(64);
      }),
      { numRuns: runs(300) },
    );
  });
});
