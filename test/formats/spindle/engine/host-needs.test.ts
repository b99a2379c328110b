import { describe, expect, it } from 'vitest';
import type { Engine, EngineOptions } from '../../../../src/index.js';
import { suggestPermissions } from '../../../../src/index.js';
import { answering, makeExtension } from '../../../engine/extension-on-disk.js';
import { startEngine } from '../../../engine/plugin-on-disk.js';

const start = (source: string, options: Partial<EngineOptions> = {}): Promise<Engine> =>
  startEngine([makeExtension({ source, permissions: ['tools', 'chats'] })], options);

const needy = `spindle.on('CHAT_CHANGED', () => {});
  ${answering({
    send: `(spindle.sendToFrontend('a', 'u'), spindle.sendToFrontend('b', 'u'), 'sent')`,
    active: 'String(await spindle.chats.getActive())',
  })}`;

describe('the status of an extension', () => {
  it('has the events that reach it only in the background', async () => {
    const idle = await start(needy);
    expect(idle.plugins()[0]).toMatchObject({ unreachedEvents: ['CHAT_CHANGED'] });
    const running = await start(needy, { background: ['sample'] });
    expect(running.plugins()[0]).not.toHaveProperty('unreachedEvents');
  });

  it('has the place in its sources that threw while it was loaded', async () => {
    const engine = await start(`const fine = 1;\nfunction f() { return missingName.x; }\nf();`);
    expect(engine.plugins()[0]).toMatchObject({
      state: 'failed',
      problems: [
        {
          code: 'LOAD_FAILED',
          message: 'missingName is not defined',
          at: expect.stringMatching(/^dist\/backend\.js:\d+:23$/),
        },
      ],
    });
  });
});

it('the powers that the code uses are found without running it', async () => {
  const directory = makeExtension({ source: needy, permissions: ['tools', 'chats'] });
  const { hostPowers } = await suggestPermissions(directory);
  expect(hostPowers.map(({ name, permission }) => [name, permission])).toEqual([
    ['spindle.sendToFrontend', 'spindle'],
    ['spindle.chats.getActive', 'chats'],
  ]);
});

describe('a message that is lost', () => {
  const sent: unknown[] = [];
  const powers: EngineOptions['powers'] = [
    {
      name: 'spindle.sendToFrontend',
      permission: 'spindle',
      handler: (input) => {
        sent.push(input);
      },
    },
  ];
  it.each([
    ['a power that the host lacks', {}, 'is not provided by this host'],
    [
      'a permission that the host did not grant',
      { powers, grant: { sample: { powers: ['tools', 'chats'] } } },
      'is not granted by this host',
    ],
  ])('is logged once for %s', async (_, options, words) => {
    const lines: string[] = [];
    const keep = (...parts: readonly unknown[]): void => {
      lines.push(parts.map(String).join(' '));
    };
    const logger = { debug: () => {}, info: () => {}, warn: keep, error: keep };
    const engine = await start(needy, { ...options, logger });
    expect((await engine.call('sample:send', {})).value).toBe('sent');
    expect((await engine.call('sample:active', {})).value).toBe('null');
    await expect.poll(() => lines.filter((line) => line.includes(words)).length).toBe(1);
    expect(sent).toEqual([]);
  });
});

describe("a host's description of itself", () => {
  const host = answering({ host: 'JSON.stringify(spindle.host)' });

  it('has the version and the capabilities of its pages', async () => {
    const engine = await start(host, {
      config: {
        sample: { lumiverseVersion: '1.4.0', hostCapabilities: { 'preset-editor-v1': 2 } },
      },
    });
    const { value } = await engine.call('sample:host', {});
    expect(JSON.parse(typeof value === 'string' ? value : '')).toMatchObject({
      lumiverseVersion: '1.4.0',
      capabilities: { 'preset-editor-v1': 2, 'generation-assembly-v1': 1 },
    });
  });

  it.each([
    [{ hostCapabilities: { 'preset-editor-v1': 'yes' } }, 'hostCapabilities: must have'],
    [{ hostCapabilities: ['preset-editor-v1'] }, 'hostCapabilities: must have'],
    [{ lumiverseVersion: 2 }, 'lumiverseVersion: must be a text'],
  ])('%j is refused', async (sample, words) => {
    const engine = await start(host, { config: { sample } });
    expect(engine.plugins()[0]).toMatchObject({
      state: 'inactive',
      problems: [{ code: 'PLUGIN_INACTIVE', message: expect.stringContaining(words) }],
    });
  });
});

describe('a grant at run time', () => {
  it('takes a bare name of a power that the extension declares', async () => {
    const engine = await start(needy, { grant: { sample: { powers: ['tools', 'spindle'] } } });
    await engine.grant('sample', 'chats');
    expect(engine.plugins()[0]?.entries[0]?.effective.powers).toContain('chats');
  });

  it('of another name names the powers that the extension declares', async () => {
    const engine = await start(needy);
    await expect(engine.grant('sample', 'web_search')).rejects.toMatchObject({
      code: 'INVALID_PERMISSION',
      message: expect.stringContaining('The plugin declares these powers: tools, chats, spindle.'),
    });
    // @ts-expect-error A caller without types passes a grant as `createEngine` takes it.
    await expect(engine.grant('sample', { powers: ['chats'] })).rejects.toMatchObject({
      code: 'INVALID_PERMISSION',
      message: expect.stringContaining('a permission is a text'),
    });
  });
});
