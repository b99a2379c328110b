import { join } from 'node:path';
import { BulkheadError } from '../../errors.js';
import type { Plugin } from '../../plugin/plugin.js';
import type { FoundPlugin, ReadPower } from '../format.js';
import { readOwnFile } from '../own-file.js';
import { type Declaration, readDeclaration } from './declared.js';
import { readEdition } from './edition.js';
import { identityOf } from './identity.js';
import { VELLUM_LIMITS } from './limits.js';
import { readInstalledAt } from './installed-at.js';
import { MANIFEST_FILE, parsePackage, PLUGIN_API, type VellumPackage } from './package.js';
import { CREDENTIALS, type Needs, readNeeds } from './needs.js';
import { listSurfaces } from './surfaces.js';

/** The file that switches a plugin off. */
const DISABLED_FILE = '.disabled';

/**
 * Reads the plugin in a directory: its `package.json` and the names of its files. Throws
 * `INVALID_MANIFEST` where that is no package with a name that can be a plugin's.
 */
export async function readVellum(power: ReadPower, root: string): Promise<FoundPlugin> {
  const written = await readPackage(power, root);
  const { edition, problems } = readEdition(written);
  const id = identityOf(written.name, root, edition);
  if (id === undefined) {
    const problem = `name: ${JSON.stringify(written.name.slice(0, 200))} is no plugin's; write one of a-z, 0-9 and single "-", like "my-plugin"`;
    throw invalid(root, [problem]);
  }
  const { surfaces, problems: left } = await listSurfaces(power, root);
  const needs = readNeeds(written);
  const declaration = withCredentials(readDeclaration(written.bulkhead), needs);
  const installedAtMs = await readInstalledAt(power, root);
  const isDisabled = (await power.stat(join(root, DISABLED_FILE))) !== undefined;
  const plugin: Plugin = {
    id,
    format: 'vellum',
    directory: root,
    manifest: MANIFEST_FILE,
    name: written.displayName ?? written.name,
    version: written.version,
    description: written.description,
    about: written.about,
    // A plugin may offer other things alone, that are none of an engine's.
    entries:
      surfaces.length === 0
        ? []
        : [
            {
              key: 'plugin',
              surface: 'tools',
              file: MANIFEST_FILE,
              surfaces,
              virtualModules: [PLUGIN_API],
              dialect: 'vellum',
              edition,
              confinement: 'compartment',
              ...declaration.entry,
              requireApproval: false,
            },
          ],
    environment: [],
    config: [],
    ...needs.plugin,
    ...(installedAtMs === undefined ? {} : { installedAtMs }),
    ...(isDisabled ? { disabled: `it is disabled; remove the file ${DISABLED_FILE} from it` } : {}),
  };
  return { plugin, problems: [...problems, ...left, ...declaration.problems, ...needs.problems] };
}

/** Who needs a credential asks to be handed it. */
function withCredentials({ entry, problems }: Declaration, { plugin }: Needs): Declaration {
  const { declared } = entry;
  if (plugin.credentials === undefined || declared.powers.includes(CREDENTIALS)) {
    return { entry, problems };
  }
  const powers = [...declared.powers, CREDENTIALS];
  return { entry: { ...entry, declared: { ...declared, powers } }, problems };
}

async function readPackage(power: ReadPower, root: string): Promise<VellumPackage> {
  const text = await readOwnFile(power, root, MANIFEST_FILE, VELLUM_LIMITS.maxManifestBytes);
  const result =
    text === undefined ? ({ ok: false, problems: ['is missing'] } as const) : parsePackage(text);
  if (!result.ok) throw invalid(root, result.problems);
  return result.value;
}

function invalid(root: string, problems: readonly string[]): BulkheadError {
  const file = join(root, MANIFEST_FILE);
  return new BulkheadError(
    'INVALID_MANIFEST',
    `${file} is not a plugin's package: ${problems.join('; ')}.`,
    { file, problems },
  );
}
