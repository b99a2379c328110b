/** Options that are wrong are refused, with what was meant. */
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/index.js';
import { makePlugin, startEngine } from './plugin-on-disk.js';

const plugin = (): string => makePlugin({ id: 'notes', tools: { run: '() => 1' } });

function start(options: object): Promise<unknown> {
  // As a program without types.
  return createEngine({ plugins: [plugin()], ...options });
}

describe('createEngine refuses', () => {
  it.each([
    [{ grants: {} }, /"grants" is not an option of createEngine\. Did you mean grant\?/],
    [{ pluginz: [] }, /Did you mean plugins\?/],
    [{ grant: 'all' }, /The option grant takes "declared", "nothing".* It is "all"\./],
    [{ grant: true }, /The option grant takes/],
    [
      { grant: { note: 'declared' } },
      /grant\["note"\] names no installed plugin\. Did you mean "notes"\?/,
    ],
    [
      { grant: { notes: { filesystem: ['data'] } } },
      /\.filesystem is not a kind of permission\. Did you mean "fs"\?/,
    ],
    [{ grant: { notes: { environment: ['A'] } } }, /Did you mean "env"\?/],
    [{ grant: { notes: { netwrok: ['a.test'] } } }, /Did you mean "network"\?/],
    [
      { grant: { notes: { network: 'a.test' } } },
      /\.network takes a list of texts, like \["api\.example\.com"\]/,
    ],
    [{ grant: { notes: { time: 'yes' } } }, /\.time takes true or false/],
    [
      { grant: { notes: { network: ['*'] } } },
      /grant\["notes"\]\.network: "\*" is not a valid network permission/,
    ],
    [
      { grant: () => ({ netwrok: [] }) },
      /the grant for notes\.netwrok is not a kind of permission/,
    ],
    [{ approve: 'always' }, /The option approve takes a function .* It is "always"\./],
    [
      { walls: { requires: ['no-network'] } },
      /"requires" is not an option of walls\. Did you mean require\?/,
    ],
    [{ walls: { paranoid: 1 } }, /The option walls\.paranoid takes true or false\. It is 1\./],
    [
      { hooks: { semantic: 'classic' } },
      /"semantic" is not an option of hooks\. Did you mean semantics\?/,
    ],
    [
      { network: { override: [] } },
      /"override" is not an option of network\. Did you mean overrides\?/,
    ],
    [
      { audit: { file: 'a', syn: 'always' } },
      /"syn" is not an option of audit\. Did you mean sync\?/,
    ],
    [{ policy: { allowedTool: [] } }, /Did you mean allowedTools\?/],
    [
      { packageBuilds: { notes: { mammoth: 'nodejs' } } },
      /The option packageBuilds takes "node" or/,
    ],
    [{ env: ['A'] }, /The option env takes an object of texts by name/],
    [{ env: { A: 1 } }, /The option env takes an object of texts by name/],
    [{ credentials: { notes: {} } }, /The option credentials takes .* with a function resolve/],
    [{ secrets: { notes: 1 } }, /The option secrets takes an object with bindings by variable/],
    [
      { secrets: { notse1: {}, note: { KEY: { hosts: ['a.test'], in: ['body'] } } } },
      /secrets\["notse1"\] names no installed plugin/,
    ],
    [
      { secrets: { note: { KEY: { hosts: ['a.test'], in: ['header:authorization'] } } } },
      /secrets\["note"\] names no installed plugin\. Did you mean "notes"\?/,
    ],
    [{ powers: { x: 5 } }, /The option powers takes a list of powers/],
    [{ powers: [null] }, /The option powers takes a list of powers\. It is \[null\]/],
    [
      { powers: [{ name: 'x', risc: 'low', handler: () => 1 }] },
      /"risc" is not an option of powers\[0\]\. Did you mean risk\?/,
    ],
    [
      { coreTools: [{ name: 'x', descripton: 'd', execute: () => '' }] },
      /"descripton" is not an option of coreTools\[0\]\. Did you mean description\?/,
    ],
    [
      { network: { overrides: [{ host: 'a.test', uri: 'http://127.0.0.1:1' }] } },
      /"uri" is not an option of network\.overrides\[0\]\. Did you mean url\?/,
    ],
    [
      { network: { overrides: [{ host: 'a.test', url: '127.0.0.1' }] } },
      /The host override for a\.test leads to 127\.0\.0\.1: write an origin/,
    ],
    [{ network: { ca: ['/etc/ca.pem'] } }, /network\.ca takes a list of certificates in PEM/],
    [{ network: { proxy: 'proxy:3128' } }, /The proxy is not an http: or https: URL/],
    [{ identity: { isuer: 'x' } }, /"isuer" is not an option of identity\. Did you mean issuer\?/],
    [
      { credentials: { resolve: () => undefined, stor: () => undefined } },
      /"stor" is not an option of credentials\. Did you mean store\?/,
    ],
    [
      { config: { notes: 5 } },
      /The option config takes an object with an object for each plugin id/,
    ],
    [{ logger: 'debug' }, /The option logger takes an object with the functions debug/],
    [{ onEvent: 'x' }, /The option onEvent takes a function/],
    [{ lockFile: '' }, /The option lockFile takes a text that is not empty/],
    [{ timeoutMs: 5 }, /Did you mean limits\.timeoutMs\?/],
    [{ require: [] }, /Did you mean walls\.require\?/],
    [{ limits: { timeout: 5 } }, /There is no such limit\. Did you mean timeoutMs\?/],
    [
      { remotes: [{ id: 'x', uri: 'http://x' }] },
      /remotes\[0\]: must have mcp, vertesia or command/,
    ],
    [{ remotes: [{ mcp: 'https://x.test', heders: {} }] }, /remotes\[0\]\.heders: is not known/],
    [
      { trustFile: '/tmp/trust.json' },
      /The option trustFile decides about plugins of a lock file, and there is none\. Add the option lockFile\./,
    ],
    [{ plugins: ['nope'] }, /The option plugins names nope, which is not a directory/],
    [{ plugins: ['nope/*'] }, /names nope\/\*, which is not a directory/],
  ])('%j', async (options, message) => {
    await expect(start(options)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: expect.stringMatching(message),
    });
  });

  it('no further members of an instance of a class', async () => {
    class Store {
      readonly values = new Map([['key', 'a']]);
      resolve(_plugin: string, key: string): string | undefined {
        return this.values.get(key);
      }
    }
    const engine = await startEngine([plugin()], { credentials: new Store() });
    expect(engine.plugins()).toHaveLength(1);
  });

  it('no options at all', async () => {
    // @ts-expect-error -- as a program without types
    await expect(createEngine()).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
  });

  it('a directory that was mistyped, with the one that exists', async () => {
    const there = plugin();
    await expect(start({ plugins: [`${there}x`] })).rejects.toThrow(`Did you mean ${there}?`);
  });
});

