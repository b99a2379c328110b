import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/http/config.js';

const schema = JSON.parse(
  readFileSync(new URL('../../bulkhead.config.schema.json', import.meta.url), 'utf8'),
) as object;
const validate = new Ajv2020().compile(schema);

function accepts(config: unknown): boolean {
  try {
    parseConfig(JSON.stringify(config), 'c.json');
    return true;
  } catch {
    return false;
  }
}

describe('a configuration', () => {
  it('has the same members in its type, in the schema for editors and in the parser', () => {
    const source = readFileSync(new URL('../../src/http/config.ts', import.meta.url), 'utf8');
    const [, type = ''] = /export interface ConfigFile \{\n(.*?)\n\}/s.exec(source) ?? [];
    const names = [...type.matchAll(/^  readonly (\S+)\?:/gm)].map(([, name]) => name ?? '');
    expect(names.length).toBeGreaterThan(30);
    const { properties } = schema as { properties: object };
    expect(Object.keys(properties).toSorted()).toEqual(names.toSorted());
    for (const name of names) {
      let message = '';
      try {
        parseConfig(JSON.stringify({ [name]: null }), 'c.json');
      } catch (error) {
        message = String(error);
      }
      expect(message).not.toContain('is not known');
    }
  });

  it('does not repeat a credential in an error', () => {
    const text = JSON.stringify({ credentials: { 'a/k': 'hunter2' } });
    expect(() => parseConfig(text, 'c.json')).toThrow('must be "env:NAME" or "@FILE"');
    expect(() => parseConfig(text, 'c.json')).not.toThrow('hunter2');
  });

  it.each<[unknown, boolean]>([
    [{}, true],
    [{ credentials: { 'a/k': 'hunter2' } }, false],
    [
      {
        $schema: 'x',
        plugins: ['a'],
        grant: { a: 'declared', b: { time: true, network: ['x'] } },
        config: { a: { enabled: false } },
        credentials: { 'a/k': 'env:KEY', 'b/k': '@k.txt' },
        hostMode: [],
        background: ['a'],
        overrides: [{ host: 'a', url: 'b' }],
        storageDirectory: 's',
        tolerance: 'relaxed',
        trustHints: ['a'],
        rules: 'r.json',
        lockFile: 'l.json',
        audit: 'a.jsonl',
        record: ['a__b'],
        notices: [{ url: 'https://h.example', secret: 'env:KEY' }],
        recent: { calls: 5, bytes: 9, hours: 1 },
        limits: { timeoutMs: 5 },
        server: {
          host: 'h',
          port: 0,
          publicUrl: 'u',
          token: '0123456789abcdef',
          limits: { drainMs: 1 },
        },
        remotes: [
          { vertesia: 'https://a', id: 'a', allowPrivate: true, origins: ['o'], tools: ['t'] },
          { mcp: 'https://b', headers: { a: 'b' } },
          { command: 'c', args: ['d'], id: 'c', env: { A: 'b' }, cwd: '/' },
        ],
        identity: { issuer: 'i', keyFile: 'k', subject: 's', account: { id: 'i', name: 'n' } },
        mcp: { path: '/m', tools: [], instructions: 'i', stateKey: 'k'.repeat(32) },
        vertesia: { path: '/a/b', title: 't', description: 'd', tools: ['*'], details: true },
        tokens: {
          issuers: [{ issuer: 'i', jwks: 'j' }, { issuer: 'k' }],
          audience: ['a'],
          organizations: ['o'],
        },
      },
      true,
    ],
    [[], false],
    [null, false],
    [{ plugin: [] }, false],
    [{ plugins: [7] }, false],
    [{ grant: 'all' }, false],
    [{ grant: { a: 'all' } }, false],
    [{ grant: { a: { clock: true } } }, false],
    [{ overrides: [{ host: 'a' }] }, false],
    [{ limits: { a: 'b' } }, false],
    [{ server: { port: '1' } }, false],
    [{ server: { token: 'short' } }, false],
    [{ vertesia: { path: 'tools' } }, false],
    [{ vertesia: { paths: [] } }, false],
    [{ tokens: { issuers: [{ jwks: 'j' }] } }, false],
    [{ tokens: { audience: 'a' } }, false],
    [{ remotes: {} }, false],
    [{ tolerance: 'none' }, false],
    [{ remotes: [{}] }, false],
    [{ remotes: [{ vertesia: 7 }] }, false],
    [{ remotes: [{ mcp: 'a', command: 'b' }] }, false],
    [{ remotes: [{ command: 'b' }] }, false],
    [{ remotes: [{ mcp: 'a', headers: { a: 1 } }] }, false],
    [{ identity: { key: {} } }, false],
    [{ mcp: { path: 'm' } }, false],
    [{ mcp: { stateKey: 'short' } }, false],
  ])('%j is valid for the schema and the parser: %s', (config, expected) => {
    expect([accepts(config), validate(config)]).toEqual([expected, expected]);
  });
});
