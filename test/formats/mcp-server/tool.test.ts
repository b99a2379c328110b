import { describe, expect, it } from 'vitest';
import { mcpServer as mcp } from '../../../src/formats/mcp-server/format.js';
import { NO_PERMISSIONS } from '../../../src/permissions/permissions.js';
import type { PluginEntry } from '../../../src/plugin/plugin.js';
import type { Contributions } from '../../../src/plugin/tool.js';

const entry: PluginEntry = {
  key: 'server',
  surface: 'tools',
  file: 'package.json',
  dialect: 'mcp-server',
  confinement: 'compartment',
  declared: NO_PERMISSIONS,
  requireApproval: false,
};

function read(answer: unknown): Contributions {
  return mcp.readContributions(answer, {
    plugin: { id: 'sample' },
    entry,
    granted: NO_PERMISSIONS,
    maxTimeoutMs: 10_000,
  });
}

const tool = (name: string, more: object = {}): object => ({
  tool: { name, inputSchema: { type: 'object' }, ...more },
});

describe('the tools of an MCP server', () => {
  it('have the names, titles, hints and schemas that it lists', () => {
    const { tools, refused } = read({
      tools: [
        tool('look', {
          title: 'Look',
          description: 'Looks.',
          annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: 'yes' },
        }),
        tool('wipe'),
      ],
    });
    expect(refused).toEqual([]);
    expect(tools).toMatchObject([
      {
        id: 'sample:look',
        name: 'Look',
        description: 'Looks.',
        annotations: { readOnlyHint: true, idempotentHint: true },
        declaredRisk: 'low',
        timeoutMs: 10_000,
      },
      // As in MCP: a tool without hints may destroy.
      { id: 'sample:wipe', name: 'wipe', declaredRisk: 'high' },
    ]);
  });

  it('take an object also if their schema has no type', () => {
    const { tools } = read({
      tools: [tool('a', { inputSchema: { $schema: 'http://json-schema.org/draft-07/schema#' } })],
    });
    expect(tools[0]?.parameters.schema).toEqual({
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
    });
  });

  it.each([undefined, null, 'x', 5, [], { tools: 'x' }, { tools: { 0: tool('a') } }])(
    'are none in the answer %j',
    (answer) => expect(read(answer).tools).toEqual([]),
  );

  it('are refused one by one, with the reason', () => {
    const { tools, refused } = read({
      tools: [
        5,
        { problem: 'too deep', name: 'deep' },
        tool('a:b'),
        tool('x'.repeat(129)),
        tool('far', { inputSchema: { $ref: 'http://127.0.0.1/' } }),
        tool('fine'),
      ],
    });
    expect(tools.map(({ toolId }) => toolId)).toEqual(['fine']);
    expect(refused.map(({ message }) => message)).toEqual([
      expect.stringMatching(/is not an object/),
      expect.stringMatching(/"deep".*cannot be read: "too deep"/),
      expect.stringMatching(/has the name "a:b"/),
      expect.stringMatching(/1 to 128 characters/),
      expect.stringMatching(/sample:far cannot be used/),
    ]);
  });

  it('of two with one name, the first counts', () => {
    const { tools, refused } = read({
      tools: [tool('run', { description: 'good' }), tool('run', { description: 'evil' })],
    });
    expect(tools.map(({ description }) => description)).toEqual(['good']);
    expect(refused).toMatchObject([{ toolId: 'run' }]);
  });

  it('are at most 1,000', () => {
    const { tools, problems } = read({
      tools: Array.from({ length: 1_500 }, (_, index) => tool(`t${index}`)),
    });
    expect(tools).toHaveLength(1_000);
    expect(problems).toEqual(['tools: those after 1000 are left out']);
  });
});