describe('a call refuses', () => {
  it.each([
    [{ signal: 5 }, /The option signal takes an AbortSignal\. It is 5\./],
    [{ timeoutMs: '5' }, /The option timeoutMs takes a number of milliseconds above 0/],
    [{ tenant: 5 }, /The option tenant takes a text/],
    [{ record: 'yes' }, /The option record takes true or false/],
    [{ approval: 7 }, /The option approval takes a text/],
    [{ approve: true }, /The option approve takes a function/],
    [{ policy: { blockedTool: [] } }, /"blockedTool" is not an option of policy/],
  ])('%j', async (options, message) => {
    const engine = await startEngine([plugin()]);
    await expect(engine.call('run', {}, options as object)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: expect.stringMatching(message),
    });
  });

  it('no signal of another kind, e.g. of a browser in a test', async () => {
    const engine = await startEngine([plugin()]);
    const signal = { aborted: false, addEventListener: () => {}, removeEventListener: () => {} };
    expect(
      await engine.call('run', {}, { signal: signal as unknown as AbortSignal }),
    ).toMatchObject({
      value: 1,
    });
  });
});

it('a call refuses an option that does not exist', async () => {
  const engine = await startEngine([plugin()]);
  // @ts-expect-error -- as a program without types
  await expect(engine.call('run', {}, { timeout: 5 })).rejects.toMatchObject({
    code: 'INVALID_OPTIONS',
    message: '"timeout" is not an option of engine.call. Did you mean timeoutMs?',
  });
  const agent = {
    model: { respond: () => Promise.reject(new Error('unused')) },
    systemPrompt: 'x',
  };
  expect(() => engine.agent(agent)).toThrow('Did you mean system?');
  const hook = engine.hooks.run('stop', {}, { timeoutMs: 0 });
  await expect(hook).rejects.toThrow('The option timeoutMs takes a number of milliseconds above 0');
});
