import { NO_PERMISSIONS } from '../../src/permissions/permissions.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readContributions } from '../../src/formats/pandora/contributions.js';
import { coversAll } from '../../src/permissions/grant.js';
import type { Permissions } from '../../src/permissions/kind.js';
import type { Plugin, PluginEntry } from '../../src/plugin/plugin.js';
import { runs } from '../property-runs.js';
import { injections, schemaLike } from './json.js';

const declared: Permissions = {
  time: true,
  random: false,
  network: ['api.test'],
  env: ['KEY'],
  fs: ['data'],
  storage: true,
  powers: ['notes'],
};
const entry: PluginEntry = {
  key: 'tools',
  surface: 'tools',
  file: 'index.ts',
  dialect: 'pandora',
  confinement: 'compartment',
  declared,
  requireApproval: false,
};
const plugin = {
  id: 'p',
  manifest: 'pandora.manifest.json',
  entries: [entry],
} as unknown as Plugin;

describe('the contributions of a guest', () => {
  it('are valid and request no more permissions, for any answer', () => {
    fc.assert(
      fc.property(answers(), (answer) => {
        const offer = readContributions(answer, {
          plugin,
          entry,
          granted: NO_PERMISSIONS,
          maxTimeoutMs: 60_000,
        });
        expect(new Set(offer.tools.map(({ id }) => id)).size).toBe(offer.tools.length);
        for (const tool of offer.tools) {
          expect(tool.id).toBe(`p:${tool.toolId}`);
          expect(tool.toolId).not.toContain(':');
          expect(Number.isInteger(tool.timeoutMs)).toBe(true);
          expect(tool.timeoutMs >= 1 && tool.timeoutMs <= 60_000).toBe(true);
          expect(coversAll(declared, tool.permissions)).toBe(true);
          expect(typeof tool.annotations.readOnlyHint).toBe('boolean');
          expect(typeof tool.description).toBe('string');
          expect(Object.isFrozen(tool.parameters.schema)).toBe(true);
        }
        const texts = [
          ...offer.problems,
          ...offer.refused.map(({ message }) => message),
          ...offer.alerts.map(({ message }) => message),
        ];
        for (const text of texts) expect(text.length).toBeLessThanOrEqual(4_096);
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      { numRuns: runs(1000) },
    );
  });
});

function answers(): fc.Arbitrary<unknown> {
  const any = fc.oneof(fc.jsonValue(), injections);
  const scopes = fc.oneof(
    fc.array(fc.constantFrom('api.test', '*', '*.test', 'KEY', 'HOME', './data', '../..', '/', '')),
    any,
  );
  const permissions = fc.record(
    { time: any, random: any, network: scopes, env: scopes, fs: scopes },
    { requiredKeys: [] },
  );
  const tool = fc.record(
    {
      id: fc.oneof(fc.constantFrom('a', 'b', 'p:a', ' ', 'a\nb'), injections, fc.string(), any),
      executable: fc.oneof(
        { weight: 5, arbitrary: fc.constant(true) },
        { weight: 1, arbitrary: any },
      ),
      name: fc.oneof(fc.string(), any),
      description: fc.oneof(fc.string({ size: 'large' }), any),
      parameters: fc.oneof(schemaLike(), fc.constant(undefined), any),
      permissions: fc.oneof(permissions, any),
      annotations: fc.oneof(fc.record({ readOnlyHint: any, title: any }), any),
      timeout: fc.oneof(fc.double(), fc.integer(), any),
      requireApproval: any,
      sandbox: fc.oneof(fc.constantFrom('host', 'compartment'), any),
    },
    { requiredKeys: [] },
  );
  const list = fc.oneof(
    fc.array(fc.oneof(fc.record({ tool }), fc.record({ problem: any }), any), { maxLength: 6 }),
    any,
  );
  const alerts = fc.oneof(fc.array(fc.record({ level: any, message: any })), any);
  const resolved = fc.oneof(
    fc.record({ tools: list, alerts }),
    fc.record({ error: fc.oneof(fc.string(), any) }),
    any,
  );
  return fc.oneof(
    { weight: 6, arbitrary: fc.record({ tools: list, resolved }) },
    { weight: 1, arbitrary: any },
  );
}
