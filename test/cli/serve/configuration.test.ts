import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeIssuer } from '../../http/issuer.js';
import { run, writePlugin } from '../spawned.js';
import { serve } from './serving.js';

describe('the configuration of a server', () => {
  it('names plugins relative to itself, and what they are granted', async () => {
    const plugin = writePlugin({
      entry: { permissions: { time: true } },
      execute: 'return Date.now() > 0;',
    });
    const issuer = await makeIssuer();
    const config = join(plugin, 'bulkhead.config.json');
    mkdirSync(join(plugin, 'empty'));
    writeFileSync(
      config,
      JSON.stringify({
        $schema: './bulkhead.config.schema.json',
        plugins: ['.'],
        grant: { sample: { time: true } },
        vertesia: { path: '/t', title: 'House' },
        tokens: { issuers: [{ issuer: issuer.url, jwks: issuer.jwks }] },
      }),
    );
    const { url } = await serve(['--config', config]);
    expect(await (await fetch(`${url}/t`)).json()).toMatchObject({ title: 'House' });
    const answer = await fetch(`${url}/t`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await issuer.token()}` },
      body: JSON.stringify({ tool_use: { id: 'u', tool_name: 'sample__run' } }),
    });
    expect(await answer.json()).toMatchObject({ content: 'true' });
  });

  it('says how much runs without approval, and to which file events are written', async () => {
    const destroying = `export const tools = [{ id: 'run', name: 'r', description: 'd',
      annotations: { readOnlyHint: false, destructiveHint: true }, execute: () => 'done' }];`;
    const plugin = writePlugin({ files: { 'index.ts': destroying } });
    const issuer = await makeIssuer();
    const config = join(plugin, 'bulkhead.config.json');
    const tokens = { issuers: [{ issuer: issuer.url, jwks: issuer.jwks }] };
    const use = async (more: object): Promise<unknown> => {
      writeFileSync(config, JSON.stringify({ plugins: ['.'], tokens, ...more }));
      const { url, end } = await serve(['--config', config]);
      const answer = await fetch(`${url}/tools`, {
        method: 'POST',
        headers: { authorization: `Bearer ${await issuer.token()}` },
        body: JSON.stringify({ tool_use: { id: 'u', tool_name: 'sample__run' } }),
      });
      const body: unknown = await answer.json();
      await end();
      return body;
    };
    expect(await use({ tolerance: 'strict' })).toMatchObject({ error: 'approval_required' });
    expect(await use({ tolerance: 'full', audit: 'log.jsonl' })).toMatchObject({ content: 'done' });
    expect(readFileSync(join(plugin, 'log.jsonl'), 'utf8')).toContain('call-ended');
  });

  it.each([
    ['{', 'is not JSON'],
    ['{"port":1}', 'port: is not known'],
    ['{"plugins":"x"}', 'plugins: must be a list'],
    ['{"server":{"token":"short"}}', 'at least 16 characters'],
    ['{"grant":"all"}', 'grant'],
    ['{"vertesia":{"path":"tools"}}', 'a path'],
    ['{"plugins":["."],"identity":{"keyFile":"c.json"}}', 'is not a private EC key'],
    ['{"plugins":["."],"identity":{"keyFile":"none.json"}}', 'identity.keyFile cannot read'],
  ])('is refused with what is wrong in it: %s', async (text, why) => {
    const plugin = writePlugin({ files: { 'c.json': text } });
    const ended = await run(['serve', '--config', join(plugin, 'c.json')]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(why);
  });
});
