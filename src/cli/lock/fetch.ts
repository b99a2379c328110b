import { BulkheadError } from '../../errors.js';
import { parseGitSpec, parsePackageSpec } from '../../npm/spec.js';
import type { PackageOrigin } from '../../npm/origin.js';
import type { StoredPackage } from '../../npm/store.js';
import { coversAll } from '../../permissions/grant.js';
import type { Permissions } from '../../permissions/kind.js';
import { parseReference, readPermissions } from '../../permissions/reference.js';
import { scopeTexts } from '../../permissions/table.js';
import { requestsOfProgram, whyProgramCannotRun } from '../../suggest/program-needs.js';
import type { Suggestion } from '../../suggest/suggestion.js';
import { visible } from '../../visible.js';
import type { CliCapabilities } from '../capabilities.js';
import { usageError } from '../failure.js';

export const ACCEPT_VERSION_HELP =
  'accept this version of npm although it is young, or its publisher or provenance changed';

const HOUR_MS = 3_600_000;
const MIN_AGE_HOURS = 24;

export function parseHours(text: string): number {
  const hours = Number(text);
  if (text.trim() !== '' && Number.isFinite(hours) && hours >= 0) return hours;
  throw usageError('--min-age', `${JSON.stringify(text)} is not a number of hours, like 24`);
}

/** How a version of npm is accepted that others had little time to look at, or whose origin changed. */
export interface FetchSettings {
  /** Hours that a version must have been published. Default: 24. */
  readonly minAge?: number;
  /** The version that the operator accepts although it is young, or its origin changed. */
  readonly acceptVersion?: string;
}

/** Whether the store has the plugin of a directory, from npm or from a commit. */
export function isFetched(
  directory: string,
  { packages }: Pick<CliCapabilities, 'packages'>,
): boolean {
  return packages.describe(directory) !== undefined || packages.commitOf(directory) !== undefined;
}

/**
 * Fetches a package. Returns its directory. `before`: the origin of the accepted version. Throws
 * `PACKAGE_REFUSED` for a version that is young, has another publisher or lost its provenance, unless the
 * operator names that version.
 */
export async function fetchPackage(
  named: string,
  { minAge = MIN_AGE_HOURS, acceptVersion }: FetchSettings,
  capabilities: Pick<CliCapabilities, 'packages' | 'stderr' | 'wallClock' | 'ask' | 'interrupted'>,
  before?: PackageOrigin,
): Promise<string> {
  const { packages, stderr, wallClock, ask, interrupted } = capabilities;
  const spec = parsePackageSpec(named);
  await stderr.write(`fetching ${visible(spec.name)} without running its scripts\n`);
  const stored = await packages.fetch(spec);
  const { name, version, origin } = stored;
  await stderr.write(
    `fetched ${visible(name)} ${visible(version)} with ${stored.packages - 1} dependencies; ${describeOrigin(origin)}\n`,
  );
  const doubts = [
    // guard: package-min-age
    ...youth(stored, minAge, wallClock()),
    ...(before === undefined ? [] : changesOfOrigin(before, origin)),
  ];
  if (doubts.length === 0 || acceptVersion === version) return stored.directory;
  const what = `${name}@${version} ${doubts.join(', and ')}`;
  if (ask !== undefined && acceptVersion === undefined) {
    const line = await ask(
      `${visible(what)}. Type ${visible(version)} to accept it; anything else declines: `,
      interrupted,
    );
    // guard: doubtful-version-named
    if (line.trim() === version) return stored.directory;
  }
  throw new BulkheadError(
    'PACKAGE_REFUSED',
    `${what}. Name an older version, or accept this one with --accept-version ${version}.`,
    { package: name },
  );
}

/**
 * Fetches a commit of a repository. Returns its directory. Nothing but its whole id says what it is. `expected`: the
 * package's name. Throws `PACKAGE_REFUSED` for another one.
 */
