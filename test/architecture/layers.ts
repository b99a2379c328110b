import type { SourceFile } from './sources.js';

/**
 * Every place of the tree, from the ground up. A file imports from its own place and from lower
 * rows; the places of one row are siblings and never import each other. A longer path wins.
 */
const rows: readonly (readonly string[])[] = [
  ['sandbox/wire/'],
  ['sandbox/endowments/'],
  ['sandbox/hooks/'],
  ['sandbox/dialects/', 'sandbox/builtins/'],
  ['sandbox/'],
  ['sandbox/node/'],
  ['src/make-directories.ts'],
  [
    'src/errors.ts',
    'src/visible.ts',
    'src/model-text.ts',
    'src/did-you-mean.ts',
    'src/canonical.ts',
    'src/file-mutex.ts',
    'src/hash.ts',
    'src/inherited-descriptors.ts',
    'src/own-ports.ts',
    'src/processor.ts',
    'src/replace-file.ts',
    'src/shared-signal.ts',
    'src/supported-runtime.ts',
    'src/waiting.ts',
    'src/plugin/risk.ts',
  ],
  ['src/approval-events.ts', 'src/keys/', 'src/own-file.ts'],
  ['src/permissions/', 'src/schema/', 'src/scheduler/'],
  ['src/events.ts', 'src/plugin/'],
  // Packages of npm, fetched and stored.
  ['src/npm/'],
  [
    'src/formats/',
    'src/brokers/',
    'src/guests/',
    'src/approval/',
    // What the operator stopped.
    'src/stops/',
    'src/lock/',
    // Listens to events alone; the engine that makes them opens it.
    'src/audit/',
  ],
  ['src/catalog/', 'src/remotes/'],
  // The engine, row by row. `node` holds what it takes from its own process.
  ['src/engine/types/', 'src/engine/node/'],
  ['src/engine/instance/'],
  ['src/engine/plugins/'],
  ['src/engine/call/', 'src/engine/hooks/', 'src/engine/recording/'],
  // Programs that call tools.
  ['src/engine/programs/'],
  // The part of a plugin system that works with the engine's instances.
  ['src/formats/*/engine/'],
  // The composition root.
  ['src/engine/'],
  ['src/agent/', 'src/formats/spindle/council/', 'src/metrics/', 'src/report/', 'src/suggest/'],
  // Reads a plugin as `suggest` does, and places findings as `report` does.
  ['src/check/'],
  // `fleet`: gateways and runners on several machines.
  ['src/adapters/', 'src/console/', 'src/fleet/', 'src/testing/'],
  ['src/http/'],
  ['src/index.ts', 'src/entry-points/'],
  ['src/cli/'],
];

/** Places that see less than their row would allow. */
const narrowed: Readonly<Record<string, readonly string[]>> = {
  'src/audit/': [
    'src/audit/',
    'src/events.ts',
    'src/errors.ts',
    'src/canonical.ts',
    'src/file-mutex.ts',
    'src/hash.ts',
    'src/make-directories.ts',
    'src/replace-file.ts',
    'src/waiting.ts',
    'src/keys/',
    'sandbox/wire/',
  ],
  'src/metrics/': ['src/metrics/', 'src/events.ts', 'src/errors.ts'],
};

/** The only packages that code inside the boundary may import. */
const insidePackages: Readonly<Record<string, RegExp>> = {
  'sandbox/wire/': /^(?!)/,
  'sandbox/endowments/': /^(?!)/,
  'sandbox/hooks/': /^(?!)/,
  'sandbox/dialects/': /^(?!)/,
  // In a plugin's compartment only: `scripts/build-guest.mjs` puts them into the stand-ins.
  'sandbox/builtins/':
    /^(@noble\/hashes|buffer|events|pako|path-browserify|punycode|readable-stream|string_decoder)(\/|$)/,
  'sandbox/': /^ses$/,
  'sandbox/node/': /^(ses|node:.+)$/,
};

/** What reaches the world: files, sockets, processes. Everyone else is passed these. */
const POWERS =
  /^(undici|@hono\/node-server|(node:)?(fs|fs\/promises|net|tls|dns|dns\/promises|http|https|http2|child_process|worker_threads|cluster|os|process|v8|vm|readline|readline\/promises))$/;

