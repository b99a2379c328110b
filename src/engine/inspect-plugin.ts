import { makeStores } from '../brokers/storage/store.js';
import { OPEN_GATE } from '../stops/gate.js';
import type { PackageGrant } from '../../sandbox/wire/methods.js';
import { makeMountUse } from '../brokers/filesystem/mount-use.js';
import { makeServerNotices } from './instance/server-notices.js';
import { createHash } from 'node:crypto';
import { isAbsolute } from 'node:path';
import type { JsonObject } from '../../sandbox/wire/messages.js';
import type { UnnamedTool } from '../catalog/catalog.js';
import { BulkheadError, isBulkheadError, messageOf } from '../errors.js';
import { makeEventBus } from '../events.js';
import { readPlugin } from '../formats/discover.js';
import { hostsIn, type ToolTexts } from '../lock/changes.js';
import type { LockedTool } from '../lock/lock.js';
import { unionOfRequests } from '../permissions/choice.js';
import type { PermissionName, Permissions } from '../permissions/kind.js';
import { NO_PERMISSIONS, unionOf } from '../permissions/permissions.js';
import { canonicalJson } from '../canonical.js';
import { type Artifact, buildKey, makeArtifact } from '../plugin/artifact/artifact.js';
import type { Bundle, Plugin } from '../plugin/plugin.js';
import { formatNamed } from '../formats/table.js';
import { diskReader } from './node/disk-reader.js';
import { hashFileTree } from './node/file-tree.js';
import { openReviewScratch, type Scratch } from './node/scratch-stores.js';
import { readPackIn } from './node/lock-files.js';
import { buildCurrent, readPack } from './plugins/find-plugins.js';
import { makeGrants } from './plugins/grants.js';
import { makeDenialLog } from './plugins/denial-log.js';
import { type InspectedPackage, inspectPackages } from './plugins/inspected-packages.js';
import { install } from './plugins/install.js';
import type { InstalledPlugin } from './plugins/installed.js';
import { openEngineRuntime } from './runtime.js';
import { readSettings } from './settings.js';
import { PROGRAM_MEMORY_MB, storageLimitsOf } from './types/limits.js';
import type { EngineOptions } from './types/options.js';
import type { PluginProblem } from './types/status.js';
import { withoutDefaultDates } from '../remotes/default-dates.js';

/** A plugin's current content on disk, for the operator's review before acceptance. */
export interface Inspection {
  readonly plugin: Plugin;
  /** The union of what its entries declare. */
  readonly declared: Permissions;
  /** The kinds that its format cannot declare: `true` for all. The operator has to name them. */
  readonly undeclared: true | readonly PermissionName[];
  /** It runs only without a compartment. */
  readonly unconfined: boolean;
  /** Tools that require Node, without a compartment. The other tools run without them. */
  readonly hostTools: readonly string[];
  readonly tools: Readonly<Record<string, InspectedTool>>;
  readonly hosts: readonly string[];
  /** Its npm packages, by directory, if it was built to run them separately. */
  readonly packages?: Readonly<Record<string, InspectedPackage>>;
  /** Everything that can run. */
  readonly artifact: Artifact;
  /** The signature of its pack, a DSSE envelope. It is not verified. Absent: not packed, or not signed. */
  readonly envelope?: string;
  /** The hash of the files in its directory, if it is a program, which may read them. */
  readonly files?: string;
  /** What could not be inspected, or was interpreted differently from how it is written. */
  readonly problems: readonly string[];
  /** Those of its code, with their codes and places. `problems` has their messages too. */
  readonly faults: readonly PluginProblem[];
  /** Why it would be inactive without more configuration. `problems` has these too. */
  readonly inactive: readonly string[];
}

/** A tool as its plugin describes it. */
export interface InspectedTool extends LockedTool {
  readonly texts: ToolTexts;
}

/** What a plugin gets besides its own request while it is inspected. */
export interface InspectionSetting {
  /**
   * Variables that the operator may grant. They have the values of the operator's environment, else
   * placeholders. Default: none.
   */
  readonly variables?: readonly string[];
  /** The plugin's configuration. Default: none. */
  readonly config?: JsonObject;
}

/**
 * Inspects a plugin's manifest, code and tool definitions. A packed plugin is inspected by its artifact. To list the
 * tools, it loads the plugin without network access, and with a storage that is removed afterwards.
 * Throws the errors of reading and building the plugin, and `INVALID_ARTIFACT`.
 */
