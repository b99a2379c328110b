import { describe, expect, it } from 'vitest';
import type { CatalogTool } from '../../../src/index.js';
import { searchTools } from '../../../src/catalog/search.js';
import {
  declarationOf,
  declarationsWithin,
  signatureOf,
} from '../../../src/engine/programs/signatures.js';

function tool(inputSchema: object, more: Partial<CatalogTool> = {}): CatalogTool {
  const plugin = more.plugin ?? 'p';
  const id = `${plugin}:${more.tool ?? 't'}`;
  // Only these members are read.
  return { plugin, tool: 't', id, title: '', description: '', inputSchema, ...more } as CatalogTool;
}

const input = (schema: object): string =>
  /input\??: (.*)\): Promise/.exec(signatureOf(tool(schema)))?.[1] ?? '';

describe('the signature of a tool', () => {
  it.each([
    [{ type: 'object', properties: {}, additionalProperties: false }, '{}'],
    [{ type: 'object' }, 'Record<string, unknown>'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, 'Record<string, string>'],
    [
      {
        type: 'object',
        properties: { a: { type: 'integer' }, 'b-c': { type: ['string', 'null'] } },
        required: ['a'],
      },
      '{ a: number; "b-c"?: string | null }',
    ],
    [
      { type: 'object', properties: { of: { enum: ['x', 2, null] }, is: { const: true } } },
      '{ of?: "x" | 2 | null; is?: true }',
    ],
    [
      {
        type: 'object',
        properties: {
          list: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } },
        },
      },
      '{ list?: (string | number)[] }',
    ],
    [
      {
        type: 'object',
        properties: { node: { $ref: '#/$defs/node' } },
        $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
      },
      '{ node?: { next?: { next?: { next?: unknown } } } }',
    ],
    [
      { allOf: [{ type: 'object', properties: { a: { type: 'string' } } }, true] },
      '{ a?: string } & unknown',
    ],
  ])('reads %j', (schema, type) => {
    expect(input(schema)).toBe(type);
  });

  it('writes names that are not identifiers as texts, and the host’s tools under host', () => {
    const outputSchema = {
      type: 'object',
      properties: { celsius: { $ref: '#/$defs/n' } },
      required: ['celsius'],
      $defs: { n: { type: 'number' } },
    };
    expect(signatureOf(tool({ type: 'object' }, { outputSchema }))).toBe(
      'tools.p.t(input?: Record<string, unknown>): Promise<{ celsius: number }>',
    );
    expect(signatureOf(tool({ type: 'object' }, { plugin: '@me/x', tool: 'do-it' }))).toBe(
      'tools["@me/x"]["do-it"](input?: Record<string, unknown>): Promise<unknown>',
    );
    expect(signatureOf(tool({ type: 'object' }, { plugin: '(core)', tool: 'send' }))).toMatch(
      /^tools\.host\.send\(/,
    );
  });

  it('does not let a description or a name end its comment or its line', () => {
    const text = declarationOf(
      tool(
        { type: 'object', properties: { 'a"; */ x': { enum: ['*/ y\n'] } } },
        { description: 'first */ second\nthird \u202e' },
      ),
    );
    const [comment = '', ...rest] = text.split('\n');
    expect(comment.slice(0, -2)).not.toContain('*/');
    expect(rest).toHaveLength(1);
    expect(text).not.toContain('\u202e');
  });

  it('fits into a number of characters, and counts the rest', () => {
    const many = Array.from({ length: 50 }, (_, n) => tool({ type: 'object' }, { tool: `t${n}` }));
    const { text, left } = declarationsWithin(many, 1_000);
    expect(text.length).toBeLessThanOrEqual(1_000);
    expect(left).toBe(50 - text.split('\n').length / 2);
    expect(left).toBeGreaterThan(0);
  });
});

describe('a search of tools', () => {
  const tools = [
    tool({}, { plugin: 'mail', tool: 'send', title: 'Send', description: 'Sends a letter' }),
    tool({}, { plugin: 'mail', tool: 'readInbox', title: 'Inbox', description: 'Lists letters' }),
    tool({}, { plugin: 'files', tool: 'read', title: 'Read', description: 'Reads a file' }),
  ];
  const found = (words: string, limit?: number): string[] =>
    searchTools(tools, words, limit).map(({ id }) => id);

  it('ranks names before titles and descriptions, and takes forms of a word', () => {
    expect(found('read')).toEqual(['mail:readInbox', 'files:read']);
    expect(found('letters')).toEqual(['mail:send', 'mail:readInbox']);
    expect(found('READ files')).toEqual(['files:read', 'mail:readInbox']);
    expect(found('nothing')).toEqual([]);
    expect(found('', 2)).toEqual(['mail:send', 'mail:readInbox']);
  });
});
