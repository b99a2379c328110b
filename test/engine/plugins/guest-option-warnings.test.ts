import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EngineOptions } from '../../../src/index.js';
import { makeExtension } from '../extension-on-disk.js';
import { makeDirectory, makePlugin, silentLogger, startEngine } from '../plugin-on-disk.js';
import { makeVellum } from '../vellum-on-disk.js';

/** The warnings of an engine at its start, and those of a reload. */
async function warningsOf(
  plugins: readonly string[],
  options: Partial<EngineOptions>,
): Promise<readonly string[]> {
  const told: string[] = [];
  const logger = { ...silentLogger, warn: (_: object, message: string) => void told.push(message) };
  const engine = await startEngine(plugins, { ...options, logger });
  const before = told.length;
  await engine.reload();
  // Said again after each reload: what is there may have changed.
  expect(told.slice(before)).toEqual(told.slice(0, before));
  return told.slice(0, before).filter((message) => !message.startsWith('A guest lacks here'));
}

const stateless = { bulkhead: { stateless: true } };

describe('options about guests', () => {
  it('warn about plugins and tools that are not installed', async () => {
    const told = await warningsOf([makePlugin({ tools: { run: '() => 1' }, entry: stateless })], {
      replicas: { sample1: { max: 2 }, sample: { max: 2 } },
      isolation: { other: 'tenant' },
      background: ['bg'],
      trustGroups: { g: ['sample2'] },
      idempotent: ['sample__run', 'sample:run', 'sample__runn'],
    });
    expect(told).toEqual([
      'The option replicas names "sample1", and there is no such plugin. Did you mean "sample"?',
      'The option isolation names "other", and there is no such plugin.',
      'The option background names "bg", and there is no such plugin.',
      'The option trustGroups names "sample2", and there is no such plugin. Did you mean "sample"?',
      expect.stringMatching(
        /^The option idempotent names "sample__runn", and there is no such tool\. Did you mean/,
      ),
    ]);
  });

  it('warn about fields of a configuration that the plugin does not declare', async () => {
    const fields = [{ key: 'apiKey', label: 'Key', type: 'text', required: false }];
    const pandora = makePlugin({ tools: { run: '() => 1' }, manifest: { configFields: fields } });
    const plain = makePlugin({ id: 'plain', tools: { other: '() => 1' } });
    const schema = { type: 'object', properties: { units: { type: 'string' } } };
    const vellum = makeVellum({
      name: 'typed',
      manifest: { bulkhead: { config: schema } },
      tools: { typed: 'export default { description: "T", execute: () => "" };' },
    });
    const told = await warningsOf([pandora, plain, vellum], {
      config: {
        sample: { apikey: 'k', enabled: true },
        plain: { anything: 1 },
        typed: { unit: 'km', units: 'km' },
      },
    });
    expect(told).toEqual([
      'The option config["sample"] has "apikey", which sample does not declare. Did you mean "apiKey"?',
      'The option config["typed"] has "unit", which typed does not declare. Did you mean "units"?',
    ]);
  });

  it('warn about a file of rules that is not there', async () => {
    const directory = makeDirectory();
    writeFileSync(join(directory, 'rules.json'), '{ "version": 1, "rules": [] }');
    const plugin = makePlugin({ tools: { run: '() => 1' } });
    const told = await warningsOf([plugin], { rules: join(directory, 'rule.json') });
    expect(told).toEqual([
      `The option rules names ${join(directory, 'rule.json')}, which does not exist: no stored rule applies. An answer "always" creates it. Did you mean "rules.json"?`,
    ]);
    expect(
      await warningsOf([plugin], { rules: join(directory, 'none/bulkhead/rules.json') }),
    ).toEqual([]);
  });

  it('warn once about an event that an extension without background did not get', async () => {
    const extension = makeExtension({
      identifier: 'listener',
      source: 'spindle.on("CHAT_CHANGED", () => {});',
    });
    const told: string[] = [];
    const logger = {
      ...silentLogger,
      warn: (_: object, message: string) => void told.push(message),
    };
    const engine = await startEngine([extension], { logger });
    for (const event of ['CHAT_CHANGED', 'OTHER', 'CHAT_CHANGED']) {
      expect(engine.spindle.emit(event, {})).toEqual([]);
    }
    expect(told.filter((message) => message.includes('subscribed'))).toEqual([
      "listener subscribed to CHAT_CHANGED and did not get it: the engine's option background does not name listener.",
    ]);
  });

  it('warn about plugins that are not installed, in each option that names plugins', async () => {
    const plugin = makePlugin({ tools: { run: '() => 1' } });
    const told = await warningsOf([plugin], {
      config: { sample5: {}, sample: {} },
      packages: { '*': 'together', sample1: 'separate' },
      packageBuilds: { sample2: { mammoth: 'node' } },
      hostMode: ['sample3'],
      trustHints: ['sample4', 'sample'],
    });
    const names = {
      config: 'sample5',
      packages: 'sample1',
      packageBuilds: 'sample2',
      hostMode: 'sample3',
      trustHints: 'sample4',
    };
    expect(told).toEqual(
      Object.entries(names).map(
        ([option, name]) =>
          `The option ${option} names "${name}", and there is no such plugin. Did you mean "sample"?`,
      ),
    );
  });

  it('warn about tools and categories that a policy names and nobody has', async () => {
    const told = await warningsOf([makePlugin({ tools: { run: '() => 1' } })], {
      policy: {
        blockedTools: ['sample__runn', 'sample__run'],
        allowedTools: ['sample__run', 'other__x'],
        allowedToolCategories: ['serch'],
      },
      hooks: { semantics: { sample1: 'current' } },
    });
    expect(told).toEqual([
      'The option hooks.semantics names "sample1", and there is no such plugin. Did you mean "sample"?',
      'The option policy.allowedTools names "other__x", and there is no such tool.',
      'The option policy.blockedTools names "sample__runn", and there is no such tool. Did you mean "sample__run"?',
      'The option policy.allowedToolCategories names "serch", and there is no such category.',
    ]);
  });

  it('warn about a build that is chosen for a package which the plugin does not have', async () => {
    const plugin = makePlugin({
      tools: { run: '() => 1' },
      files: {
        'package.json': JSON.stringify({ dependencies: { mammoth: '1.0.0' } }),
        'node_modules/@scope/reader/package.json': '{}',
      },
    });
    const told = await warningsOf([plugin], {
      packageBuilds: {
        sample: {
          mammoth: 'node',
          mamoth: 'node',
          '@scope/reader': 'node',
          '@scope/raeder': 'node',
        },
      },
    });
    expect(told).toEqual([
      'The option packageBuilds names the package "mamoth", which sample does not have. Did you mean "mammoth"?',
      'The option packageBuilds names the package "@scope/raeder", which sample does not have. Did you mean "@scope/reader"?',
    ]);
  });

  it('warn if a plugin with replicas does not say that it is stateless', async () => {
    const replicas = { sample: { max: 2 } };
    const said = [expect.stringContaining('does not say that it is stateless')];
    const tools = { run: '() => 1' };
    expect(await warningsOf([makePlugin({ tools })], { replicas })).toEqual(said);
    const no = { bulkhead: { stateless: false } };
    expect(await warningsOf([makePlugin({ tools, entry: no })], { replicas })).toEqual(said);
    expect(await warningsOf([makePlugin({ tools, entry: stateless })], { replicas })).toEqual([]);
    const hooks = { stop: 'export default () => {}' };
    expect(await warningsOf([makeVellum({ hooks })], { replicas })).toEqual(said);
    const hinted = makeVellum({ hooks, manifest: stateless });
    expect(await warningsOf([hinted], { replicas })).toEqual([]);
    expect(await warningsOf([makeExtension({})], { replicas })).toEqual([
      expect.stringContaining('registers at run time'),
    ]);
  });

  it('show the hint in the status, and nowhere else', async () => {
    const plugin = makePlugin({ tools: { run: '() => 1' }, entry: stateless });
    const engine = await startEngine([plugin]);
    expect(engine.plugins()[0]?.stateless).toBe(true);
    const guests: number[] = [];
    engine.on((event) => event.type === 'guest-started' && guests.push(event.pid));
    await Promise.all(Array.from({ length: 8 }, () => engine.call('run', {})));
    // A hint declares no permissions, so it does not take the default ones away.
    const hooks = { stop: 'export default () => {}' };
    const hinted = await startEngine([makeVellum({ hooks, manifest: stateless })]);
    expect(hinted.plugins()[0]?.entries[0]?.effective).toMatchObject({ time: true, storage: true });
    // The operator's option gives a plugin several guests, not its hint.
    expect(guests.length).toBeLessThanOrEqual(1);
  });

  it('warn if isolation takes the writing from a mount', async () => {
    const directory = makeDirectory();
    const plugin = makeVellum({ hooks: { stop: 'export default () => {}' } });
    const grant = { sample: { fs: [`${directory}:rw`] } };
    const isolation = { sample: 'tenant' } as const;
    expect(await warningsOf([plugin], { grant, isolation })).toEqual([
      expect.stringContaining('reads its mounts and does not write to them'),
    ]);
    expect(await warningsOf([plugin], { grant })).toEqual([]);
    const readOnly = { sample: { fs: [directory] } };
    expect(await warningsOf([plugin], { grant: readOnly, isolation })).toEqual([]);
  });
});

