import { BulkheadError } from '../../errors.js';
import { parsePackageSpec } from '../../npm/spec.js';
import { parseReference } from '../../permissions/reference.js';
import { scopeTexts } from '../../permissions/table.js';
import { requestsOfProgram, whyProgramCannotRun } from '../../suggest/program-needs.js';
import { visible } from '../../visible.js';
import type { CliCapabilities } from '../capabilities.js';
import { usageError } from '../failure.js';

const HOUR_MS = 3_600_000;
const MIN_AGE_HOURS = 24;

export function parseHours(text: string): number {
  const hours = Number(text);
  if (text.trim() !== '' && Number.isFinite(hours) && hours >= 0) return hours;
  throw usageError('--min-age', `${JSON.stringify(text)} is not a number of hours, like 24`);
}

/** Fetches a package for `add`. Returns its directory. */
export async function fetchForAdd(
  named: string,
  minAge: number | undefined,
  { packages, stderr, wallClock }: Pick<CliCapabilities, 'packages' | 'stderr' | 'wallClock'>,
): Promise<string> {
  const spec = parsePackageSpec(named);
  await stderr.write(`fetching ${visible(spec.name)} without running its scripts\n`);
  const stored = await packages.fetch(spec);
  const { name, version, publishedAtMs } = stored;
  const hours = minAge ?? MIN_AGE_HOURS;
  const age = publishedAtMs === undefined ? 0 : (wallClock() - publishedAtMs) / HOUR_MS;
  // guard: package-min-age
  if (age < hours) {
    const since = publishedAtMs === undefined ? 'at an unknown time' : `${Math.floor(age)} h ago`;
    throw new BulkheadError(
      'PACKAGE_REFUSED',
      `${name}@${version} was published ${since}, and a version must be ${hours} h old. Name an older version, or accept this one with --min-age 0.`,
      { package: name },
    );
  }
  await stderr.write(
    `fetched ${visible(name)} ${visible(version)} with ${stored.packages - 1} dependencies\n`,
  );
  return stored.directory;
}

/**
 * The permissions that the program's code uses and the operator accepts, in the form of `--allow`. Without a
 * terminal, or if the operator chose permissions, nothing is added. Throws `BUILTIN_DENIED` for a program
 * that cannot run.
 */
export async function askForProgram(
  directory: string,
  {
    allow,
    only,
    yes = false,
  }: {
    readonly allow?: readonly string[];
    readonly only?: readonly string[];
    readonly yes?: boolean;
  },
  capabilities: Pick<CliCapabilities, 'suggestPermissions' | 'stderr' | 'ask' | 'interrupted'>,
): Promise<readonly string[]> {
  const { stderr, ask, interrupted } = capabilities;
  const suggestion = await capabilities.suggestPermissions(directory);
  const why = whyProgramCannotRun(suggestion);
  if (why !== undefined) throw cannotRun(suggestion.plugin, why);
  const requests = requestsOfProgram(suggestion);
  if (requests.length === 0 || allow !== undefined || only !== undefined) return [];
  const lines = requests.map(({ allow: text, at }) => `  - ${sentenceOf(text)} (${visible(at)})\n`);
  await stderr.write(`its own code uses these hosts and variables\n${lines.join('')}`);
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
  return new BulkheadError('BUILTIN_DENIED', `${why}. No permission allows that.`, {
    plugin,
  });
}

function sentenceOf(text: string): string {
  const { kind, scope = '' } = parseReference(text);
  return visible(scopeTexts[kind].explain(scope));
}