export async function inspectPlugin(
  directory: string,
  options: EngineOptions,
  setting: InspectionSetting = {},
): Promise<Inspection> {
  const real = (await diskReader.realpath(directory)) ?? directory;
  // An operator who names a file means a pack, so its errors say why it is not one.
  const pack = readPack({ readPack: readPackIn }, real);
  if (pack?.pack === undefined) return inspectSources(directory, options, setting);
  const { artifact, envelope } = pack.pack;
  const plugin = { ...artifact.plugin, directory: real };
  const inspected = await inspectArtifact(plugin, artifact, [], options, setting);
  return { ...inspected, ...(envelope === undefined ? {} : { envelope }) };
}

/** Inspects a plugin by its sources, also if it has a pack. */
export async function inspectSources(
  directory: string,
  options: EngineOptions,
  setting: InspectionSetting = {},
): Promise<Inspection> {
  const { plugin, problems } = await readPlugin(diskReader, directory);
  const settings = readSettings({ ...options, plugins: [] });
  const runtime = await openEngineRuntime(settings, makeEventBus(Date.now));
  try {
    const { bundles } = await buildCurrent(plugin, [], runtime.build);
    const confined = makeArtifact(plugin, bundles);
    const inspected = await inspectArtifact(plugin, confined, problems, options, setting);
    if (inspected.hostTools.length === 0) return inspected;
    const hosts = plugin.entries.map((entry) => buildKey({ ...entry, confinement: 'host' }));
    const all = await buildCurrent(plugin, hosts, runtime.build);
    return {
      ...inspected,
      artifact: makeArtifact(plugin, all.bundles),
      hosts: hostsInAll(all.bundles),
    };
  } finally {
    await runtime.close();
  }
}

/** Inspects the code of an artifact, without network access and without the files that it stored. */
export async function inspectArtifact(
  plugin: Plugin,
  artifact: Artifact,
  problems: readonly string[],
  options: EngineOptions,
  setting: InspectionSetting = {},
): Promise<Inspection> {
  // Many servers make a directory for their logs before they answer.
  const scratch = openReviewScratch();
  try {
    return await inspectIn(scratch, { plugin, artifact, problems }, options, setting);
  } finally {
    scratch.remove();
  }
}

async function inspectIn(
  scratch: Scratch,
  { plugin, artifact, problems }: Pick<Inspection, 'plugin' | 'artifact' | 'problems'>,
  options: EngineOptions,
  { variables = [], config }: InspectionSetting,
): Promise<Inspection> {
  const { lockFile: _, ...rest } = options;
  const packages = inspectPackages(Object.values(artifact.bundles));
  const settings = readSettings({
    ...rest,
    plugins: [],
    limits: { ...(isProgram(plugin) ? PROGRAM_LIMITS : {}), ...options.limits },
    env: { ...standIns(plugin, variables), ...options.env },
    grant: (one) => withoutNetwork(one, variables),
    ...(config === undefined ? {} : { config: () => config }),
    packages:
      packages === undefined ? {} : { [plugin.id]: { grant: listing(packages, variables) } },
    // Tools that require Node are listed. Nothing is called, so no code runs without a compartment.
    hostMode: plugin.entries.some(({ confinement }) => confinement === 'host') ? [] : [plugin.id],
  });
  const events = makeEventBus(Date.now);
  const runtime = await openEngineRuntime(settings, events);
  try {
    const { guests, contributions, scheduler } = runtime;
    // guard: inspected-without-its-storage
    const stores = makeStores(scratch.subdirectory('storage'), storageLimitsOf(settings.limits));
    const installed = await install(
      { plugin, problems, artifact },
      {
        services: {
          settings,
          events,
          guests,
          stores,
          written: () => undefined,
          mountUse: makeMountUse,
          notices: makeServerNotices(),
          live: () => ({ name: 'live' }),
          lifecycleOf: () => undefined,
          stops: OPEN_GATE,
          now: Date.now,
        },
        grants: makeGrants(settings.grant),
        contributions,
        scheduler,
        denials: makeDenialLog(events),
        // A tool's second build is not needed to describe the tool.
        build: (_plugin, { key, confinement }) =>
          Promise.resolve(
            artifact.bundles[buildKey({ key, confinement })] ?? artifact.bundles[key],
          ),
        onChange: () => {},
      },
    );
    const inspected = await describeTools(installed);
    const entries = plugin.entries.filter(({ surface }) => surface === 'tools');
    return {
      plugin,
      ...unionOfRequests(entries),
      unconfined: entries.some(({ confinement }) => confinement === 'host'),
      hosts: hostsInAll(artifact.bundles),
      ...(packages === undefined ? {} : { packages }),
      artifact,
      ...(await filesOf(plugin)),
      ...inspected,
    };
  } finally {
    await runtime.close();
  }
}

const PROGRAM_LIMITS = { memoryMb: PROGRAM_MEMORY_MB };

function isProgram({ format }: Pick<Plugin, 'format'>): boolean {
  return formatNamed(format).arePrograms === true;
}

