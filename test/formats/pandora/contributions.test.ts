import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readContributions } from '../../../src/formats/pandora/contributions.js';
import { NO_PERMISSIONS } from '../../../src/permissions/permissions.js';
import type { PluginEntry } from '../../../src/plugin/plugin.js';
import type { Contributions, ToolDefinition } from '../../../src/plugin/tool.js';
import { runs } from '../../property-runs.js';

const entry: PluginEntry = {
  key: 'tools',
  surface: 'tools',
  file: 'src/index.ts',
  dialect: 'pandora',
  confinement: 'compartment',
  declared: { ...NO_PERMISSIONS, time: true, network: ['*.example.com'] },
  requireApproval: false,
};

const good = {
  id: 'weather',
  name: 'Weather',
  description: 'Get current weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  timeout: 5000,
  annotations: { readOnlyHint: true },
  executable: true,
};

const read = (answer: unknown): Contributions =>
  readContributions(answer, {
    plugin: { id: '@a/w' },
    entry,
    granted: NO_PERMISSIONS,
    maxTimeoutMs: 60_000,
  });
const readTools = (...tools: unknown[]): Contributions =>
  read({ tools: tools.map((tool) => ({ tool })), resolved: null });
const readOne = (changes: Readonly<Record<string, unknown>>): Contributions =>
  readTools({ ...good, ...changes });
const only = ({ tools }: Contributions): ToolDefinition | undefined => tools[0];

test('a tool is read to its definition', () => {
  const offer = readTools(good);
  expect(offer).toMatchObject({ refused: [], alerts: [], problems: [] });
  const { parameters, ...rest } = only(offer) ?? {};
  expect(parameters?.schema).toEqual(good.parameters);
  expect(rest).toEqual({
    id: '@a/w:weather',
    toolId: 'weather',
    entry: 'tools',
    origin: 'static',
    name: 'Weather',
    description: 'Get current weather',
    annotations: { readOnlyHint: true },
    declaredRisk: 'low',
    timeoutMs: 5000,
    permissions: entry.declared,
  });
});

describe('one bad tool costs no other', () => {
  test.each([
    [{ ...good, id: '' }, 'INVALID_TOOL', /an id has 1 to 128 characters and no ":"/],
    [{ ...good, id: 'a:b' }, 'INVALID_TOOL', /has the id "a:b"/],
    [{ ...good, id: 'a\nb' }, 'INVALID_TOOL', /has the id "a\\nb"/],
    [{ ...good, id: 'x'.repeat(200) }, 'INVALID_TOOL', /has the id/],
    [{ ...good, id: 7 }, 'INVALID_TOOL', /that is not a text/],
    [{ ...good, id: 'x', executable: false }, 'INVALID_TOOL', /"x" .*has no execute function/],
    [{ ...good, id: 'x', executable: undefined }, 'INVALID_TOOL', /has no execute function/],
    [{ ...good, id: 'x', parameters: 'none' }, 'INVALID_SCHEMA', /@a\/w:x/],
    [{ ...good, id: 'x', parameters: { $ref: 'http://x' } }, 'INVALID_SCHEMA', /outside/],
    ['no tool', 'INVALID_TOOL', /is not an object/],
    [null, 'INVALID_TOOL', /is not an object/],
  ])('%j', (bad, code, message) => {
    const { tools, refused } = readTools(good, bad, { ...good, id: 'after' });
    expect(tools.map((tool) => tool.toolId)).toEqual(['weather', 'after']);
    expect(refused).toEqual([
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    ]);
  });

  test('one that could not even be read is refused with what the guest says', () => {
    const { tools, refused } = read({ tools: [{ problem: 'getter threw' }, { tool: good }] });
    expect(tools).toHaveLength(1);
    expect(refused[0]?.message).toContain('cannot be read: "getter threw"');
  });
});

describe('resolved tools', () => {
  const resolved = { tool: { ...good, id: 'resolved' } };

  test('are added to the static ones, with their alerts', () => {
    const offer = read({
      tools: [{ tool: good }],
      resolved: { tools: [resolved], alerts: [{ level: 'info', message: 'Using MyService' }] },
    });
    expect(offer.tools.map(({ toolId, origin }) => [toolId, origin])).toEqual([
      ['weather', 'static'],
      ['resolved', 'resolved'],
    ]);
    expect(offer.alerts).toEqual([{ level: 'info', message: 'Using MyService' }]);
  });

  test('that could not be made leave the static ones', () => {
    const { tools, problems } = read({ tools: [{ tool: good }], resolved: { error: 'no key' } });
    expect(tools).toHaveLength(1);
    expect(problems).toEqual(['resolveTools failed: "no key"']);
  });

  test('replace a static one of their id, and it is said', () => {
    const { tools, problems } = read({
      tools: [{ tool: good }],
      resolved: { tools: [{ tool: { ...good, name: 'Later' } }] },
    });
    expect(tools).toMatchObject([{ toolId: 'weather', name: 'Later', origin: 'resolved' }]);
    expect(problems).toEqual(['tool "weather": is there twice; the later counts']);
  });

  test('that are refused take the static one of their id along, since the guest would run them', () => {
    const { tools, refused } = read({
      tools: [{ tool: good }],
      resolved: { tools: [{ tool: { ...good, parameters: { $async: true } } }] },
    });
    expect(tools).toEqual([]);
    expect(refused).toMatchObject([{ toolId: 'weather', code: 'INVALID_SCHEMA' }]);
  });
});

