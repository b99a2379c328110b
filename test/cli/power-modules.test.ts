/** `--power`, `--allow`, `--only` and `--time-zone` on the command line, with real plugins. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCli } from '../../src/cli/run.js';
import { systemCapabilities } from '../../src/cli/system-capabilities.js';
import { makeDirectory, makePlugin } from '../engine/plugin-on-disk.js';
import { makeVellum } from '../engine/vellum-on-disk.js';
import { makeSink } from './sinks.js';

const capabilities = systemCapabilities(new AbortController().signal, '1.2.3');

async function bulkhead(...argv: readonly string[]) {
  const [stdout, stderr] = [makeSink(false), makeSink(false)];
  const code = await runCli([...argv], '1.2.3', {
    ...capabilities,
    createEngine: (options) =>
      capabilities.createEngine({ ...options, storageDirectory: makeDirectory() }),
    stdout,
    stderr,
  });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

function module(source: string): string {
  const path = join(makeDirectory(), 'power.mjs');
  writeFileSync(path, source);
  return path;
}

const asks = (permissions?: object): string =>
  makePlugin({
    id: 'asker',
    ...(permissions === undefined ? {} : { permissions }),
    tools: { ask: `async () => await powers['notes.find']({ text: 'tea' })` },
  });

it('--power lends a power of a module, and --allow does not invent one', async () => {
  const plugin = asks({ powers: ['notes.find'] });
  const found = module(`export default ({ text }, { plugin }) => text + ' of ' + plugin;`);
  expect(await bulkhead('call', plugin, 'ask', '--power', `notes.find=${found}`)).toMatchObject({
    code: 0,
    stdout: 'tea of asker\n',
  });
  const without = await bulkhead('call', plugin, 'ask');
  expect(without.code).not.toBe(0);
  expect(without.stderr).toContain('--power notes.find=');
});

it('--power takes a definition, and refuses what is none', async () => {
  const plugin = asks({ powers: ['notes'] });
  const definition = module(
    `export default { permission: 'notes', risk: 'low', arguments: { type: 'object', properties: { text: { type: 'number' } } },
       handler: () => 'never' };`,
  );
  const refused = await bulkhead('call', plugin, 'ask', '--power', `notes.find=${definition}`);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toMatch(/text.*number/);
  for (const [value, message] of [
    ['notes.find', '--power takes NAME=MODULE'],
    [`notes.find=${module('export default 5;')}`, 'needs a default export'],
    ['notes.find=/nowhere.mjs', '--power cannot load /nowhere.mjs'],
    [`no name=${module('export default () => 1;')}`, 'powers[0].name'],
  ] as const) {
    const { code, stderr } = await bulkhead('call', plugin, 'ask', '--power', value);
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  }
});

it('--allow says that it gives a plugin nothing that it does not declare', async () => {
  const plugin = makePlugin({
    id: 'quiet',
    permissions: { time: true },
    tools: { now: 'async () => typeof Date.now()' },
  });
  const { code, stderr } = await bulkhead('call', plugin, 'now', '--allow', 'network:a.example');
  expect(code).toBe(0);
  expect(stderr).toContain('network:a.example gives quiet nothing: pandora.manifest.json');
  expect((await bulkhead('call', plugin, 'now', '--only', 'random')).code).not.toBe(0);
  expect((await bulkhead('call', plugin, 'now', '--only', 'time')).code).toBe(0);
});

it('--time-zone is the zone of a plugin with time', async () => {
  const plugin = makeVellum({
    tools: {
      at: `export default { defaultRiskLevel: 'low', input_schema: { type: 'object' },
        execute: async () => ({ content: new Date(0).toLocaleTimeString('en-GB'), isError: false }) };`,
    },
  });
  expect(await bulkhead('call', plugin, 'at', '--time-zone', 'Asia/Tokyo')).toMatchObject({
    code: 0,
    stdout: '09:00:00\n',
  });
  const wrong = await bulkhead('call', plugin, 'at', '--time-zone', 'Mars/Base');
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('timeZone')]);
});

it('names the option that would allow what was denied, and what the key in the package has to list', async () => {
  const plugin = makeVellum({
    name: 'caller',
    tools: {
      get: `export default { defaultRiskLevel: 'low', input_schema: { type: 'object' },
        execute: async () => ({ content: await (await fetch('https://api.example.com/x')).text(), isError: false }) };`,
    },
  });
  const { code, stderr } = await bulkhead('call', plugin, 'get');
  expect(code).toBe(3);
  expect(stderr).toContain('(--allow network:api.example.com)');
  expect(stderr).toContain(
    'in "bulkhead" of package.json, beside "time": true, "random": true, "storage": true',
  );
});
