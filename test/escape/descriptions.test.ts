import { makeDenialLog } from '../../src/engine/plugins/denial-log.js';
import { OPEN_GATE } from '../../src/stops/gate.js';
import { makeMountUse } from '../../src/brokers/filesystem/mount-use.js';
import { makeServerNotices } from '../../src/engine/instance/server-notices.js';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { diskReader } from '../../src/engine/node/disk-reader.js';
import { makeGrants } from '../../src/engine/plugins/grants.js';
import { install } from '../../src/engine/plugins/install.js';
import { openEngineRuntime } from '../../src/engine/runtime.js';
import { readSettings } from '../../src/engine/settings.js';
import { makeEventBus } from '../../src/events.js';
import { readPlugins } from '../../src/formats/discover.js';
import { fixture, temporary } from './attempt.js';
import { startBlankRogue } from './rogue.js';

/** Anything that has no business in some place of a description. */
const JUNK: readonly unknown[] = [
  null,
  true,
  -1,
  1e308,
  '',
  'text',
  [],
  [[]],
  [null, 1, 'a', {}],
  {},
  { length: 5, 0: {} },
  { toString: 1, valueOf: 1 },
  { constructor: { prototype: {} } },
  'x'.repeat(100_000),
  JSON.parse(`${'['.repeat(150)}${']'.repeat(150)}`),
];

const tool = (more: object): object => ({
  tool: { id: 'a', name: 'a', description: 'a', executable: true, ...more },
});

const FIELDS = [
  'id',
  'name',
  'description',
  'parameters',
  'timeout',
  'sandbox',
  'permissions',
  'annotations',
  'executable',
  'requireApproval',
];

/** In one: each tool and each alert is read by itself, and none costs another. */
const descriptions: Readonly<Record<string, unknown>> = {
  'tools of junk': {
    tools: JUNK.flatMap((junk) => [junk, { tool: junk }, { problem: junk }]),
  },
  'junk in every field of a tool': {
    tools: FIELDS.flatMap((field) => JUNK.map((junk) => tool({ [field]: junk }))),
  },
  'resolved junk': {
    tools: [],
    resolved: {
      tools: JUNK.flatMap((junk) => [junk, { tool: junk }]),
      alerts: JUNK.flatMap((junk) => [junk, { level: junk, message: junk }]),
    },
  },
  'the same tool many times': { tools: Array.from({ length: 500 }, () => tool({})) },
  'tools in place of resolveTools': { tools: { length: 3, 0: tool({}) }, resolved: [tool({})] },
  'an error that is none': { resolved: { error: { toString: 1 }, tools: 'text', alerts: 1 } },
  ...Object.fromEntries(JUNK.map((junk, at) => [`junk ${at}`, junk])),
};

/** Installs a plugin whose guest describes itself so, and gives what the engine made of it. */
async function installAs(description: unknown) {
  const settings = readSettings({
    plugins: [fixture('lives-on')],
    cacheDirectory: temporary(),
    env: {},
    limits: { pool: 0 },
  });
  const file = join(settings.cacheDirectory, 'description.json');
  writeFileSync(file, JSON.stringify(description));
  const runtime = await openEngineRuntime(settings, makeEventBus(Date.now));
  const { plugins } = await readPlugins(diskReader, settings.plugins);
  const [found] = plugins;
  if (found === undefined) throw new Error('the plugin is not there');
  try {
    const { guests, stores, contributions, scheduler, build } = runtime;
    return await install(found, {
      services: {
        settings,
        events: makeEventBus(Date.now),
        guests: { ...guests, take: () => startBlankRogue('describes itself as', file) },
        stores,
        written: () => undefined,
        mountUse: makeMountUse,
        notices: makeServerNotices(),
        live: () => ({ name: 'live' }),
        lifecycleOf: () => undefined,
        stops: OPEN_GATE,
        now: Date.now,
      },
      grants: makeGrants(settings.grant),
      contributions,
      scheduler,
      denials: makeDenialLog(makeEventBus(Date.now)),
      build,
      onChange: () => {},
    });
  } finally {
    await runtime.close();
  }
}

describe('a guest that describes itself by junk', () => {
  it.each(Object.entries(descriptions))('is read without a fault: %s', async (_, description) => {
    const { entries } = await installAs(description);
    expect(entries).toHaveLength(1);
    for (const { tools, problems } of entries) {
      for (const { listed } of tools) {
        expect(listed).toMatchObject({ plugin: 'lives-on', confinement: 'compartment' });
        expect(typeof listed.description).toBe('string');
        expect(listed.timeoutMs).toBeGreaterThan(0);
        expect(listed.timeoutMs).toBeLessThanOrEqual(60_000);
      }
      for (const { code } of problems) expect(code).toBeOneOf(['INVALID_TOOL', 'INVALID_SCHEMA']);
    }
  });
});
