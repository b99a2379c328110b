import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeDirectory } from '../engine/plugin-on-disk.js';
import { run } from './in-process.js';
import { writePlugin } from './spawned.js';

it('a published pack is added and runs without a build, wherever its dependencies are', async () => {
  const plugin = writePlugin({
    id: 'published',
    top: "import { hi } from 'dep';",
    execute: 'return hi(input.name);',
    files: {
      'node_modules/dep/package.json': '{"name":"dep","version":"1.2.3","main":"index.js"}',
      'node_modules/dep/index.js': 'exports.hi = (name) => "hi " + name;',
    },
  });
  const sbom = join(plugin, 'sbom.json');
  expect(await run(['pack', plugin, '--sbom', sbom])).toMatchObject({ code: 0 });
  expect(JSON.parse(readFileSync(sbom, 'utf8'))).toMatchObject({
    bomFormat: 'CycloneDX',
    components: expect.arrayContaining([
      expect.objectContaining({ purl: 'pkg:npm/dep@1.2.3', type: 'library' }),
    ]),
  });
  const cwd = makeDirectory();
  const installed = join(cwd, 'node_modules/published');
  mkdirSync(join(cwd, 'node_modules'));
  cpSync(plugin, installed, { recursive: true });
  // npm hoists dependencies out of the plugin's directory.
  rmSync(join(installed, 'node_modules'), { recursive: true });
  const at = { cwd, home: makeDirectory() };
  expect(await run(['add', installed, '--yes'], at)).toMatchObject({ code: 0 });
  const called = ['call', installed, 'run', '--input', '{"name":"Ada"}'];
  expect(await run(called, at)).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('Add dep to the "dependencies" of the plugin'),
  });
  const locked = await run([...called, '--lock', 'bulkhead.lock.json'], at);
  expect(locked).toMatchObject({ code: 0, stdout: 'hi Ada\n' });
  cpSync(join(plugin, 'node_modules/dep'), join(cwd, 'node_modules/dep'), { recursive: true });
  writeFileSync(join(installed, 'package.json'), '{"dependencies":{"dep":"^1.0.0"}}');
  expect(await run(called, at)).toMatchObject({ code: 0, stdout: 'hi Ada\n' });
});
