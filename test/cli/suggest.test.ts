import { describe, expect, it } from 'vitest';
import { runCli } from '../../src/cli/run.js';
import type { Suggestion } from '../../src/index.js';
import { BulkheadError } from '../../src/index.js';
import { fakeCapabilities } from './fake.js';

const suggestion: Suggestion = {
  plugin: 'weather',
  format: 'vellum',
  manifest: 'package.json',
  permissions: { time: true, network: ['https://api.example.com'] },
  items: [
    { permission: 'time', scope: 'true', why: 'Date.now', at: 'lib/a.ts:7:13' },
    { permission: 'network', scope: 'https://api.example.com', why: 'fetch', at: 'tools/b.ts:9:9' },
  ],
  open: [{ permission: 'env', what: 'process.env with\u001b[1A a name', at: 'a.ts:1:1' }],
  hostPowers: [],
};

async function run(argv: string[], given: Suggestion | undefined = suggestion) {
  const capabilities = fakeCapabilities(given === undefined ? {} : { suggestion: given });
  const code = await runCli(argv, '1.2.3', capabilities);
  return {
    code,
    out: capabilities.stdout.text,
    err: capabilities.stderr.text,
    created: capabilities.created,
  };
}

describe('bulkhead inspect --suggest', () => {
  it('writes the request, why each of it is in it, and what stays open; and starts no engine', async () => {
    const { out, code, created } = await run(['inspect', 'a', '--suggest']);
    expect(out.split('\n')).toEqual([
      'weather needs these permissions',
      '',
      '  in package.json, as "bulkhead": { "permissions": … }',
      '    {',
      '      "time": true,',
      '      "network": [',
      '        "https://api.example.com"',
      '      ]',
      '    }',
      '',
      '  lib/a.ts:7:13   time  Date.now',
      '  tools/b.ts:9:9  network https://api.example.com  fetch',
      '',
      'Not known without running the code',
      '  a.ts:1:1        env  process.env with\\u001b[1A a name',
      '',
    ]);
    expect(code).toBe(0);
    expect(created).toEqual([]);
  });

  it('prints one line of JSON', async () => {
    const { out } = await run(['inspect', 'a', '--suggest', '--json']);
    expect(JSON.parse(out)).toEqual({ ok: true, ...suggestion });
  });

  const withPackages: Suggestion = {
    ...suggestion,
    items: [
      ...suggestion.items,
      {
        permission: 'env',
        scope: 'TOKEN',
        why: 'process.env.TOKEN',
        at: 'node_modules/b/i.js:2:1',
      },
      { permission: 'time', scope: 'true', why: 'Date.now', at: 'node_modules/@a/b/i.js:1:1' },
    ],
    open: [
      { permission: 'network', what: 'fetch of a value', at: 'node_modules/b/i.js:3:1' },
      {
        permission: 'network',
        what: 'the code names x.com and may fetch it',
        at: 'node_modules/c/i.js:3:1',
      },
      { permission: 'none', what: 'eval', at: 'node_modules/d/i.js:3:1' },
    ],
  };

  it('writes with --packages what each npm package uses, for the option packages', async () => {
    const { out } = await run(['inspect', 'a', '--suggest', '--packages', '--json'], withPackages);
    expect(JSON.parse(out)).toMatchObject({
      ok: true,
      plugin: 'weather',
      packages: [
        { path: 'node_modules/@a/b', grant: { time: true } },
        { path: 'node_modules/b', grant: { network: true, env: ['TOKEN'] } },
      ],
    });
    const text = await run(['inspect', 'a', '--suggest', '--packages'], withPackages);
    expect(text.out).toContain('weather: packages whose code uses permissions: 2\n');
    expect(text.out).toContain(
      'node_modules/b\n  env TOKEN  process.env.TOKEN at node_modules/b/i.js:2:1\n  network  fetch of a value at node_modules/b/i.js:3:1\n',
    );
  });

  it('says of code that needs nothing that it needs nothing', async () => {
    const { out } = await run(['inspect', 'a', '--suggest'], {
      ...suggestion,
      permissions: {},
      items: [],
      open: [],
    });
    expect(out).toBe('weather needs no permission\n');
  });

  it('reports why it cannot be read', async () => {
    const capabilities = fakeCapabilities();
    const failing = {
      ...capabilities,
      suggestPermissions: () =>
        Promise.reject(
          new BulkheadError('PLUGIN_NOT_FOUND', 'There is no plugin in a.', { directory: 'a' }),
        ),
    };
    expect(await runCli(['inspect', 'a', '--suggest', '--json'], '1.2.3', failing)).toBe(4);
    expect(JSON.parse(capabilities.stdout.text)).toMatchObject({
      ok: false,
      error: { code: 'PLUGIN_NOT_FOUND', message: 'There is no plugin in a.' },
    });
  });
});