const powerful: readonly string[] = [
  'src/brokers/',
  'src/guests/',
  // Starts the commands that the operator named, and ends all that they started.
  'src/remotes/mcp/command-transport.ts',
  // Makes the temporary home of such a command, if sandbox-runtime confines it.
  'src/remotes/mcp/confine.ts',
  // Receives the return of a login page, on loopback.
  'src/remotes/mcp/login-callback.ts',
  // Reads and closes descriptors of this process.
  'src/inherited-descriptors.ts',
  // Reads how much processor time a process has used.
  'src/processor.ts',
  // Excludes other processes by a file.
  'src/file-mutex.ts',
  // Makes directories.
  'src/make-directories.ts',
  // Replaces files in one step.
  'src/replace-file.ts',
  // Keys are read and written with checked modes.
  'src/keys/key-file.ts',
  // They run the user's npm and git behind walls, and store what those fetched.
  'src/npm/store.ts',
  'src/npm/origin.ts',
  'src/npm/run-npm.ts',
  'src/npm/git.ts',
  // What the operator keeps of what happened.
  'src/audit/disk/',
  // What reads a stranger's sources, file by file, each of them checked.
  'src/plugin/bundle/',
  // A runner notes the calls that it has begun.
  'src/fleet/spent-calls.ts',
  // What the engine takes from its own process, unless it is told otherwise.
  'src/engine/node/',
  // A directory for the storage of a plugin under test.
  'src/testing/workplace.ts',
  // A test's recorded answers, in the author's project.
  'src/testing/cassette-file.ts',
  'src/cli/main.ts',
  'src/cli/run-process.ts',
  'src/cli/system-capabilities.ts',
  // Opens a port, and limits its connections.
  'src/http/listen.ts',
  'src/http/connections.ts',
  'src/http/lingering-close.ts',
  // The types of a request and of its answer.
  'src/http/plain-calls.ts',
  'sandbox/node/',
];

const ranks = new Map(rows.flatMap((row, rank) => row.map((place) => [place, rank] as const)));

export function placeOf(path: string): string | undefined {
  return places
    .filter(({ matches }) => matches.test(path))
    .toSorted((a, b) => b.place.length - a.place.length)[0]?.place;
}

/** `*` in a place stands for one segment of a path. */
const places = [...ranks.keys()].map((place) => {
  const pattern = place.replaceAll('.', '\\.').replaceAll('*', '[^/]+');
  return { place, matches: new RegExp(`^${pattern}${place.endsWith('/') ? '' : '$'}`) };
});

/** What the files do that the layers do not allow, one sentence each. */
export function findViolations(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const place = placeOf(file.path);
    if (place === undefined) return [`${file.path} has no place in the table of layers`];
    return [
      ...file.imports.flatMap((target) =>
        target.includes('/') && ranksOurs(target)
          ? checkFile(file.path, place, target)
          : checkPackage(file.path, place, target),
      ),
      ...checkProcess(file),
    ];
  });
}

function ranksOurs(target: string): boolean {
  return target.startsWith('src/') || target.startsWith('sandbox/');
}

function checkFile(path: string, place: string, target: string): string[] {
  const targetPlace = placeOf(target);
  if (targetPlace === undefined) return [`${path} imports ${target}, which has no place`];
  if (targetPlace === place) return [];
  if (
    side(place) !== side(targetPlace) &&
    !(side(place) === 'src' && target.startsWith('sandbox/wire/'))
  ) {
    return [`${path} crosses the trust line to ${target}`];
  }
  const seen = narrowed[place];
  if (seen !== undefined && !seen.includes(targetPlace)) {
    return [`${path} may import only ${seen.join(', ')}, not ${target}`];
  }
  const from = ranks.get(place) ?? 0;
  const to = ranks.get(targetPlace) ?? 0;
  if (to === from) return [`${path} imports its sibling ${target}`];
  return to > from ? [`${path} imports upwards: ${target}`] : [];
}

function checkPackage(path: string, place: string, target: string): string[] {
  const allowed = insidePackages[place];
  if (allowed !== undefined && !allowed.test(target)) {
    return [`${path} is inside the boundary and imports ${target}`];
  }
  return POWERS.test(target) && !isPowerful(path)
    ? [`${path} takes the power ${target} instead of being passed it`]
    : [];
}

/** Facts about the running Node are no power. */
const FACTS = new Set(['versions', 'version', 'platform', 'arch']);

function checkProcess({ path, processUses }: SourceFile): string[] {
  if (isPowerful(path)) return [];
  return processUses
    .filter((property) => !FACTS.has(property))
    .map((property) => `${path} takes process.${property} instead of being passed it`);
}

function isPowerful(path: string): boolean {
  return powerful.some((place) => path.startsWith(place));
}

function side(place: string): string {
  return place.startsWith('sandbox/') ? 'sandbox' : 'src';
}

/** The files on an import cycle, as `a → b → a`; type imports count. */
export function findCycles(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const walk = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) {
      cycles.push([...trail.slice(start), path].join(' → '));
      return;
    }
    if (done.has(path)) return;
    for (const target of byPath.get(path)?.imports ?? []) walk(target, [...trail, path]);
    done.add(path);
  };
  for (const { path } of files) walk(path, []);
  return cycles;
}
