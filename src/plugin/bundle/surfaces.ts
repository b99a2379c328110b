import { BulkheadError } from '../../errors.js';
import type { BrokenSurface, Surface } from '../plugin.js';

/**
 * Bundles several files as one graph of modules. Its entry loads each file on demand: `export const
 * tools = { stem: () => import(file), … }`, and `hooks` likewise. If the bundle fails, bundling
 * halves of the files finds the broken ones. A broken file rejects with the reason when it is
 * loaded. `build` bundles the text of an entry.
 */
export async function buildSurfaces<Bundle extends WithBroken>(
  surfaces: readonly Surface[],
  build: (source: string) => Promise<Bundle>,
): Promise<Bundle> {
  const whole = await attempt(surfaces, build);
  if ('bundle' in whole) return whole.bundle;
  const broken = await findBroken(surfaces, build, whole);
  const bundle = await build(entryText(surfaces, broken));
  return {
    ...bundle,
    broken: [
      ...[...broken].map(([{ file }, { message }]): BrokenSurface => ({ file, message })),
      ...bundle.broken,
    ],
  };
}

interface WithBroken {
  readonly broken: readonly BrokenSurface[];
}

type Failed = { readonly message: string; readonly code: BulkheadError['code'] };
type Broken = ReadonlyMap<Surface, Failed>;

async function attempt<Bundle>(
  surfaces: readonly Surface[],
  build: (source: string) => Promise<Bundle>,
): Promise<{ readonly bundle: Bundle } | Failed> {
  try {
    return { bundle: await build(entryText(surfaces, new Map())) };
  } catch (error) {
    if (error instanceof BulkheadError) return { message: error.message, code: error.code };
    throw error;
  }
}

/** The surfaces that cannot be bundled alone. `failed` is the error of bundling all of them. */
async function findBroken<Bundle>(
  surfaces: readonly Surface[],
  build: (source: string) => Promise<Bundle>,
  failed: Failed,
): Promise<Broken> {
  const [only] = surfaces;
  if (only === undefined) return new Map();
  if (surfaces.length === 1) return new Map([[only, failed]]);
  const middle = Math.ceil(surfaces.length / 2);
  const broken = new Map<Surface, Failed>();
  for (const half of [surfaces.slice(0, middle), surfaces.slice(middle)]) {
    const built = await attempt(half, build);
    if ('bundle' in built) continue;
    for (const [surface, why] of await findBroken(half, build, built)) broken.set(surface, why);
  }
  return broken;
}

function entryText(surfaces: readonly Surface[], broken: Broken): string {
  const listOf = (kind: Surface['kind']): string =>
    surfaces
      .filter((surface) => surface.kind === kind)
      .map((surface) => `[${text(surface.stem)}]: ${loaderText(surface, broken.get(surface))}`)
      .join(',\n');
  return (['tools', 'hooks'] as const)
    .map((kind) => `export const ${kind} = {\n__proto__: null,\n${listOf(kind)}\n};\n`)
    .join('');
}

function loaderText({ file }: Surface, failed: Failed | undefined): string {
  if (failed === undefined) return `() => import(${text(`./${file}`)})`;
  const { message, code } = failed;
  return `() => Promise.reject(Object.assign(new Error(${text(message)}), { code: ${text(code)} }))`;
}

function text(value: string): string {
  return JSON.stringify(value);
}