/**
 * The files that a program may read. Other plugins name those that they read, as permissions. Throws if they cannot
 * be pinned: without a hash, all of them would be readable.
 */
async function filesOf({ format, directory }: Plugin): Promise<Pick<Inspection, 'files'>> {
  if (!isProgram({ format })) return {};
  try {
    return { files: await hashFileTree(directory) };
  } catch (error) {
    if (isBulkheadError(error)) throw error;
    throw new BulkheadError(
      'FILESYSTEM_FAILED',
      `The files in ${directory} cannot be pinned: ${messageOf(error)}.`,
      { path: directory },
      { cause: error },
    );
  }
}

function hostsInAll(bundles: Readonly<Record<string, Bundle>>): readonly string[] {
  return hostsIn(
    Object.values(bundles)
      .map(({ code }) => code)
      .join('\n'),
  );
}

/** Placeholder values for a plugin's variables, so that it can be loaded without them. */
function standIns(
  { entries, environment }: Plugin,
  variables: readonly string[],
): Record<string, string> {
  const names = [
    ...variables,
    ...entries.flatMap(({ declared }) => declared.env),
    ...environment.map(({ name }) => name),
  ];
  return Object.fromEntries(names.map((name) => [name, 'not set']));
}

/** Only what affects nothing else. A plugin may read its own files, as it does when it runs. */
function withoutNetwork(
  { entries, format }: Plugin,
  variables: readonly string[],
): Partial<Permissions> {
  const { time, random, storage, env, fs, powers } = unionOf(
    entries.map((entry) => entry.declared),
  );
  const { listingPowers = [] } = formatNamed(format);
  const own = fs.filter((scope) => !isAbsolute(scope) && !scope.includes(':'));
  return {
    ...NO_PERMISSIONS,
    time,
    random,
    storage,
    env: [...env, ...variables],
    fs: own,
    powers: powers.filter((name) => listingPowers.includes(name)),
  };
}

/** What lets packages load, so that the tools can be listed. The operator decides later what they import. */
function listing(
  packages: Readonly<Record<string, InspectedPackage>>,
  variables: readonly string[],
): Readonly<Record<string, PackageGrant>> {
  return Object.fromEntries(
    Object.entries(packages).map(([path, { undeclared, streams, arguments: reads }]) => [
      path,
      {
        time: true,
        random: true,
        fs: true,
        storage: true,
        env: variables,
        imports: undeclared,
        // Else a server could not say what it offers.
        ...(streams === undefined ? {} : { streams: true }),
        ...(reads === undefined ? {} : { arguments: true }),
      },
    ]),
  );
}

async function describeTools(
  installed: InstalledPlugin,
): Promise<Pick<Inspection, 'tools' | 'hostTools' | 'problems' | 'faults' | 'inactive'>> {
  const { findMistakes } = formatNamed(installed.plugin.format);
  try {
    const listings = installed.entries.flatMap((entry) => entry.tools.map(({ listed }) => listed));
    return {
      tools: Object.fromEntries(listings.map((listed) => [listed.tool, describeTool(listed)])),
      hostTools: listings
        .filter(({ executionTarget }) => executionTarget === 'host')
        .map(({ tool }) => tool),
      problems: [
        ...installed.problems.map(({ message }) => message),
        ...installed.activation.reasons,
        ...installed.entries.flatMap((entry) => entry.problems.map(({ message }) => message)),
        ...installed.entries.flatMap(({ contributions }) =>
          contributions === undefined ? [] : (findMistakes?.(contributions) ?? []),
        ),
      ],
      faults: installed.entries.flatMap((entry) => entry.problems),
      inactive: installed.activation.reasons,
    };
  } finally {
    const instances = installed.entries.flatMap((entry) => entry.instances);
    await Promise.all(instances.map((instance) => instance.close()));
  }
}

function describeTool(listed: UnnamedTool): InspectedTool {
  const { title, category, executionTarget, exclusive, council, timeoutMs } = listed;
  const hints = {
    ...listed.annotations,
    ...(category === undefined ? {} : { category }),
    ...(executionTarget === undefined ? {} : { executionTarget }),
    ...(exclusive === undefined ? {} : { exclusive }),
    ...(council === undefined ? {} : { council }),
    timeoutMs,
  };
  const texts = {
    title,
    description: listed.description,
    schema: JSON.stringify(listed.inputSchema, undefined, 2),
    hints: canonicalJson(hints),
  };
  return {
    risk: listed.declaredRisk,
    ...(listed.requireApproval ? { requiresApproval: true as const } : {}),
    description: shortHash(`${title}\n${listed.description}`),
    schema: shortHash(canonicalJson(withoutDefaultDates(listed.inputSchema))),
    hints: shortHash(texts.hints),
    texts,
  };
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
