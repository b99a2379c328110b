/** What a Vellum plugin is handed by its host. Titles begin with their row in the acceptance table. */
import { describe, expect, it } from 'vitest';
import type { Engine, EngineOptions } from '../../src/index.js';
import { makeDirectory } from './plugin-on-disk.js';
import { startVellum, type VellumSpec } from './vellum-on-disk.js';

const state = { 'lib/state.ts': 'export const state: { ctx?: any } = {};' };
const init =
  'import { state } from "../lib/state"; export default async (ctx) => { state.ctx = ctx; };';
const told =
  'import { state } from "../lib/state"; export default { execute: () => { const { logger, ...rest } = state.ctx; return { content: JSON.stringify(rest), isError: false }; } };';

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

describe('configuration', () => {
  const config = {
    type: 'object',
    properties: { city: { type: 'string' }, units: { enum: ['c', 'f'], default: 'c' } },
    required: ['city'],
    additionalProperties: false,
  };

  it.each([{ bulkhead: { config } }, { vellum: { config } }, { config }])(
    'V-B1: is checked by the manifest’s schema, and has its defaults: %j',
    async (manifest) => {
      const engine = await start(
        { manifest, hooks: { init }, tools: { told } },
        { config: { weather: { city: 'Oslo', enabled: true } } },
      );
      expect(JSON.parse(await text(engine, 'told'))).toMatchObject({
        config: { city: 'Oslo', units: 'c' },
        credentials: {},
        pluginStorageDir: '/workspace/plugins/weather/data',
        assistantVersion: '0.9.0',
      });
    },
  );

  it('that does not fit prevents the plugin from starting, and says what to change', async () => {
    const engine = await start(
      { manifest: { bulkhead: { config } }, hooks: { init }, tools: { told } },
      { config: { weather: { city: 1 } } },
    );
    const [status] = engine.plugins();
    expect(status?.problems.map(({ message }) => message).join()).toMatch(
      /weather does not begin: its configuration does not fit its schema: .*city.* Change config\["weather"\]\./,
    );
  });

  it('that does not fit prevents a plugin without init from its first call', async () => {
    const engine = await start({
      manifest: { bulkhead: { config } },
      tools: { echo: 'export default { execute: () => ({ content: "ran", isError: false }) };' },
    });
    expect(await text(engine, 'echo')).toMatch(/does not fit its schema/);
  });

  it('whose schema never comes to an end is stopped with its guest, and the plugin does not begin', async () => {
    const endless = {
      type: 'object',
      properties: { city: { type: 'string', pattern: '^(a+)+$' } },
    };
    const engine = await start(
      { manifest: { bulkhead: { config: endless } }, hooks: { init }, tools: { told } },
      {
        config: { weather: { city: `${'a'.repeat(60)}!` } },
        limits: { loadTimeoutMs: 1_000 },
      },
    );
    expect(engine.plugins()[0]?.problems.map(({ code }) => code)).toContain('DEADLINE_EXCEEDED');
  });

  it('is not validated against npm’s values under the same key', async () => {
    const engine = await start({
      manifest: { config: { port: '8080' } },
      hooks: { init },
      tools: { told },
    });
    expect(JSON.parse(await text(engine, 'told'))).toMatchObject({ config: {} });
  });
});

/** A source of credentials that has one of one plugin's, and what it was asked for. */
const vault = (): {
  readonly asked: string[][];
  readonly credentials: (plugin: string, key: string) => string | undefined;
} => {
  const asked: string[][] = [];
  return {
    asked,
    credentials: (plugin, key) => {
      asked.push([plugin, key]);
      return plugin === 'weather' && key === 'api_key' ? 'secret' : undefined;
    },
  };
};

