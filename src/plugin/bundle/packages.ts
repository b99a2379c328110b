import { isRecord } from '../../../sandbox/wire/json.js';
import type { Bundle, BundledPackage } from '../plugin.js';
import { packageOf } from '../package-path.js';
import type { PluginFiles } from './files.js';

/** The npm packages that bundled files belong to, by the package.json of each. Sorted by directory. */
export function packagesOf(
  inputs: Bundle['inputs'],
  files: PluginFiles,
): readonly BundledPackage[] {
  const directories = new Set(inputs.flatMap(({ path }) => packageOf(path) ?? []));
  return [...directories].toSorted().map((path) => {
    const [, name = path] = /node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? [];
    return { name, path, ...describe(`${path}/package.json`, files) };
  });
}

/** Characters of a version or a licence. Longer ones are not valid. */
const MAX_CHARACTERS = 200;

function describe(file: string, files: PluginFiles): Pick<BundledPackage, 'version' | 'license'> {
  try {
    const located = files.locate(file);
    if (located?.kind !== 'file') return {};
    const fields: unknown = JSON.parse(files.read(located.path));
    if (!isRecord(fields)) return {};
    const { version, license } = fields;
    return { ...textField('version', version), ...textField('license', license) };
  } catch {
    // A package without a readable package.json is listed by its directory.
    return {};
  }
}

function textField(name: 'version' | 'license', value: unknown): object {
  const isText = typeof value === 'string' && value !== '' && value.length <= MAX_CHARACTERS;
  return isText ? { [name]: value } : {};
}
