import type { FoundPlugin } from '../../formats/format.js';
import { initPlugin, shutDown } from './init-and-shutdown.js';
import { decide, install, type InstallCapabilities } from './install.js';
import type { InstalledEntry, InstalledPlugin } from './installed.js';

/** Brings plugins in line with what is on disk. */
export interface Reconciler {
  /**
   * Returns the plugin that runs from now on. If nothing changed, this is `before`. If the version
   * on disk cannot be built, it is `before` with a problem. Otherwise it is the new version, which
   * starts after `before` has shut down.
   */
  renew(before: InstalledPlugin | undefined, found: FoundPlugin): Promise<InstalledPlugin>;
}

export function makeReconciler(
  capabilitiesFor: (found: FoundPlugin) => InstallCapabilities,
): Reconciler {
  /** The variables' values when the plugins were installed. */
  const variables = new WeakMap<InstalledPlugin['entries'], string>();

  const isSame = async (
    before: InstalledPlugin,
    found: FoundPlugin,
    capabilities: InstallCapabilities,
  ): Promise<boolean> => {
    const { settings } = capabilities.services;
    const { plugin, activation, config, problems } = before;
    const entries = before.entries.filter(({ instances }) => instances.length > 0);
    return (
      before.stale === undefined &&
      // A reload gives a plugin in quarantine another chance.
      before.quarantine.alert() === undefined &&
      sameJson({ activation, config, problems }, decide(found, settings)) &&
      sameJson(plugin, found.plugin) &&
      // The checked form of a schema does not appear in JSON.
      sameJson(plugin.configSchema?.schema, found.plugin.configSchema?.schema) &&
      entries.length === (activation.config === null ? 0 : before.entries.length) &&
      variables.get(before.entries) === variablesOf(before.entries, settings.env) &&
      (await allHold(entries, (entry) => isSameEntry(entry, found, capabilities)))
    );
  };

  return {
    renew: async (before, found) => {
      const capabilities = capabilitiesFor(found);
      const { settings } = capabilities.services;
      if (before !== undefined && (await isSame(before, found, capabilities))) return before;
      const next = await install(found, capabilities);
      variables.set(next.entries, variablesOf(next.entries, settings.env));
      if (before !== undefined) {
        if (isRunning(before) && isBroken(next)) return staleAs(before, next);
        await shutDown([before], next.activation.config === null ? 'disable' : 'reload');
      }
      if (settings.hooks.init !== 'register') return next;
      const begun = await initPlugin(next);
      if (begun !== next) variables.set(begun.entries, variablesOf(next.entries, settings.env));
      return begun;
    },
  };
}

async function isSameEntry(
  { instances: [instance], entry }: InstalledEntry,
  { plugin }: FoundPlugin,
  { grants, build }: InstallCapabilities,
): Promise<boolean> {
  const written = plugin.entries.find(({ key }) => key === entry.key);
  if (instance === undefined || written === undefined) return false;
  const now = grants.request(plugin, written);
  if (!sameJson(grants.of(plugin, now).permissions, instance.grant.permissions)) return false;
  const hash = await build(plugin, now).then(
    (made) => made?.hash,
    () => undefined,
  );
  return hash === instance.bundle.hash;
}

function isRunning({ entries }: InstalledPlugin): boolean {
  return entries.some(({ instances }) => instances.length > 0);
}

/** Whether all entries failed to build or load. */
function isBroken(next: InstalledPlugin): boolean {
  return (
    next.entries.length > 0 &&
    next.activation.config !== null &&
    next.entries.every(
      ({ instances, problems }) =>
        instances.length === 0 && problems.some(({ code }) => UNBUILT.has(code)),
    )
  );
}

const UNBUILT: ReadonlySet<string> = new Set([
  'BUNDLE_FAILED',
  'OUTSIDE_PLUGIN',
  'SES_INCOMPATIBLE',
  'LOAD_FAILED',
  // The machine may be busy, or the new version loops. Nothing says that the old one is worse.
  'DEADLINE_EXCEEDED',
  'GUEST_START_FAILED',
  'GUEST_CRASHED',
  'GUEST_KILLED',
  'GUEST_OUT_OF_MEMORY',
  'GUEST_OUT_OF_CPU',
  'STOPPED',
]);

/** The last good version continues. It reports the problems of the newer version. */
function staleAs(before: InstalledPlugin, next: InstalledPlugin): InstalledPlugin {
  return {
    ...before,
    stale: [...next.problems, ...next.entries.flatMap(({ problems }) => problems)],
  };
}

/** The granted variables with their values. */
function variablesOf(
  entries: InstalledPlugin['entries'],
  env: Readonly<Record<string, string | undefined>>,
): string {
  const names = entries.flatMap(({ effective }) => effective.env);
  return JSON.stringify(names.map((name) => [name, env[name] ?? null]));
}

function sameJson(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

async function allHold<Item>(
  items: readonly Item[],
  holds: (item: Item) => Promise<boolean>,
): Promise<boolean> {
  for (const item of items) if (!(await holds(item))) return false;
  return true;
}
