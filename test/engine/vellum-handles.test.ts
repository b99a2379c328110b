/** What Vellum plugins use of their host through the module that it gives them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Engine, EngineOptions } from '../../src/index.js';
import { makeDirectory } from './plugin-on-disk.js';
import { startVellum, type VellumSpec } from './vellum-on-disk.js';

const state = { 'lib/state.ts': 'export const state: { ctx?: any } = {};' };

function start(spec: VellumSpec, options: Partial<EngineOptions> = {}): Promise<Engine> {
  return startVellum(
    { name: 'weather', ...spec, files: { ...state, ...spec.files } },
    { tolerance: 'full', storageDirectory: makeDirectory(), ...options },
  );
}

async function text(engine: Engine, tool: string, input: object = {}): Promise<string> {
  const { content } = await engine.call(tool, input);
  return content.map((block) => ('text' in block ? block.text : '')).join('');
}

describe('handles of the plugin API', () => {
  const tools = {
    ask: 'import * as api from "@vellumai/plugin-api"; export default { input_schema: { type: "object" }, execute: async ({ name, args = [] }) => { try { return { content: JSON.stringify(await api[name](...args)), isError: false } } catch (e) { return { content: e.message, isError: true } } } };',
    now: 'import { getAssistantName, getModelProfiles } from "@vellumai/plugin-api"; const name = getAssistantName(); export default { execute: () => ({ content: name + ":" + getModelProfiles()[0].key, isError: false }) };',
  };

  it('use the host’s power of their name, with their arguments', async () => {
    const engine = await start(
      {
        manifest: {
          bulkhead: {
            permissions: {
              powers: ['runConversationTurn', 'getAssistantName', 'getModelProfiles'],
            },
          },
        },
        tools,
      },
      {
        powers: [
          { name: 'runConversationTurn', handler: (args, { plugin }) => ({ args, plugin }) },
          { name: 'getAssistantName', handler: () => 'Ada' },
          { name: 'getModelProfiles', handler: () => [{ key: 'fast' }] },
        ],
      },
    );
    expect(
      JSON.parse(
        await text(engine, 'ask', { name: 'runConversationTurn', args: [{ prompt: 'x' }] }),
      ),
    ).toEqual({ args: [{ prompt: 'x' }], plugin: 'weather' });
    expect(await text(engine, 'now')).toBe('Ada:fast');
  });

  it('give a provider whose method calls the host’s model, and answer about images at once', async () => {
    const powers = [
      'getConfiguredProvider',
      'getConfiguredProvider.sendMessage',
      'doesSupportVision',
    ];
    const engine = await start(
      {
        permissions: { powers },
        tools: {
          chat: `import { doesSupportVision, getConfiguredProvider } from '@vellumai/plugin-api';
            export default { execute: async () => {
              const provider = await getConfiguredProvider('mainAgent');
              const none = await getConfiguredProvider('none');
              const options = { config: { max: 5 }, signal: new AbortController().signal, onEvent: () => {} };
              const reply = await provider.sendMessage([{ role: 'user', content: 'hi' }], options);
              const sees = [doesSupportVision({ name: 'large' }), doesSupportVision('small')];
              return { content: JSON.stringify({ name: provider.name, none, reply, sees }), isError: false };
            } };`,
        },
      },
      {
        powers: [
          {
            name: 'getConfiguredProvider',
            handler: (args) =>
              JSON.stringify(args) === '["none"]' ? null : { name: 'anthropic', model: 'large' },
          },
          { name: 'getConfiguredProvider.sendMessage', handler: (args) => ({ received: args }) },
          { name: 'doesSupportVision', handler: () => ['large'] },
        ],
      },
    );
    expect(JSON.parse(await text(engine, 'chat'))).toEqual({
      name: 'anthropic',
      none: null,
      reply: {
        received: [
          'mainAgent',
          [{ role: 'user', content: 'hi' }],
          { config: { max: 5 } },
          { name: 'anthropic', model: 'large' },
        ],
      },
      sees: [true, false],
    });
  });

  it('that the host does not supply name what it would have to', async () => {
    const engine = await start({ tools: { ask: tools.ask } });
    for (const name of [
      'runConversationTurn',
      'getModelProfiles',
      'getConfiguredProvider',
      'getAssistantName',
    ]) {
      expect(await text(engine, 'ask', { name })).toBe(
        `${name} of @vellumai/plugin-api needs something that this host does not supply. To allow it, the host has to define a power named "${name}" and grant it to this plugin.`,
      );
    }
  });

  it('write to the data directory that the plugin is given', async () => {
    const storageDirectory = makeDirectory();
    const engine = await start(
      {
        permissions: { storage: true },
        files: state,
        hooks: {
          init: 'import fs from "node:fs"; import path from "node:path"; import { state } from "../lib/state"; export default (ctx) => { state.ctx = ctx; fs.mkdirSync(ctx.pluginStorageDir, { recursive: true }); fs.writeFileSync(path.join(ctx.pluginStorageDir, "init.json"), JSON.stringify({ begun: true })); ctx.logger.info("text first"); ctx.logger.info({ a: 1 }, "object first"); };',
        },
        tools: {
          read: 'import { readFile } from "fs/promises"; import { join } from "path"; import { state } from "../lib/state"; export default { execute: async () => ({ content: await readFile(join(state.ctx.pluginStorageDir, "init.json"), "utf8"), isError: false }) };',
        },
      },
      { storageDirectory },
    );
    expect(await text(engine, 'read')).toBe('{"begun":true}');
    expect(readFileSync(join(storageDirectory, 'weather/data/init.json'), 'utf8')).toBe(
      '{"begun":true}',
    );
  });
});

describe('a plugin’s config.json', () => {
  const spec: VellumSpec = {
    files: { 'config.json': '{ "city": "Rome", "units": "metric" }' },
    hooks: {
      init: 'import { state } from "../lib/state"; export default (ctx) => { state.ctx = ctx; };',
    },
    tools: {
      show: 'import { state } from "../lib/state"; export default { execute: () => ({ content: JSON.stringify(state.ctx.config), isError: false }) };',
    },
  };

  it('has the defaults of its configuration', async () => {
    const engine = await start(spec);
    expect(JSON.parse(await text(engine, 'show'))).toEqual({ city: 'Rome', units: 'metric' });
  });

  it('gives way to the operator’s configuration', async () => {
    const engine = await start(spec, { config: { weather: { city: 'Oslo' } } });
    expect(JSON.parse(await text(engine, 'show'))).toEqual({ city: 'Oslo', units: 'metric' });
  });

  it('is reported and left out if it is not an object', async () => {
    const engine = await start({ ...spec, files: { 'config.json': '[1]' } });
    expect(JSON.parse(await text(engine, 'show'))).toEqual({});
    expect(engine.plugins()[0]?.problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('config.json: is not a JSON object; it is left out'),
    ]);
  });
});
