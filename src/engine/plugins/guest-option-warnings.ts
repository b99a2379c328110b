import type { CatalogTool } from '../../catalog/catalog.js';
import { didYouMean } from '../../did-you-mean.js';
import { formatNamed } from '../../formats/table.js';
import { parseScope } from '../../permissions/filesystem.js';
import { type GuestSettings, isolationOf } from '../types/guest-options.js';
import type { EngineOptions } from '../types/options.js';
import type { InstalledPlugin } from './installed.js';

/** The part of an installed tool that an option can name. */
interface Named {
  readonly name: string;
  readonly id: string;
  readonly confinement: CatalogTool['confinement'];
}

/** Options that name plugins. */
type OptionsByPlugin = Pick<
  EngineOptions,
  'config' | 'packages' | 'packageBuilds' | 'hostMode' | 'trustHints' | 'remotes'
>;

/**
 * What the options about guests say without effect, in sentences for the operator: names that are not
 * installed, and options that the named plugin does not follow.
 */
export function explainGuestOptions(
  settings: GuestSettings,
  installed: readonly InstalledPlugin[],
  tools: readonly Named[],
  options: OptionsByPlugin,
): readonly string[] {
  const { replicas, isolation, background, trustGroups, idempotent, record } = settings;
  const ids = installed.map(({ plugin }) => plugin.id);
  const { config, packages, packageBuilds, hostMode, trustHints, remotes } = options;
  const keysOf = (byId: object = {}): string[] => Object.keys(byId).filter((id) => id !== '*');
  const all = [...ids, ...(remotes ?? []).flatMap(({ id }) => id ?? [])];
  const names = tools.flatMap(({ name, id }) => [name, id]);
  const unknown = (
    option: string,
    given: readonly string[],
    known: readonly string[],
  ): readonly string[] => {
    const there = new Set(known);
    return given.filter((name) => !there.has(name)).map((name) => notThere(option, name, known));
  };
  return [
    ...unknown('replicas', Object.keys(replicas), ids),
    ...unknown('isolation', Object.keys(isolation), ids),
    ...unknown('background', background, ids),
    ...unknown('trustGroups', Object.values(trustGroups).flat(), ids),
    ...unknown('config', keysOf(config), all),
    ...unknown('packages', keysOf(packages), ids),
    ...unknown('packageBuilds', keysOf(packageBuilds), ids),
    ...unknown('hostMode', hostMode ?? [], ids),
    ...unknown('trustHints', trustHints ?? [], all),
    // guard: unknown-idempotent-tool-told
    ...unknown('idempotent', idempotent, names),
    ...unknown('record', record, names),
    ...tools
      .filter((tool) => isNamed(tool, record) && tool.confinement !== 'compartment')
      .map(({ id }) => `The option record has no effect on ${id}: it runs outside a compartment.`),
    ...installed.flatMap((one) => explainOne(one, settings)),
  ];
}

function isNamed({ name, id }: Named, given: readonly string[]): boolean {
  return given.includes(name) || given.includes(id);
}

function notThere(option: string, name: string, known: readonly string[]): string {
  const meant = didYouMean(name, known);
  const what = option === 'idempotent' || option === 'record' ? 'tool' : 'plugin';
  const hint = meant === undefined ? '' : ` Did you mean ${JSON.stringify(meant)}?`;
  return `The option ${option} names ${JSON.stringify(name)}, and there is no such ${what}.${hint}`;
}

function explainOne(
  { plugin, entries }: InstalledPlugin,
  settings: GuestSettings,
): readonly string[] {
  const { id, format, stateless = false } = plugin;
  const told: string[] = [];
  if (Object.hasOwn(settings.replicas, id)) {
    if (formatNamed(format).registersAtRunTime === true) {
      told.push(`The option replicas has no effect on ${id}: it registers at run time.`);
    } else if (!stateless) {
      told.push(
        `${id} may have several guests (replicas), each with a memory of its own. Its manifest does not say that it is stateless.`,
      );
    }
  }
  const isWritable = entries.some(({ entry }) =>
    entry.declared.fs.some((scope) => parseScope(scope).isWritable),
  );
  if (isWritable && isolationOf(settings, id) !== 'plugin') {
    told.push(
      `${id} reads its mounts and does not write to them: its tenants would share what it writes (isolation).`,
    );
  }
  return told;
}