export async function fetchCommit(
  named: string,
  { packages, stderr }: Pick<CliCapabilities, 'packages' | 'stderr'>,
  expected?: string,
): Promise<string> {
  const spec = parseGitSpec(named);
  await stderr.write(`fetching ${visible(spec.url)} without running its scripts\n`);
  const { name, version, directory, packages: count } = await packages.fetchCommit(spec);
  await stderr.write(
    `fetched ${visible(name)} ${visible(version)} of commit ${spec.commit} with ${count - 1} dependencies; a commit has no publisher, age or provenance to check\n`,
  );
  if (expected !== undefined && name !== expected) {
    throw new BulkheadError(
      'PACKAGE_REFUSED',
      `the commit has the package ${name}, and ${expected} was accepted. To accept it as another one, run bulkhead add.`,
      { package: name },
    );
  }
  return directory;
}

function youth({ publishedAtMs }: StoredPackage, hours: number, nowMs: number): readonly string[] {
  const age = publishedAtMs === undefined ? 0 : (nowMs - publishedAtMs) / HOUR_MS;
  if (age >= hours) return [];
  const since = publishedAtMs === undefined ? 'at an unknown time' : `${Math.floor(age)} h ago`;
  return [`was published ${since}, and a version must be ${hours} h old`];
}

function changesOfOrigin(before: PackageOrigin, now: PackageOrigin): readonly string[] {
  return [
    ...(before.publisher === undefined || before.publisher === now.publisher
      ? []
      : [
          `was published by ${now.publisher ?? 'an unknown account'}, and the accepted version by ${before.publisher}`,
        ]),
    ...(before.provenance === 'verified' && now.provenance !== 'verified'
      ? ['has no verified provenance, and the accepted version has one']
      : []),
  ];
}

function describeOrigin({ publisher, provenance }: PackageOrigin): string {
  const by = publisher === undefined ? 'publisher unknown' : `published by ${visible(publisher)}`;
  return `${by}, ${PROVENANCE[provenance]}`;
}

const PROVENANCE = {
  verified: 'provenance verified',
  unknown: 'provenance claimed, but npm could not verify it',
  none: 'no provenance',
};

/**
 * The permissions that the program's code uses, its package does not declare and the operator accepts, in the
 * form of `--allow`. Without a terminal, or if the operator chose permissions, nothing is added. Throws
 * `BUILTIN_DENIED` for a program that cannot run.
 */
export async function askForProgram(
  suggestion: Suggestion,
  declared: Permissions,
  {
    allow,
    only,
    yes = false,
    partial = false,
  }: {
    readonly allow?: readonly string[];
    readonly only?: readonly string[];
    readonly yes?: boolean;
    readonly partial?: boolean;
  },
  capabilities: Pick<CliCapabilities, 'stderr' | 'ask' | 'interrupted'>,
): Promise<readonly string[]> {
  const { stderr, ask, interrupted } = capabilities;
  const why = whyProgramCannotRun(suggestion);
  // guard: program-without-processes
  if (why !== undefined && !partial) throw cannotRun(suggestion.plugin, why);
  // What a package declares is accepted with it.
  const requests = requestsOfProgram(suggestion).filter(
    ({ allow: text }) => !coversAll(declared, readPermissions([text])),
  );
  if (requests.length === 0 || allow !== undefined || only !== undefined) return [];
  const lines = requests.map(({ allow: text, at }) => `  - ${sentenceOf(text)} (${visible(at)})\n`);
  await stderr.write(`its own code uses or names these hosts and variables\n${lines.join('')}`);
  if (yes || ask === undefined) {
    const flags = requests.map(({ allow: text }) => `--allow ${visible(text)}`).join(' ');
    await stderr.write(`none of them is granted; to grant them, add: ${flags}\n`);
    return [];
  }
  const line = await ask(
    'Grant them? Type yes to grant all; anything else grants none: ',
    interrupted,
  );
  return line.trim().toLowerCase() === 'yes' ? requests.map(({ allow: text }) => text) : [];
}

export function cannotRun(plugin: string, why: string): BulkheadError<'BUILTIN_DENIED'> {
  return new BulkheadError(
    'BUILTIN_DENIED',
    `${why}. No permission allows that. To accept a server without the part that needs it, which then fails: bulkhead add --partial.`,
    { plugin },
  );
}

function sentenceOf(text: string): string {
  const { kind, scope = '' } = parseReference(text);
  return visible(scopeTexts[kind].explain(scope));
}
