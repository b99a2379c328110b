import { existsSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { checkOut } from '../checkout.js';
import type { Source } from '../sources.js';

/** Lumiverse, whose own runtime is the oracle, and the package that its runtime imports. */
const LUMIVERSE: Source = {
  id: 'lumiverse',
  system: 'spindle',
  repository: 'prolix-oc/Lumiverse',
  commit: 'ee545baabb4c7be01fa5731e847f06b209b10a69',
  bundled: true,
};
const TYPES: Source = {
  id: 'lumiverse-spindle-types',
  system: 'spindle',
  repository: 'prolix-oc/lumiverse-spindle-types',
  commit: '9e1ac59a8a4d3af69e77eb6ae369131ee55e8ec1',
  bundled: true,
};

const RUNTIME = 'src/spindle/worker-runtime.ts';

/** The path of Lumiverse's runtime. Fails with what is missing. */
export async function lumiverseRuntime(): Promise<string> {
  const named = process.env['BULKHEAD_LUMIVERSE'];
  if (named !== undefined) {
    const runtime = resolve(named, RUNTIME);
    if (existsSync(runtime)) return runtime;
    throw new Error(`BULKHEAD_LUMIVERSE is not a checkout of Lumiverse: ${runtime} does not exist`);
  }
  const [lumiverse, types] = [await checkOut(LUMIVERSE), await checkOut(TYPES)];
  for (const checkout of [lumiverse, types]) {
    if ('skipped' in checkout) throw new Error(`Lumiverse is not there: ${checkout.skipped}`);
  }
  const [directory, typesDirectory] = [lumiverse, types].map((one) =>
    'directory' in one ? one.directory : '',
  );
  const link = join(directory ?? '', 'node_modules', TYPES.id);
  if (!existsSync(link)) {
    await mkdir(join(link, '..'), { recursive: true });
    await symlink(typesDirectory ?? '', link);
  }
  return join(directory ?? '', RUNTIME);
}

/** Why Lumiverse's runtime cannot run here; `undefined` if it can. */
export async function missingLumiverse(): Promise<string | undefined> {
  return lumiverseRuntime().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}
