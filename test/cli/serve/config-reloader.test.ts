import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeConfigReloader } from '../../../src/cli/serve/config-reloader.js';
import type { ConfigFile } from '../../../src/http/config.js';
import type { Plugin } from '../../../src/index.js';
import { makeIssuer } from '../../http/issuer.js';
import { writePlugin } from '../spawned.js';
import { serve } from './serving.js';

const directory = mkdtempSync(join(tmpdir(), 'bulkhead-reloader-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const notes = { id: 'notes', entries: [] as unknown } as Plugin;
const first: ConfigFile = { plugins: [], grant: 'nothing' };

function reading(text: () => string, from: ConfigFile = first) {
  const readFile = (): Promise<string> => Promise.resolve().then(text);
  const reloader = makeConfigReloader(from, {}, { readFile });
  const { grant, config } = reloader.policies;
  return {
    reload: (apply = () => Promise.resolve()) => reloader.reload(apply),
    granted: () => (typeof grant === 'function' ? grant(notes) : grant),
    configured: () => (typeof config === 'function' ? config(notes) : config),
  };
}

describe('a configuration that is read again', () => {
  it('counts at once for what plugins are granted and how they are configured', async () => {
    const text = JSON.stringify({
      grant: { notes: 'declared' },
      config: { notes: { a: 1 } },
      tokens: { audience: ['x'] },
      server: { token: '0123456789abcdef' },
    });
    const { reload, granted, configured } = reading(() => text);
    expect([granted(), configured()]).toEqual(['nothing', undefined]);
    expect(await reload()).toEqual([]);
    expect([granted(), configured()]).toEqual(['declared', { a: 1 }]);
  });

  it('grants nothing to a plugin that it does not name', async () => {
    const { reload, granted } = reading(() => '{"grant":{"other":"declared"}}');
    await reload();
    expect(granted()).toBe('nothing');
  });

  it('says what else has changed in it', async () => {
    const { reload } = reading(() => '{"limits":{"timeoutMs":5},"server":{"port":1}}');
    expect(await reload()).toEqual(['limits', 'server']);
  });

  it.each([
    ['is no JSON', '{'],
    ['is no configuration', '{"grant":7}'],
  ])('changes nothing if it %s', async (_what, text) => {
    const { reload, granted } = reading(() => text);
    await expect(reload()).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
    expect(granted()).toBe('nothing');
  });

  it('changes nothing if it is deleted: without one, plugins would get all that they declare', async () => {
    const gone = (): string => {
      throw new Error('ENOENT');
    };
    const { reload, granted } = reading(gone);
    await expect(reload()).rejects.toThrow('ENOENT');
    expect(granted()).toBe('nothing');
    const never = reading(gone, {});
    await never.reload();
    expect(never.granted()).toBe('declared');
  });

  it('changes nothing if it cannot be applied', async () => {
    const { reload, granted } = reading(() => '{"grant":"declared"}');
    await expect(reload(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(granted()).toBe('nothing');
  });
});

describe('bulkhead serve, on SIGHUP', () => {
  it('takes what was granted back, serves other plugins, and believes other issuers', async () => {
    const [one, two] = [await makeIssuer(), await makeIssuer()];
    const file = join(directory, 'bulkhead.config.json');
    const [clock, other] = [
      writePlugin({
        id: 'clock',
        entry: { permissions: { time: true } },
        execute: 'return Date.now() > 0;',
      }),
      writePlugin({ id: 'other' }),
    ];
    const write = (plugins: string[], issuer: { url: string; jwks: string }, more = {}): void =>
      writeFileSync(
        file,
        JSON.stringify({
          plugins,
          tokens: { issuers: [{ issuer: issuer.url, jwks: issuer.jwks }] },
          ...more,
        }),
      );
    const operator = ['the-first-token-0', 'the-second-token'] as const;
    write([clock], one, { server: { viewToken: operator[0] } });
    const listed = async (token: string): Promise<number> =>
      (await fetch(`${url}/api/plugins`, { headers: { authorization: `Bearer ${token}` } })).status;
    const { url, child, logged } = await serve(['--config', file]);
    const use = async (issuer: typeof one, tool: string): Promise<unknown> => {
      const response = await fetch(`${url}/tools`, {
        method: 'POST',
        headers: { authorization: `Bearer ${await issuer.token()}` },
        body: JSON.stringify({ tool_use: { id: '1', tool_name: tool } }),
      });
      const { is_error: isError } = (await response.json()) as { is_error?: boolean };
      return [response.status, isError];
    };
    expect(await use(one, 'clock__run')).toEqual([200, false]);
    expect(await use(two, 'clock__run')).toEqual([401, undefined]);
    expect(await Promise.all(operator.map(listed))).toEqual([200, 401]);
    write([clock, other], two, {
      grant: 'nothing',
      tolerance: 'relaxed',
      server: { viewToken: operator[1] },
    });
    child.kill('SIGHUP');
    await logged('reloaded the plugins');
    expect(await logged('other changes apply after a restart')).toMatchObject({
      restart: ['tolerance'],
    });
    expect(await use(one, 'clock__run')).toEqual([401, undefined]);
    expect(await use(two, 'clock__run')).toEqual([200, true]);
    expect(await use(two, 'other__run')).toEqual([200, false]);
    expect(await Promise.all(operator.map(listed))).toEqual([401, 200]);
    writeFileSync(file, '{');
    child.kill('SIGHUP');
    await logged('the reload failed');
    expect(await use(two, 'other__run')).toEqual([200, false]);
  });
});
