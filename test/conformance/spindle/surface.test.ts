/** The global `spindle`: what is there, how it may be held, and what it says of what is not there. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/index.js';
import { answering, makeExtension } from '../../engine/extension-on-disk.js';
import { startEngine } from '../../engine/plugin-on-disk.js';

const WALK = `
  const seen = {};
  const walk = (path, object) => {
    for (const name of Object.getOwnPropertyNames(object)) {
      const value = object[name];
      const at = path + '.' + name;
      if (['spindle.manifest', 'spindle.contracts', 'spindle.host'].includes(at)) seen[at] = 'data';
      else if (typeof value === 'function') seen[at] = 'function';
      else if (typeof value === 'object' && value !== null) walk(at, value);
      else seen[at] = typeof value;
    }
  };
  walk('spindle', spindle);`;

const caught = (expression: string): string =>
  `await (async () => { try { return 'gave ' + (await (${expression})) } catch (error) { return error.name + ': ' + error.message } })()`;

describe('spindle', () => {
  let engine: Engine;
  const value = async (tool: string): Promise<unknown> => (await engine.call(tool, {})).value;
  const json = async (tool: string): Promise<unknown> => {
    const text = await value(tool);
    return typeof text === 'string' ? JSON.parse(text) : text;
  };

  beforeAll(async () => {
    const source = `${WALK}
      const { has } = spindle.permissions;
      const info = spindle.log.info.bind(spindle);
      const { on, registerTool } = spindle;
      const macro = spindle.registerMacro.bind(spindle);
      ${answering({
        walk: 'JSON.stringify(seen)',
        frozen: `JSON.stringify([spindle, spindle.storage, spindle.permissions, spindle.chats, spindle.memories.vaults, spindle.host, spindle.manifest, spindle.on].map(Object.isFrozen))`,
        poison: caught(`(() => { spindle.registerTool = () => 'mine'; })()`),
        remove: caught(`(() => { delete spindle.on; })()`),
        add: caught(`(() => { spindle.mine = 1; })()`),
        replace: caught(`(() => { globalThis.spindle = {}; })()`),
        detached: `JSON.stringify([has('tools'), typeof info('hello'), typeof on('X', () => {}), registerTool(null) === undefined, macro({ name: 'm', handler: () => '' }) === undefined])`,
        unknown: caught('spindle.notThere'),
        deeper: caught('spindle.chats.notThere()'),
        probes: `JSON.stringify(['then' in spindle, typeof spindle.then, typeof spindle.toJSON, 'chats' in spindle, 'notThere' in spindle, spindle.contracts.notThere === undefined, spindle.contracts?.preAssemblyGenerationContext])`,
        awaited: `String((await spindle) === spindle)`,
        printed: `(console.log(spindle, spindle.chats), JSON.stringify(spindle).startsWith('{"') + '')`,
        host: 'JSON.stringify(spindle.host)',
        manifest: 'JSON.stringify(spindle.manifest)',
        version:
          'JSON.stringify([await spindle.version.getBackend(), await spindle.version.getFrontend()])',
        ambient: `JSON.stringify([typeof Date.now(), typeof Math.random(), typeof setTimeout, typeof setInterval, crypto.randomUUID(), new TextEncoder().encode('a').length, new URL('https://a.b/c').pathname, typeof AbortController, structuredClone({ a: 1 }).a, atob(btoa('x')), typeof performance.now(), typeof Intl, typeof console.log])`,
        absent: `JSON.stringify(['fetch', 'process', 'Bun', 'require', 'Worker', 'WebSocket', 'BroadcastChannel', 'XMLHttpRequest', 'navigator', 'self', 'global', 'Deno', 'importScripts', 'postMessage'].filter((name) => typeof globalThis[name] !== 'undefined'))`,
        subtle: caught('crypto.subtle'),
        probed: `JSON.stringify([spindle.chatMutation ?? spindle.messages ?? 'none', typeof spindle.toast.show])`,
        secrets: caught('crypto.getRandomValues(new Uint8Array(4))'),
      })}`;
    engine = await startEngine([
      makeExtension({
        source,
        permissions: ['tools'],
        manifest: { description: 'what it is', minimum_lumiverse_version: '1.1.0' },
      }),
    ]);
  });

  it('S14: has every member of the original, and each is a function', async () => {
    const seen = (await json('walk')) as Record<string, string>;
    expect(Object.values(seen).filter((kind) => kind !== 'function')).toEqual([
      'data',
      'data',
      'data',
    ]);
    await expect(`${Object.keys(seen).toSorted().join('\n')}\n`).toMatchFileSnapshot('members.txt');
  });

  it('S13: is frozen at every level, and cannot be replaced', async () => {
    expect(await json('frozen')).toEqual(Array.from({ length: 8 }, () => true));
    for (const tool of ['poison', 'remove', 'add', 'replace']) {
      expect(await value(tool)).toMatch(/^TypeError: /);
    }
  });

  it('S14: members work detached and bound', async () => {
    expect(await json('detached')).toEqual([true, 'undefined', 'function', true, true]);
  });

  it('S14: a member that is not there throws an error that names it', async () => {
    expect(await value('unknown')).toMatch(/^TypeError: spindle\.notThere does not exist here/);
    expect(await value('deeper')).toMatch(/^TypeError: spindle\.chats\.notThere does not exist/);
  });

  it('S14: can be probed, awaited, printed and put into JSON', async () => {
    expect(await json('probes')).toEqual([false, 'undefined', 'undefined', true, false, true, 1]);
    expect(await json('probed')).toEqual(['none', 'undefined']);
    expect(await value('awaited')).toBe('true');
    expect(await value('printed')).toBe('true');
  });

  it('says what host it has and what it is', async () => {
    expect(await json('host')).toMatchObject({
      descriptorVersion: 1,
      extensionInstallationId: expect.stringMatching(
        /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ),
    });
    expect(await json('manifest')).toMatchObject({
      identifier: 'sample',
      version: '1.0.0',
      description: 'what it is',
      permissions: ['tools'],
    });
    expect(await json('version')).toEqual([
      expect.stringMatching(/^\d+\.\d+\.\d+$/),
      expect.stringMatching(/^\d+\.\d+\.\d+$/),
    ]);
  });

  it('S10: finds the ambient globals of its own system by default', async () => {
    expect(await json('ambient')).toEqual([
      'number',
      'number',
      'function',
      'function',
      expect.stringMatching(
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ),
      1,
      '/c',
      'function',
      1,
      'x',
      'number',
      'object',
      'function',
    ]);
  });

  it('S07: has nothing ambient that reaches anything, and randomness with the permission', async () => {
    expect(await json('absent')).toEqual([]);
    expect(await value('secrets')).toMatch(/^gave \d+,\d+,\d+,\d+$/);
    expect(await value('subtle')).toBe('gave [object Object]');
  });
});
