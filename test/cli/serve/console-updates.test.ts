import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run, writePlugin } from '../spawned.js';
import { serve } from './serving.js';

/** A browser without JavaScript, in the console's session. */
async function enter(link: string): Promise<{
  get: (path: string) => Promise<string>;
  post: (path: string, fields: Readonly<Record<string, string>>) => Promise<Response>;
}> {
  const { origin, searchParams } = new URL(link);
  let cookie = '';
  const post = (path: string, fields: Readonly<Record<string, string>>): Promise<Response> =>
    fetch(`${origin}${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        origin,
        cookie,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams(fields),
    });
  const entered = await post('/console/enter', { code: searchParams.get('code') ?? '' });
  cookie = (entered.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const get = async (path: string): Promise<string> =>
    (await fetch(`${origin}${path}`, { headers: { cookie } })).text();
  return { get, post };
}

describe('an update in the console', () => {
  it('is read from the plugin’s directory, accepted into the lock file, and runs', async () => {
    const plugin = writePlugin({ execute: `return 'first';`, entry: { permissions: {} } });
    const lock = join(plugin, '..', `${plugin.split('/').at(-1)}.lock.json`);
    const added = await run(['add', plugin, '--yes', '--lock', lock]);
    expect(added.code).toBe(0);
    const { printed } = await serve(['--console', '--lock', lock, '--plugins', plugin]);
    const browser = await enter(printed['console'] ?? '');
    const form = /name="form" value="([^"]+)"/.exec(await browser.get('/console/'))?.[1] ?? '';
    const fields = { form, plugin: 'sample' };
    const unchanged = await browser.post('/console/plugins/review', fields);
    expect(await unchanged.text()).toContain('is the accepted one');

    writeFileSync(
      join(plugin, 'index.ts'),
      `export const tools = [{ id: 'run', name: 'Run', description: 'Runs',
        annotations: { readOnlyHint: true }, execute: () => fetch('https://new.example/') }];`,
    );
    writeFileSync(
      join(plugin, 'pandora.manifest.json'),
      readFileSync(join(plugin, 'pandora.manifest.json'), 'utf8').replace(
        '"permissions":{}',
        '"permissions":{"network":["new.example"]}',
      ),
    );
    const page = await (await browser.post('/console/plugins/review', fields)).text();
    expect(page).toContain('It asks for more than before.');
    expect(page).toContain('new.example');
    expect(page).toContain('index.ts');
    const artifact = /name="artifact" value="([^"]+)"/.exec(page)?.[1] ?? '';
    const before = readFileSync(lock, 'utf8');
    expect(before).not.toContain('new.example');

    // What changed after the page was made is not accepted.
    const source = readFileSync(join(plugin, 'index.ts'), 'utf8');
    writeFileSync(join(plugin, 'index.ts'), source.replace('new.example/', 'new.example/more'));
    const late = await browser.post('/console/plugins/accept', { ...fields, artifact });
    expect(late.status).toBe(409);
    expect(readFileSync(lock, 'utf8')).toBe(before);

    writeFileSync(join(plugin, 'index.ts'), source);
    const done = await browser.post('/console/plugins/accept', { ...fields, artifact });
    expect(done.status).toBe(303);
    expect(JSON.parse(readFileSync(lock, 'utf8'))).toMatchObject({
      plugins: { sample: { artifact, granted: { network: ['new.example'] } } },
    });
    expect(await browser.get('/console/plugins?updated=sample')).toContain('sample is updated.');
    expect(await browser.get('/console/plugins')).toContain('new.example');
  });
});
