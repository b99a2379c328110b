import { isRecord } from '../../../sandbox/wire/json.js';
import type { CatalogTool } from '../../catalog/catalog.js';
import { didYouMean } from '../../did-you-mean.js';
import { formatNamed } from '../../formats/table.js';
import { parseScope } from '../../permissions/filesystem.js';
import { type GuestSettings, isolationOf } from '../types/guest-options.js';
import type { EngineOptions } from '../types/options.js';
import { packageNames } from '../node/package-names.js';
import { explainMissingRules } from '../node/rule-file.js';
import { explainGrants, type GrantFacts } from './grant-warnings.js';
import type { InstalledPlugin } from './installed.js';
import type { Plugin } from '../../plugin/plugin.js';

/** The part of an installed tool that an option can name. */
interface Named {
  readonly name: string;
  readonly id: string;
  readonly confinement: CatalogTool['confinement'];
  readonly category?: string;
}

/** Options that name plugins. */
type OptionsByPlugin = Pick<
  EngineOptions,
  | 'config'
  | 'rules'
  | 'packages'
  | 'packageBuilds'
  | 'hostMode'
  | 'trustHints'
  | 'remotes'
  | 'lockedPlugins'
  | 'hooks'
  | 'policy'
  | 'grant'
>;

/**
 * What the options say without effect, in sentences for the operator: names that are not there, and
 * options that the named plugin does not follow.
 */
export function explainGuestOptions(
  settings: GuestSettings & Omit<GrantFacts, 'grant'>,
  installed: readonly InstalledPlugin[],
  tools: readonly Named[],
  options: OptionsByPlugin,
): readonly string[] {
  const { replicas, isolation, background, trustGroups, idempotent, record } = settings;
  const ids = installed.map(({ plugin }) => plugin.id);
  const { config, packages, packageBuilds, hostMode, trustHints, remotes } = options;
  const { lockedPlugins = [], hooks = {}, policy = {}, rules } = options;
  const { allowedTools = [], blockedTools = [], allowedToolCategories = [] } = policy;
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
    ...(rules === undefined ? [] : explainMissingRules(rules)),
    ...unknown('replicas', Object.keys(replicas), ids),
    ...unknown('isolation', Object.keys(isolation), ids),
    ...unknown('background', background, ids),
    ...unknown('trustGroups', Object.values(trustGroups).flat(), ids),
    ...unknown('config', keysOf(config), all),
    ...installed.flatMap((one) => explainConfig(one, config)),
    ...unknown('packages', keysOf(packages), ids),
    ...unknown('packageBuilds', keysOf(packageBuilds), ids),
    ...installed.flatMap((one) => explainBuilds(one, packageBuilds)),
    ...unknown('lockedPlugins', lockedPlugins, ids),
    ...unknown(
      'hooks.semantics',
      typeof hooks.semantics === 'object' ? keysOf(hooks.semantics) : [],
      ids,
    ),
    ...unknown('policy.allowedTools', allowedTools, names),
    // A misspelt name would not block the tool.
    ...unknown('policy.blockedTools', blockedTools, names),
    ...unknown(
      'policy.allowedToolCategories',
      allowedToolCategories,
      tools.flatMap(({ category }) => category ?? []),
    ),
    ...unknown('hostMode', hostMode ?? [], ids),
    ...unknown('trustHints', trustHints ?? [], all),
    // guard: unknown-idempotent-tool-told
    ...unknown('idempotent', idempotent, names),
    ...unknown('record', record, names),
    ...tools
      .filter((tool) => isNamed(tool, record) && tool.confinement !== 'compartment')
      .map(({ id }) => `The option record has no effect on ${id}: it runs outside a compartment.`),
    ...installed.flatMap((one) => explainOne(one, settings)),
    ...explainGrants({ ...settings, grant: options.grant }, installed),
  ];
}

function isNamed({ name, id }: Named, given: readonly string[]): boolean {
  return given.includes(name) || given.includes(id);
}

function notThere(option: string, name: string, known: readonly string[]): string {
  const meant = didYouMean(name, known);
  const what = NOT_PLUGINS[option] ?? 'plugin';
  const hint = meant === undefined ? '' : ` Did you mean ${JSON.stringify(meant)}?`;
  return `The option ${option} names ${JSON.stringify(name)}, and there is no such ${what}.${hint}`;
}

/** What an option names, if not plugins. */
const NOT_PLUGINS: Readonly<Record<string, string>> = {
  idempotent: 'tool',
  record: 'tool',
  'policy.allowedTools': 'tool',
  'policy.blockedTools': 'tool',
  'policy.allowedToolCategories': 'category',
};

/** Fields of a plugin's configuration that it does not declare, if it declares any. */
function explainConfig(
  { plugin: { id, config: fields, configSchema, configDefaults = {} } }: InstalledPlugin,
  config: OptionsByPlugin['config'] = {},
): readonly string[] {
  if (typeof config === 'function' || !Object.hasOwn(config, id)) return [];
  const {
    properties = {},
    additionalProperties = false,
    patternProperties,
  } = schemaOf(configSchema);
  const known = [
    ...fields.map(({ key }) => key),
    ...Object.keys(configDefaults),
    ...(isRecord(properties) ? Object.keys(properties) : []),
  ];
  const isOpen = additionalProperties !== false || patternProperties !== undefined;
  if (known.length === 0 || isOpen) return [];
  const there = new Set([...known, ...OWN_FIELDS]);
  return Object.keys(config[id] ?? {})
    .filter((key) => !there.has(key))
    .map((key) => {
      const meant = didYouMean(key, [...there]);
      const hint = meant === undefined ? '' : ` Did you mean ${JSON.stringify(meant)}?`;
      return `The option config[${JSON.stringify(id)}] has ${JSON.stringify(key)}, which ${id} does not declare.${hint}`;
    });
}

function schemaOf(document: Plugin['configSchema']): Readonly<Record<string, unknown>> {
  const schema = document?.schema;
  return isRecord(schema) ? schema : {};
}

/** Fields of a configuration that the engine reads itself. */
const OWN_FIELDS = ['enabled', 'requireApproval', 'installScope', 'installedFor'];

/** A build that is chosen for a package which the plugin does not have. */
function explainBuilds(
  { plugin: { id, directory } }: InstalledPlugin,
  packageBuilds: OptionsByPlugin['packageBuilds'] = {},
): readonly string[] {
  const chosen = Object.hasOwn(packageBuilds, id) ? Object.keys(packageBuilds[id] ?? {}) : [];
  const known = chosen.length === 0 ? undefined : packageNames(directory);
  if (known === undefined) return [];
  return chosen
    .filter((name) => !known.includes(name))
    .map((name) => {
      const meant = didYouMean(name, known);
      const hint = meant === undefined ? '' : ` Did you mean ${JSON.stringify(meant)}?`;
      return `The option packageBuilds names the package ${JSON.stringify(name)}, which ${id} does not have.${hint}`;
    });
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
