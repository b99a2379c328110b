import { join } from 'node:path';
import type { Surface } from '../../plugin/plugin.js';
import { isInside } from '../own-file.js';
import type { ReadPower } from '../format.js';
import { VELLUM_LIMITS } from './limits.js';

const { maxSurfaces } = VELLUM_LIMITS;

/**
 * The files of `tools/` and `hooks/`, by name: `.ts` and `.js`, but no `.d.ts`. Of two that differ
 * in that alone the `.js` counts.
 */
export async function listSurfaces(
  power: ReadPower,
  root: string,
): Promise<{ readonly surfaces: readonly Surface[]; readonly problems: readonly string[] }> {
  const surfaces: Surface[] = [];
  const problems: string[] = [];
  for (const kind of ['tools', 'hooks'] as const) {
    const directory = join(root, kind);
    const real = await power.realpathIn(root, kind);
    if (real === undefined) continue;
    if (!isInside(root, real)) {
      problems.push(`${kind}: is a link that leads out of the plugin; it is left out`);
      continue;
    }
    const names = (await power.listDirectory(directory)) ?? [];
    for (const [stem, file] of chooseFiles(names)) {
      if ((await power.stat(join(directory, file))) !== 'file') continue;
      if (surfaces.length < maxSurfaces) surfaces.push({ kind, stem, file: `${kind}/${file}` });
      else problems.push(`${kind}/${file}: is left out, as there are ${maxSurfaces} before it`);
    }
  }
  return { surfaces, problems: problems.slice(0, 50) };
}

function chooseFiles(names: readonly string[]): ReadonlyMap<string, string> {
  const chosen = new Map<string, string>();
  for (const name of names.toSorted()) {
    const stem = SURFACE.exec(name)?.[1];
    if (stem === undefined || name.endsWith('.d.ts')) continue;
    // `.js` sorts before `.ts`.
    if (!chosen.has(stem)) chosen.set(stem, name);
  }
  return chosen;
}

// oxlint-disable-next-line no-control-regex -- exactly these characters are what is refused
const SURFACE = /^([^.\u0000-\u001f\u007f\\][^\u0000-\u001f\u007f\\]*)\.(?:js|ts)$/u;
