import { describe, expect, test } from 'vitest';
import { parseManifest } from '../../../src/formats/pandora/manifest.js';
import { manifestText, minimal } from '../memory.js';

const problems = (changes: Readonly<Record<string, unknown>>): readonly string[] => {
  const result = parseManifest(manifestText(changes));
  return result.ok ? [] : result.problems;
};

const full = {
  $schema: 'x.json',
  description: 'd',
  author: 'a',
  icon: 'i',
  version: '1',
  homepage: 'h',
  repository: 'r',
  license: 'l',
  provides: {
    tools: {
      entry: './src/index.ts',
      sandbox: 'compartment',
      permissions: { time: true, network: ['a.test'], env: ['A'], fs: ['.'], random: false },
      requireApproval: true,
    },
    agents: [{ entry: './agent.ts', useTools: ['a:b'], modelTools: ['search'] }],
    channels: { entry: './channel.ts', sandbox: 'host' },
  },
  envVars: [{ name: 'A' }, { name: 'B', required: false }],
  configFields: [
    {
      key: 'k',
      label: 'K',
      type: 'enum',
      required: true,
      placeholder: 'p',
      description: 'd',
      options: [{ value: 'v', label: 'V' }],
    },
  ],
};

describe('a valid manifest', () => {
  test('needs five fields', () => {
    expect(parseManifest(manifestText())).toEqual({ ok: true, value: minimal });
  });

  test('may have all of them', () => {
    const result = parseManifest(manifestText(full));
    const { tools, agents, channels } = full.provides;
    const provides = { tools: [tools], agents, channels: [channels] };
    expect(result).toEqual({ ok: true, value: { ...minimal, ...full, provides } });
  });

  test('may provide lists', () => {
    const entries = [{ entry: './a.ts' }, { entry: './b.ts' }];
    expect(problems({ provides: { tools: entries, agents: entries, channels: [] } })).toEqual([]);
  });

  test('loses unknown keys below its top', () => {
    const result = parseManifest(
      manifestText({ provides: { tools: { entry: './a.ts', evil: 1 }, more: {} } }),
    );
    expect(result.ok && result.value.provides).toEqual({ tools: [{ entry: './a.ts' }] });
  });

  test.each(['weather', '@acme/weather', 'a b', 'ü'])('may have the id %s', (id) => {
    expect(problems({ id })).toEqual([]);
  });

  test.each(['>=1.0.0', '^1', '~1.2', '=1', '<2'])('may be for Pandora %s', (pandora) => {
    expect(problems({ pandora })).toEqual([]);
  });
});

describe('an invalid manifest', () => {
  test.each([
    [{ extra: 1 }, 'extra: is not known'],
    [{ pandora: '1.0.0' }, 'pandora: must be a range like ">=1.0.0" or "^1.0.0", not "1.0.0"'],
    [{ pandora: '*' }, 'pandora: must be a range like ">=1.0.0" or "^1.0.0", not "*"'],
    [{ manifestVersion: undefined }, 'manifestVersion: is missing'],
    [{ manifestVersion: 2 }, 'manifestVersion: must be 1, not 2'],
    [{ manifestVersion: '1' }, 'manifestVersion: must be 1, not "1"'],
    [{ id: undefined }, 'id: is missing'],
    [{ id: 'a:b' }, 'id: must be a text of 1 to 200 characters without ":", not "a:b"'],
    [{ id: '' }, 'id: must be a text of 1 to 200 characters without ":", not ""'],
    [{ id: 'a\nb' }, 'id: must be a text of 1 to 200 characters without ":", not "a\\nb"'],
    [{ provides: undefined }, 'provides: is missing'],
    [{ provides: [] }, 'provides: must be an object, not a list'],
    [
      { provides: { tools: { entry: 'a', sandbox: 'none' } } },
      'provides.tools.sandbox: must be "compartment" or "host", not "none"',
    ],
    [{ provides: { tools: [{ entry: 'a' }, {}] } }, 'provides.tools[1].entry: is missing'],
    [
      { provides: { tools: { entry: 'a', permissions: { network: 'a.test' } } } },
      'provides.tools.permissions.network: must be a list, not "a.test"',
    ],
    [{ envVars: [{}] }, 'envVars[0].name: is missing'],
    [
      { configFields: [{ key: 'k', label: 'K', type: 'date' }] },
      'configFields[0].type: must be "text" or "number" or "password" or "enum", not "date"',
    ],
  ])('%j', (changes, problem) => {
    expect(problems(changes)).toEqual([problem]);
  });

  test('names every problem at once', () => {
    expect(problems({ id: 1, name: null, extra: {} })).toHaveLength(3);
  });

  test.each(['', '{', 'null', '[]', '"x"'])('%j is none', (text) => {
    const result = parseManifest(text);
    expect(result.ok ? '' : result.problems[0]).toMatch(
      /^manifest: (line 1, column \d: is not JSON|must be an obj)/,
    );
  });

  test('an own __proto__ is an unknown key', () => {
    const result = parseManifest(`{"__proto__":{},${manifestText().slice(1)}`);
    expect(result).toEqual({ ok: false, problems: ['__proto__: is not known'] });
  });
});