describe('what a tool may leave out', () => {
  test('everything but its id and its function', () => {
    const offer = readTools({ id: 'bare', executable: true });
    expect(only(offer)).toMatchObject({
      name: 'bare',
      description: '',
      timeoutMs: 60_000,
      annotations: { readOnlyHint: false },
      permissions: entry.declared,
    });
    expect(only(offer)?.parameters.schema).toEqual({ type: 'object', properties: {} });
    expect(offer.problems).toEqual([
      'tool "bare": name: is missing',
      'tool "bare": description: is missing',
      'tool "bare": annotations: are missing, so the tool counts as one that writes. To fix this, write annotations: { readOnlyHint: true } if it only reads, or { readOnlyHint: false }',
    ]);
  });
});

describe('what a tool says of its confinement', () => {
  test.each(['host', 'none', 7])('sandbox %j changes nothing and is said', (sandbox) => {
    const { tools, problems } = readOne({ sandbox });
    expect(tools).toHaveLength(1);
    expect(problems).toEqual([
      'tool "weather": sandbox: is ignored; the tool runs as the manifest says, "compartment"',
    ]);
  });

  test('less than the manifest declares is what it gets', () => {
    const offer = readOne({ permissions: { network: ['api.example.com'] } });
    expect(only(offer)?.permissions).toEqual({ ...NO_PERMISSIONS, network: ['api.example.com'] });
    expect(offer.problems).toEqual([]);
  });

  test.each([
    [{ network: ['api.example.com', 'evil.test'] }],
    [{ time: true, random: true }],
    [{ fs: ['/'] }],
  ])('more than the manifest declares is refused and said: %j', (permissions) => {
    const offer = readOne({ permissions });
    expect(only(offer)?.permissions).toEqual(entry.declared);
    expect(offer.problems).toEqual([
      'tool "weather": permissions: ask for more than the manifest declares; the manifest counts',
    ]);
  });

  test('what cannot be read is ignored and said', () => {
    const offer = readOne({ permissions: { network: 'all' } });
    expect(only(offer)?.permissions).toEqual(entry.declared);
    expect(offer.problems[0]).toContain('permissions: are ignored: network: must be a list');
  });
});

describe('caps', () => {
  test('texts are cut and said', () => {
    const offer = readOne({ name: 'n'.repeat(1000), description: 'd'.repeat(100_000) });
    expect(only(offer)?.name).toHaveLength(201);
    expect(only(offer)?.description).toHaveLength(16 * 1024 + 1);
    expect(offer.problems).toHaveLength(2);
  });

  test('tools and problems have an end', () => {
    const many = Array.from({ length: 3000 }, (_, id) => ({ id: `t${id}`, executable: true }));
    const offer = readTools(...many);
    expect(offer.tools).toHaveLength(1000);
    expect(offer.problems).toHaveLength(50);
    expect(offer.problems[0]).toBe('tools: those after 1000 are left out');
  });
});

test('any answer of a guest is a valid contribution', () => {
  const tool = fc.record(
    {
      id: fc.oneof(fc.constantFrom('a', 'b', '', '__proto__', 'a:b'), fc.jsonValue()),
      executable: fc.oneof(fc.constant(true), fc.jsonValue()),
      name: fc.jsonValue(),
      parameters: fc.jsonValue(),
      permissions: fc.jsonValue(),
      annotations: fc.jsonValue(),
      timeout: fc.jsonValue(),
      sandbox: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const list = fc.oneof(fc.array(fc.oneof(fc.record({ tool }), fc.jsonValue())), fc.jsonValue());
  const answer = fc.oneof(
    fc.record({
      tools: list,
      resolved: fc.oneof(fc.record({ tools: list, alerts: fc.jsonValue() }), fc.jsonValue()),
    }),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(answer, (given) => {
      const offer = read(given);
      const ids = offer.tools.map((found) => found.id);
      expect(new Set(ids).size).toBe(ids.length);
      for (const found of offer.tools) {
        expect(found.timeoutMs).toBeGreaterThanOrEqual(1);
        expect(found.timeoutMs).toBeLessThanOrEqual(60_000);
      }
    }),
    { numRuns: runs(1000) },
  );
});
