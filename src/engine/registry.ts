import type { Catalog } from '../catalog/catalog.js';
import type { EventBus } from '../events.js';
import { type Discovery, readPlugins } from '../formats/discover.js';
import { formats } from '../formats/table.js';

import { inTurns } from './in-turns.js';
import { install } from './install.js';
import type { Installed } from './installed.js';
import type { Machinery } from './machinery.js';
import { diskReader } from './powers/disk-reader.js';
import type { Settings } from './settings.js';
import { brokenStatus, statusOf } from './status-of.js';
import type { PluginStatus } from './status.js';

/** The plugins an engine has, and their coming and going. */
export interface Registry {
  /** Reads what is on disk, and installs it. Loads follow one another, each whole. */
  reload(): Promise<void>;
  /** In the order in which they are registered. */
  installed(): readonly Installed[];
  status(catalog: Catalog): readonly PluginStatus[];
  /** What each format's own page of plugins shows of those that it has. */
  listing(): readonly Readonly<Record<string, unknown>>[];
  /** Ends everything that it installed. */
  close(): Promise<void>;
}

export interface RegistrySpec {
  readonly settings: Settings;
  readonly events: EventBus;
  readonly machinery: Machinery;
  readonly onChange: (installed: readonly Installed[]) => void;
}

/** Plugins that are asked at once what they offer. Each may take a processor to itself. */
const WIDTH = 4;

export function makeRegistry(spec: RegistrySpec): Registry {
  const { settings, events, machinery, onChange } = spec;
  let installed: readonly Installed[] = [];
  let discovery: Discovery = { plugins: [], problems: [] };
  let last: Promise<void> = Promise.resolve();
  let closed = false;

  const load = async (): Promise<void> => {
    if (closed) return;
    discovery = await readPlugins(diskReader, settings.plugins);
    const before = installed;
    installed = await inTurns(discovery.plugins, WIDTH, (found) =>
      install(found, { ...machinery, settings, events, now: Date.now }),
    );
    onChange(installed);
    tell(installed, discovery, events);
    for (const one of before) void retire(one);
  };

  return {
    reload: () => {
      last = last.then(load, load);
      return last;
    },
    installed: () => installed,
    status: (catalog) => [
      ...installed.map((one) => statusOf(one, catalog)),
      ...discovery.problems.map(brokenStatus),
    ],
    listing: () => installed.map(listingOf),
    close: async () => {
      closed = true;
      await last.catch(() => {});
      const ending = installed;
      installed = [];
      onChange([]);
      await Promise.all(ending.map(end));
    },
  };
}

function listingOf({
  plugin,
  activation,
  config,
  entries,
}: Installed): Readonly<Record<string, unknown>> {
  const offers = Object.fromEntries(
    entries.flatMap(({ entry, offer }) => (offer === undefined ? [] : [[entry.key, offer]])),
  );
  return formats[plugin.format].list({ plugin, activation, config, offers });
}

/** Lets a plugin that was replaced finish its calls (each has a deadline), then ends it. */
async function retire(installed: Installed): Promise<void> {
  while (installed.load.underWay > 0) {
    await new Promise((resolve) => setTimeout(resolve, RETIRE_POLL_MS));
  }
  await end(installed);
}

const RETIRE_POLL_MS = 20;

async function end({ entries }: Installed): Promise<void> {
  await Promise.all(entries.flatMap(({ rooms }) => rooms.map((room) => room.close())));
}

function tell(installed: readonly Installed[], discovery: Discovery, events: EventBus): void {
  for (const { directory, error } of discovery.problems) {
    events.emit({ type: 'plugin-refused', directory, code: error.code, message: error.message });
  }
  for (const { plugin, problems, entries } of installed) {
    const { id, directory } = plugin;
    events.emit({ type: 'plugin-found', plugin: id, directory });
    for (const { code, message } of [...problems, ...entries.flatMap((entry) => entry.problems)]) {
      events.emit({ type: 'plugin-refused', plugin: id, directory, code, message });
    }
    for (const { level, message } of entries.flatMap(({ offer }) => offer?.alerts ?? [])) {
      events.emit({ type: 'alert', plugin: id, level, message });
    }
  }
}
