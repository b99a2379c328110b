import { describe, expect, test } from 'vitest';
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

describe('a Pandora plugin', () => {
  test('is active if it is enabled and configured and has its variables', () => {
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

  test('says how to configure it if it has no configuration', () => {
    const { config, reasons } = decide(undefined, { KEY: 'k' });
    expect(config).toBeNull();
    expect(reasons).toEqual(['it is not configured; set config["mini"] to { "enabled": true }']);
  });

  test('says how to enable it if it is disabled', () => {
    const { config, reasons } = decide({ enabled: false }, { KEY: 'k' });
    expect(config).toBeNull();
    expect(reasons).toEqual(['it is disabled; set config["mini"].enabled to true']);
  });

  test.each([{}, { KEY: '' }])('is inactive if a required variable has no value: %j', (env) => {
    const { config, reasons } = decide({}, env);
    expect(config).toBeNull();
    expect(reasons).toEqual(['the environment variable KEY has no value; set it']);
  });

  test('is inactive if its configuration is not valid, and names all reasons', () => {
    const { config, reasons, validationErrors } = decide({ limit: 'x' }, {});
    expect(config).toBeNull();
    expect(validationErrors).toEqual(['limit: must be a number']);
    expect(reasons).toHaveLength(2);
  });
});
