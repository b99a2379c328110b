import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BUN } from '../bun.js';
import type { RunSpec } from '../scenario.js';
import { lumiverseRuntime } from './lumiverse-checkout.js';
import type { SpindleRun, SpindleStep } from './step.js';

const run = promisify(execFile);

/** Runs the steps in Lumiverse's own runtime, under Bun. */
export async function runOracle({
  id,
  plugin,
  workspace,
  scenario,
  origins,
  onAnswer,
}: RunSpec<SpindleStep>): Promise<void> {
  const manifest = JSON.parse(
    (await readFile(join(plugin, 'spindle.json'), 'utf8')).replace(/^\uFEFF/, ''),
  );
  const entry: string = manifest.entry_backend ?? 'dist/backend.js';
  // Lumiverse builds a backend whose built file is not in the repository.
  if (!existsSync(join(plugin, entry))) {
    await run(BUN, ['build', 'src/backend.ts', '--target', 'bun', '--outfile', entry], {
      cwd: plugin,
    });
  }
  const storage = join(workspace, '..', 'oracle-storage');
  await mkdir(join(storage, 'data'), { recursive: true });
  for (const { from, to = from, overwrite = false } of manifest.storage_seed_files ?? []) {
    if (!existsSync(join(plugin, from))) continue;
    const target = join(storage, 'data', to);
    if (existsSync(target) && !overwrite) continue;
    await cp(join(plugin, from), target, { recursive: true });
  }
  const spec: SpindleRun = {
    id,
    directory: plugin,
    manifest,
    storage,
    origins,
    scenario,
  };
  const file = join(workspace, '..', 'run.json');
  await writeFile(file, JSON.stringify(spec));
  const host = fileURLToPath(new URL('./oracle-host.ts', import.meta.url));
  const runtime = await lumiverseRuntime();
  const { stdout, stderr } = await run(BUN, [host, file, runtime], {
    maxBuffer: 64 * 1024 * 1024,
    timeout: 300_000,
  });
  if (process.env['ORACLE_LOG'] === '1') console.error(stderr);
  for (const line of stdout.split('\n').filter(Boolean)) onAnswer(JSON.parse(line));
}
