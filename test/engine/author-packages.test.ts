import { afterAll, describe, expect, it } from 'vitest';
import { keepBundlers } from '../../src/engine/node/walled-bundler.js';
import { plainProgram, startServer } from './mcp-on-disk.js';

// For all engines of this file, as `bulkhead dev` does.
afterAll(keepBundlers());

/** A server that speaks through a package, and packages that use what the plugin has. */
const start = (call: string) =>
  startServer(
    {
      name: 'written',
      program: `import { serve } from 'transport'; import * as helper from 'helper'; import { Open } from 'classes';
        ${call}
        serve(answer);`,
      manifest: { bulkhead: { permissions: { env: ['CITY'], time: true } } },
      files: {
        'node_modules/transport/package.json': '{ "type": "module" }',
        'node_modules/transport/index.js': `export function serve(answer) { ${plainProgram('return text(String(await answer(args.value)));').replace(/import .*\n/, '')} }`,
        'node_modules/helper/package.json': '{ "type": "module" }',
        'node_modules/helper/index.js': `import { inner } from 'inner';
          export const city = () => process.env.CITY;
          export const args = () => process.argv.slice(2);
          export const early = () => Date.now() < 1e12;
          export const secret = () => String(process.env.SECRET);
          export const call = () => fetch('https://elsewhere.example').then(() => 'sent', ({ code }) => code);
          export const fail = () => inner();`,
        'node_modules/helper/node_modules/inner/index.js': `exports.inner = () => {
            throw new Error('inner failed'); };`,
        'node_modules/classes/index.js': `exports.Open = class { name() { return 'closed'; } }; exports.made = () => new exports.Open();`,
      },
    },
    {
      env: { CITY: 'Oslo', SECRET: 'k' },
      grant: 'declared',
      config: { written: { args: ['--dir', '/data'] } },
    },
  );

async function answer(call: string): Promise<string | undefined> {
  const engine = await start(call);
  const { content } = await engine.call('written:run', { value: 'x' });
  return content[0]?.text;
}

describe('the npm packages of a plugin that its author works on', () => {
  it('get what the plugin gets, as in one bundle', async () => {
    expect(
      await answer(
        'const answer = () => [helper.city(), helper.args(), helper.early()].join(" ");',
      ),
    ).toBe('Oslo --dir,/data false');
  });

  it('get no more than the plugin', async () => {
    expect(await answer('const answer = () => helper.secret();')).toBe('undefined');
    expect(await answer('const answer = () => helper.call();')).toBe('NETWORK_DENIED');
  });

  it('can be changed by the plugin, as in one bundle', async () => {
    expect(
      await answer(
        `Open.prototype.name = () => 'open'; const answer = () => { Open.prototype.late = () => 'late'; return new Open().name() + new Open().late(); };`,
      ),
    ).toBe('openlate');
  });

  it('leave the place of the author in an error that they throw', async () => {
    const engine = await start('const answer = helper.fail();');
    expect(engine.plugins()[0]?.problems).toEqual([
      expect.objectContaining({
        message: expect.stringContaining('inner failed'),
        at: expect.stringMatching(/^server\.js:2:/),
      }),
    ]);
  });
});