describe('grants', () => {
  it('warn about directories, variables and powers that are not there', async () => {
    const workspace = makeDirectory();
    const missing = `${workspace}x`;
    const plugin = makePlugin({
      permissions: { fs: [missing, workspace, 'data'], env: ['KEY', 'KEYS'] },
      tools: { run: '() => 1' },
    });
    const told = await warningsOf([plugin], {
      env: { KEYS: 'a' },
      powers: [{ name: 'chats.list', permission: 'chatlist', handler: () => [] }],
      grant: {
        sample: {
          fs: [missing, workspace, 'data'],
          env: ['KEY', 'KEYS'],
          powers: ['chatlst', 'chatlist', 'generation'],
        },
      },
    });
    expect(told).toEqual([
      `The grant of sample names ${JSON.stringify(missing)}, which does not exist. Did you mean ${JSON.stringify(workspace)}?`,
      'The grant of sample names the variable "KEY", which this host does not have. Did you mean "KEYS"?',
      'The grant of sample names the power "chatlst", which this host does not have. Did you mean "chatlist"?',
    ]);
  });

  it('do not warn about what a manifest declares and the host does not have', async () => {
    const plugin = makePlugin({ permissions: { env: ['OPTIONAL'] }, tools: { run: '() => 1' } });
    expect(await warningsOf([plugin], { env: {}, grant: 'declared' })).toEqual([]);
  });
});
