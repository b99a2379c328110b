import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compare, type Effort, type Measure } from './measure.js';
import { withDirectory, writeEcho } from './plugins-on-disk.js';
import { time } from './statistics.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OPEN_ENGINE = `
  const { createEngine } = await import(${JSON.stringify(new URL('../dist/lib/index.js', import.meta.url).href)});
  const engine = await createEngine({ plugins: [] });
  await engine.close();
`;
const MAIN = join(ROOT, 'dist/lib/cli/main.cjs');

/** The package and the command line as they are shipped, against a Node process that does nothing. */
export function measureCommands({ starts, share }: Effort): Promise<Measure[]> {
  return withDirectory(async (root) => {
    const plugin = join(root, 'echo');
    writeEcho(plugin, 'echo');
    // Node reads its extra certificates at each start: some 50 ms.
    const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env;
    const env = { ...inherited, XDG_CACHE_HOME: root, XDG_DATA_HOME: root };
    const run = (args: readonly string[]) => (): void => {
      const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
      if (status !== 0) throw new Error(`node ${args.join(' ')} failed: ${stderr}`);
    };
    const empty = run(['-e', '0']);
    const load = run([join(ROOT, 'dist/lib/index.js')]);
    const engine = run(['--input-type=module', '-e', OPEN_ENGINE]);
    const version = run([MAIN, '--version']);
    const call = run([MAIN, 'call', plugin, 'echo', '--input', '{"text":"a"}']);
    // Stores the bundle and the code cache of guests.
    await time(2, call);
    const samples: Record<'empty' | 'load' | 'engine' | 'version' | 'call', number[]> = {
      empty: [],
      load: [],
      engine: [],
      version: [],
      call: [],
    };
    for (let n = 0; n < starts; n += 1) {
      samples.empty.push(...(await time(1, empty)));
      samples.load.push(...(await time(1, load)));
      samples.engine.push(...(await time(1, engine)));
      samples.version.push(...(await time(1, version)));
      samples.call.push(...(await time(1, call)));
    }
    const loaded = compare(samples.load, samples.empty, share);
    const versioned = compare(samples.version, samples.empty, share);
    const called = compare(samples.call, samples.empty, share);
    return [
      {
        work: "start: import 'bulkhead'",
        unit: 'ms',
        ...loaded,
        goal: '≤ 60 ms',
        met: loaded.ours <= 60,
      },
      {
        // The import leaves the engine's code to this moment.
        work: "start: import 'bulkhead', and an engine without plugins",
        unit: 'ms',
        ...compare(samples.engine, samples.empty, share),
      },
      {
        work: 'start: bulkhead --version',
        unit: 'ms',
        ...versioned,
        goal: '≤ 1.4 × an empty node',
        met: versioned.ratio <= 1.4,
      },
      {
        work: 'start: bulkhead call, to the exit, with a stored bundle',
        unit: 'ms',
        ...called,
        goal: '≤ 250 ms',
        met: called.ours <= 250,
      },
    ];
  });
}
