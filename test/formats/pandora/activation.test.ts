import { expect, test } from 'vitest';
import type { Activation } from '../../../src/formats/format.js';
import { decideActivation } from '../../../src/formats/pandora/activation.js';
import { readPandora } from '../../../src/formats/pandora/read.js';
import { makeMemory, manifestText } from '../memory.js';

const { plugin } = await readPandora(
  makeMemory({
    '/p/pandora.manifest.json': manifestText({
      envVars: [{ name: 'KEY' }, { name: 'REGION', required: false }],
      configFields: [{ key: 'limit', label: 'Limit', type: 'number' }],
    }),
  }),
  '/p',
);

const decide = (raw: unknown, env: Readonly<Record<string, string>>): Activation =>
  decideActivation(plugin, raw, (name) => env[name]);

test('a plugin that is enabled, configured and has its variables is active', () => {
  expect(decide({ enabled: true, limit: 3 }, { KEY: 'k' })).toEqual({
    config: { enabled: true, limit: 3 },
    reasons: [],
    validationErrors: [],
    environment: [
      { name: 'KEY', required: true, configured: true },
      { name: 'REGION', required: false, configured: false },
    ],
  });
});

test('a plugin that nobody configured says how to', () => {
  const { config, reasons } = decide(undefined, { KEY: 'k' });
  expect(config).toBeNull();
  expect(reasons).toEqual(['it is not configured; set config["mini"] to { "enabled": true }']);
});

test('a plugin that is disabled says how to enable it', () => {
  const { config, reasons } = decide({ enabled: false }, { KEY: 'k' });
  expect(config).toBeNull();
  expect(reasons).toEqual(['it is disabled; set config["mini"].enabled to true']);
});

test.each([{}, { KEY: '' }])('a required variable without a value keeps it inactive: %j', (env) => {
  const { config, reasons } = decide({}, env);
  expect(config).toBeNull();
  expect(reasons).toEqual(['the environment variable KEY has no value; set it']);
});

test('a configuration that is not valid keeps it inactive, and all reasons are named', () => {
  const { config, reasons, validationErrors } = decide({ limit: 'x' }, {});
  expect(config).toBeNull();
  expect(validationErrors).toEqual(['limit: must be a number']);
  expect(reasons).toHaveLength(2);
});
