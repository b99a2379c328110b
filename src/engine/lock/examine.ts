import { createHash } from 'node:crypto';
import { readPlugin } from '../../formats/discover.js';
import { hostsIn } from '../../lock/hosts.js';
import { writeKept } from '../../lock/kept.js';
import type { LockedTool } from '../../lock/lock.js';
import type { Permissions } from '../../permissions/kind.js';
import { makePermissions, NO_PERMISSIONS, scopesOf } from '../../permissions/permissions.js';
import { canonicalJson } from '../../plugin/canonical.js';
import type { Plugin } from '../../plugin/plugin.js';
import { makeEventBus } from '../../events.js';
import { makeGrants } from '../grants/grants.js';
import { install } from '../plugins/install.js';
import type { Installed } from '../plugins/installed.js';
import { openMachinery } from '../machinery.js';
import type { EngineOptions } from '../options/options.js';
import { diskReader } from '../powers/disk-reader.js';
import { readSettings } from '../options/settings.js';
import { pluginAsItIs } from './discover-locked.js';

/** A plugin as it lies there, looked at by somebody who has not decided yet. */
export interface Examined {
  readonly plugin: Plugin;
  /** What all of its entries declare. */
  readonly declared: Permissions;
  /** Its system has no place for permissions: what it needs is for the operator to say. */
  readonly undeclared: boolean;
  readonly unconfined: boolean;
  readonly bundles: Readonly<Record<string, string>>;
  readonly tools: Readonly<Record<string, LockedTool>>;
  readonly hosts: readonly string[];
  /** What is to be kept of it, and under which address. */
  readonly kept: { readonly text: string; readonly address: string };
  /** What could not be looked at, or was read otherwise than it was written. */
  readonly problems: readonly string[];
}

/**
 * Looks at a plugin: its manifest, its code, and what its tools say of themselves, for which it is
 * loaded with nobody to talk to. Throws what reading and building it throws.
 */
export async function examine(directory: string, options: EngineOptions): Promise<Examined> {
  const found = await readPlugin(diskReader, directory);
  const { plugin } = found;
  const settings = readSettings({
    ...options,
    plugins: [directory],
    env: { ...standIns(plugin), ...options.env },
    grant: withoutNetwork,
    hostMode: [],
  });
  const events = makeEventBus(Date.now);
  const machinery = await openMachinery(settings, events);
  try {
    const asItIs = await pluginAsItIs(plugin, machinery.bundle);
    const installed = await install(found, {
      ...machinery,
      settings,
      grants: makeGrants(settings.grant),
      events,
      effects: { holdFor: () => undefined },
      now: Date.now,
      onChange: () => {},
    });
    const seen = await lookAt(installed);
    const entries = plugin.entries.filter(({ surface }) => surface === 'tools');
    const bundles = Object.entries(asItIs.bundles);
    return {
      plugin,
      declared: unionOf(entries.map((entry) => entry.declared)),
      undeclared: entries.some((entry) => entry.undeclared === true),
      unconfined: entries.some(({ confinement }) => confinement === 'host'),
      bundles: Object.fromEntries(bundles.map(([key, { hash }]) => [key, hash])),
      hosts: hostsIn(bundles.map(([, { code }]) => code).join('\n')),
      kept: writeKept(asItIs),
      ...seen,
    };
  } finally {
    machinery.close();
  }
}

/** What a person grants at most without being asked about each: the union, as paper. */
export function unionOf(all: readonly Permissions[]): Permissions {
  return makePermissions((name) => [...new Set(all.flatMap((one) => scopesOf(one, name)))]);
}

/** A plugin that waits for variables is looked at with words in their places. */
function standIns({ entries, environment }: Plugin): Record<string, string> {
  const names = [
    ...entries.flatMap(({ declared }) => declared.environment),
    ...environment.map(({ name }) => name),
  ];
  return Object.fromEntries(names.map((name) => [name, 'not set']));
}

function withoutNetwork({ entries }: Plugin): Partial<Permissions> {
  const { time, random, environment } = unionOf(entries.map((entry) => entry.declared));
  return { ...NO_PERMISSIONS, time, random, environment };
}

async function lookAt(installed: Installed): Promise<Pick<Examined, 'tools' | 'problems'>> {
  try {
    const offered = installed.entries.flatMap((entry) => entry.tools);
    return {
      tools: Object.fromEntries(
        offered.map(({ listed }) => [
          listed.tool,
          {
            risk: listed.declaredRisk,
            ...(listed.requireApproval ? { asks: true as const } : {}),
            description: shortHash(`${listed.title}\n${listed.description}`),
            schema: shortHash(canonicalJson(listed.inputSchema)),
          },
        ]),
      ),
      problems: [
        ...installed.problems.map(({ message }) => message),
        ...installed.activation.reasons,
        ...installed.entries.flatMap((entry) => entry.problems.map(({ message }) => message)),
      ],
    };
  } finally {
    const rooms = installed.entries.flatMap((entry) => entry.rooms);
    await Promise.all(rooms.map((room) => room.close()));
  }
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