describe('credentials', () => {
  const resolve =
    'import { resolveCredential, CredentialResolutionError, getSecureKeyAsync } from "@vellumai/plugin-api"; export default { input_schema: { type: "object" }, execute: async ({ ref }) => { try { return { content: await resolveCredential(ref), isError: false } } catch (e) { return { content: [e instanceof CredentialResolutionError, e.name, e.message, await getSecureKeyAsync(ref) === undefined].join(" | "), isError: true } } } };';
  it('V-X2: that a plugin needs are in its init, by the keys that it wrote', async () => {
    const { credentials } = vault();
    const engine = await start(
      {
        manifest: { bulkhead: {}, requiresCredential: ['api_key', 'weather/api_key'] },
        hooks: { init },
        tools: { told },
      },
      { credentials },
    );
    expect(JSON.parse(await text(engine, 'told'))).toMatchObject({
      credentials: { api_key: 'secret', 'weather/api_key': 'secret' },
    });
  });

  it.each<[string, Partial<EngineOptions>]>([
    ['the host has none', { credentials: vault().credentials }],
    ['the host has no source', {}],
    ['they are not granted', { credentials: () => 'secret', grant: 'nothing' }],
  ])('V-X2: that a plugin needs prevent it from starting if %s', async (_, options) => {
    const engine = await start(
      { manifest: { requiresCredential: ['other'] }, hooks: { init }, tools: { told } },
      options,
    );
    const codes = engine.plugins()[0]?.problems.map(({ code }) => code);
    expect(codes).toContain('CREDENTIAL_MISSING');
  });

  it('V-X2: are resolved for the plugin’s own service alone; of another the source is not asked', async () => {
    const { credentials, asked } = vault();
    const engine = await start(
      { manifest: { bulkhead: { permissions: { powers: ['credentials'] } } }, tools: { resolve } },
      { credentials },
    );
    expect(await text(engine, 'resolve', { ref: 'weather/api_key' })).toBe('secret');
    expect(await text(engine, 'resolve', { ref: 'weather/none' })).toMatch(
      /^true \| CredentialResolutionError \| .*the host has no credential weather\/none/,
    );
    const before = asked.length;
    for (const ref of [
      'openai/api_key',
      '../openai/api_key',
      'weather/../openai/api_key',
      '/api_key',
      '__proto__/x',
      { toString: 1 },
      '3f2b7c1e-8a6d-4c1e-9c55-0d0e8a7b6c5d/x',
    ]) {
      expect(await text(engine, 'resolve', { ref })).toMatch(/may use its own credentials alone/);
    }
    expect(asked).toHaveLength(before);
  });

  it('V-X3: fail closed if the host supplies none, from any place in the plugin', async () => {
    const engine = await start({ tools: { resolve } });
    expect(await text(engine, 'resolve', { ref: 'weather/api_key' })).toMatch(
      /needs something that this host does not supply.*"resolveCredential"/,
    );
    const early = `import { getSecureKeyAsync } from "@vellumai/plugin-api"; const found = await getSecureKeyAsync("openai/api_key"); export default { execute: () => ({ content: String(found), isError: false }) };`;
    const { credentials, asked } = vault();
    const other = await start(
      {
        manifest: { bulkhead: { permissions: { powers: ['credentials'] } } },
        tools: { early },
      },
      { credentials },
    );
    expect(await text(other, 'early')).toBe('undefined');
    expect(asked).toEqual([]);
  });

  it('V-X3: are stored for the plugin itself, trimmed, and never empty', async () => {
    const kept: unknown[][] = [];
    const save =
      'import { storeCredential } from "@vellumai/plugin-api"; export default { input_schema: { type: "object" }, execute: async ({ ref, value }) => { try { await storeCredential(ref, value); return { content: "kept", isError: false } } catch (e) { return { content: e.message, isError: true } } } };';
    const engine = await start(
      { manifest: { bulkhead: { permissions: { powers: ['credentials'] } } }, tools: { save } },
      {
        credentials: {
          resolve: () => undefined,
          store: (...entry) => {
            kept.push(entry);
          },
        },
      },
    );
    expect(await text(engine, 'save', { ref: 'weather/token', value: '  t ' })).toBe('kept');
    for (const [ref, value] of [
      ['weather/token', ' '],
      ['openai/token', 'x'],
      ['weather/token', 1],
    ]) {
      expect(await text(engine, 'save', { ref, value })).not.toBe('kept');
    }
    expect(kept).toEqual([['weather', 'token', 't']]);
  });
});
