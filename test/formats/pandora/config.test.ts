import { describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/formats/pandora/activation.js';
import type { ConfigField } from '../../../src/plugin/plugin.js';

const fields: readonly ConfigField[] = [
  { key: 'token', label: 'Token', type: 'password', required: true },
  { key: 'limit', label: 'Limit', type: 'number', required: false },
  {
    key: 'backend',
    label: 'Backend',
    type: 'enum',
    required: false,
    options: [
      { value: 'fast', label: 'Fast' },
      { value: 'deep', label: 'Deep' },
    ],
  },
];

describe('a plugin is not active', () => {
  test.each([undefined, null])('if nothing is configured: %s', (raw) => {
    expect(readConfig([], raw)).toEqual({ config: null, problems: [] });
    expect(readConfig(fields, raw)).toEqual({ config: null, problems: [] });
  });

  test('if it is disabled, whatever else is wrong', () => {
    expect(readConfig(fields, { enabled: false })).toEqual({ config: null, problems: [] });
  });

  test.each([
    [{}, ['token: is missing']],
    [{ token: 1 }, ['token: must be a text']],
    [{ token: null }, ['token: must be a text']],
    [{ token: 'x', limit: '3' }, ['limit: must be a number']],
    [{ token: 'x', backend: 'slow' }, ['backend: must be one of "fast", "deep"']],
    [{ token: 'x', enabled: 'yes' }, ['enabled: must be true or false']],
    [['token'], ['config: must be an object']],
    [{ limit: '3' }, ['token: is missing', 'limit: must be a number']],
  ])('if its configuration is not valid: %j', (raw, problems) => {
    expect(readConfig(fields, raw)).toEqual({ config: null, problems });
  });

  test('if a required field is only inherited', () => {
    const field: ConfigField = { key: 'toString', label: 'x', type: 'text', required: true };
    expect(readConfig([field], {}).problems).toEqual(['toString: is missing']);
  });
});

describe('a valid configuration', () => {
  test('is handed on with the keys that no field names', () => {
    const raw = { enabled: true, token: 'x', limit: 3, backend: 'deep', more: { a: [1] } };
    expect(readConfig(fields, raw)).toEqual({ config: raw, problems: [] });
  });

  test('is enabled by default', () => {
    expect(readConfig(fields, { token: 'x' }).config).toEqual({ token: 'x' });
  });

  test('is handed on as a copy', () => {
    const raw = { more: { a: [1] } };
    const { config } = readConfig([], raw);
    expect(config?.['more']).not.toBe(raw.more);
  });
});
