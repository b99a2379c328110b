import type { FoundPlugin } from '../../formats/format.js';
import { beginPlugin, shutDown } from '../entry/begin-and-end.js';
import { decide, install, type InstallPowers } from './install.js';
import type { Installed, InstalledEntry } from './installed.js';

/** Takes plugins from what they were to what is on disk now. */
export interface Turnover {
  /**
   * The plugin as it is to run from now on: the very same, where nothing of it has changed; as it was,
   * with a problem, where what is there now cannot be built; else what is there now. It begins once
   * `before` has shut down.
   */
  renew(before: Installed | undefined, found: FoundPlugin): Promise<Installed>;
}

export function makeTurnover(powersFor: (found: FoundPlugin) => InstallPowers): Turnover {
  /** The variables of plugins as they were when these were installed. */
  const variables = new WeakMap<Installed['entries'], string>();

  const isSame = async (
    before: Installed,
    found: FoundPlugin,
    powers: InstallPowers,
  ): Promise<boolean> => {
    const { plugin, activation, config, problems } = before;
    const entries = before.entries.filter(({ rooms }) => rooms.length > 0);
    return (
      before.stale === undefined &&
      // Whoever reads it again gives one that crashed too often another chance.
      before.quarantine.alert() === undefined &&
      sameJson({ activation, config, problems }, decide(found, powers.settings)) &&
      sameJson(plugin, found.plugin) &&
      // What was checked does not show itself in JSON.
      sameJson(plugin.configSchema?.schema, found.plugin.configSchema?.schema) &&
      entries.length === (activation.config === null ? 0 : before.entries.length) &&
      variables.get(before.entries) === variablesOf(before.entries, powers.settings.env) &&
      (await allHold(entries, (entry) => isSameEntry(entry, found, powers)))
    );
  };

  return {
    renew: async (before, found) => {
      const powers = powersFor(found);
      const { settings } = powers;
      if (before !== undefined && (await isSame(before, found, powers))) return before;
      const next = await install(found, powers);
      variables.set(next.entries, variablesOf(next.entries, settings.env));
      if (before !== undefined) {
        if (isRunning(before) && isBroken(next)) return staleAs(before, next);
        await shutDown([before], next.activation.config === null ? 'disable' : 'reload');
      }
      if (settings.hooks.init !== 'register') return next;
      const begun = await beginPlugin(next);
      if (begun !== next) variables.set(begun.entries, variablesOf(next.entries, settings.env));
      return begun;
    },
  };
}

async function isSameEntry(
  { rooms: [room], entry }: InstalledEntry,
  { plugin }: FoundPlugin,
  { grants, bundle }: InstallPowers,
): Promise<boolean> {
  const written = plugin.entries.find(({ key }) => key === entry.key);
  if (room === undefined || written === undefined) return false;
  const now = grants.request(plugin, written);
  if (!sameJson(grants.of(plugin, now).permissions, room.grant.permissions)) return false;
  const hash = await bundle(plugin, now).then(
    (made) => made.hash,
    () => undefined,
  );
  return hash === room.bundle.hash;
}

function isRunning({ entries }: Installed): boolean {
  return entries.some(({ rooms }) => rooms.length > 0);
}

/** Whether all of it failed to be built or read. */
function isBroken(next: Installed): boolean {
  return (
    next.entries.length > 0 &&
    next.activation.config !== null &&
    next.entries.every(
      ({ rooms, problems }) => rooms.length === 0 && problems.some(({ code }) => UNBUILT.has(code)),
    )
  );
}

const UNBUILT: ReadonlySet<string> = new Set([
  'BUNDLE_FAILED',
  'OUTSIDE_PLUGIN',
  'SES_INCOMPATIBLE',
  'LOAD_FAILED',
]);

/** The last good version goes on, and says what is wrong with the one that came after it. */
function staleAs(before: Installed, next: Installed): Installed {
  return {
    ...before,
    stale: [...next.problems, ...next.entries.flatMap(({ problems }) => problems)],
  };
}

/** What the plugin was granted of the host's variables, with their values. */
function variablesOf(
  entries: Installed['entries'],
  env: Readonly<Record<string, string | undefined>>,
): string {
  const names = entries.flatMap(({ effective }) => effective.environment);
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
