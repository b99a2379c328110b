import type { Bundle, BundledPackage } from '../plugin.js';
import type { PluginModel } from './model.js';

/**
 * The software bill of materials (CycloneDX 1.6): the plugin, the npm packages in its builds, and each source
 * file with its sha512. It has no time and no serial number, because equal code must give an equal artifact.
 */
export function sbomOf(plugin: PluginModel, bundles: readonly Bundle[]): object {
  const packages = uniqueBy(
    bundles.flatMap((bundle) => bundle.packages),
    (one) => one.path,
  );
  const files = uniqueBy(
    bundles.flatMap((bundle) => bundle.inputs),
    (one) => one.path,
  );
  const root = `plugin:${plugin.id}`;
  const refOf = (one: BundledPackage): string => `package:${one.path}`;
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': root,
        name: plugin.id,
        ...(plugin.version === undefined ? {} : { version: plugin.version }),
      },
    },
    components: [
      ...packages.map((one) => ({
        type: 'library',
        'bom-ref': refOf(one),
        name: one.name,
        ...(one.version === undefined ? {} : { version: one.version }),
        ...(one.version === undefined ? {} : { purl: purlOf(one.name, one.version) }),
        ...(one.license === undefined ? {} : { licenses: [{ license: { name: one.license } }] }),
      })),
      ...files.map(({ path, hash }) => ({
        type: 'file',
        'bom-ref': `file:${path}`,
        name: path,
        hashes: [{ alg: 'SHA-512', content: hexOf(hash) }],
      })),
    ],
    dependencies: [{ ref: root, dependsOn: packages.map(refOf) }],
  };
}

/** A package URL: `pkg:npm/%40scope/name@1.0.0`. */
function purlOf(name: string, version: string): string {
  return `pkg:npm/${name.split('/').map(encodeURIComponent).join('/')}@${encodeURIComponent(version)}`;
}

function hexOf(integrity: string): string {
  return Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex');
}

function uniqueBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  const byKey = new Map(items.map((item) => [keyOf(item), item]));
  return [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}
