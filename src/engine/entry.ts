import type { GuestGrant, LoadParams } from '../../sandbox/wire/methods.js';
import { snapshotEnvironment } from '../brokers/environment.js';
import type { Grant } from '../permissions/grant.js';
import type { Bundle, PluginEntry } from '../plugin/plugin.js';
import { makeStackMapper } from '../plugin/source-map.js';
import { openBrokers } from './brokers.js';
import type { EntrySpec } from './entry-spec.js';
import { GUEST_LIMITS } from './limits.js';
import { makeResident, type Resident } from './resident.js';
import { makeService } from './service.js';
import type { Settings } from './settings.js';
import { makeTenancy } from './tenancy.js';

/** An entry that can be called: bundled, granted, with the powers it was granted opened. */
export interface OpenEntry {
  readonly entry: PluginEntry;
  readonly grant: Grant;
  readonly bundle: Bundle;
  readonly resident: Resident;
  /** Turns a stack from the guest into the plugin's own source lines. */
  readonly mapStack: (stack: string) => string;
  /** Ends its guest and its brokers. */
  close(): Promise<void>;
}

export function openEntry(spec: EntrySpec): OpenEntry {
  const { plugin, entry, grant, bundle, settings, events } = spec;
  const sourceUrl = `${plugin.id}/${entry.key}.js`;
  const mapStack = makeStackMapper(sourceUrl, bundle.sourceMap);
  const { brokers, close } = openBrokers(spec);
  const resident = makeResident({
    plugin: plugin.id,
    entry: entry.key,
    bundleHash: bundle.hash,
    take: makeTenancy(spec),
    validator: spec.validator,
    load: () => loadParams(spec, sourceUrl),
    service: makeService({
      plugin: plugin.id,
      brokers,
      events,
      maxLogLinesPerSecond: settings.limits.maxLogLinesPerSecond,
      now: spec.now,
      mapStack,
    }),
    loadTimeoutMs: settings.limits.loadTimeoutMs,
    graceMs: settings.limits.graceMs,
    events,
  });
  return {
    entry,
    grant,
    bundle,
    resident,
    mapStack,
    close: async () => {
      resident.end({ cause: 'closed', detail: 'the engine let go of its plugin' });
      await close();
    },
  };
}

function loadParams(spec: EntrySpec, sourceUrl: string): LoadParams {
  const { plugin, entry, grant, bundle, config, settings } = spec;
  return {
    plugin: { id: plugin.id, manifest: plugin.manifest },
    grant: guestGrant(grant, settings.env),
    limits: { ...GUEST_LIMITS, maxResultBytes: settings.limits.maxResultBytes },
    dialect: entry.dialect,
    code: bundle.code,
    sourceUrl,
    assignedGlobals: bundle.assignedGlobals,
    config,
    ...(entry.confinement === 'host' ? { directory: plugin.directory } : {}),
  };
}

function guestGrant({ permissions }: Grant, env: Settings['env']): GuestGrant {
  const { time, random, network, filesystem, environment } = permissions;
  return {
    time,
    random,
    network: network.length > 0,
    filesystem: filesystem.length > 0,
    environment: environment.length > 0 ? snapshotEnvironment(environment, env) : undefined,
  };
}
