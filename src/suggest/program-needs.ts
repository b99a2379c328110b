import type { OpenQuestion, Suggestion } from './suggestion.js';

/** Permissions that a program's own code uses, without those that every server has. */
export interface ProgramRequest {
  /** In the form of `--allow`. */
  readonly allow: string;
  /** `index.js:14:9` */
  readonly at: string;
}

/**
 * The hosts and variables that the code of the package itself uses, and the hosts that it only names if
 * some address is built at run time. Dependencies read variables for many purposes that are not the
 * program's.
 */
export function requestsOfProgram({
  items,
  open,
  manifest,
}: Suggestion): readonly ProgramRequest[] {
  const found = new Map<string, ProgramRequest>();
  for (const { permission, scope, at } of [...items, ...open]) {
    if ((permission !== 'network' && permission !== 'env') || scope === undefined) continue;
    const allow = `${permission}:${scope}`;
    if (isOwn(at, manifest) && !found.has(allow)) found.set(allow, { allow, at: ownPlace(at) });
  }
  return [...found.values()];
}

/** The variables that the program's own code reads by name. */
export function variablesOfProgram(suggestion: Suggestion): readonly string[] {
  return requestsOfProgram(suggestion).flatMap(({ allow }) => /^env:(.+)$/.exec(allow)?.[1] ?? []);
}

const PROCESS = /^(?:child_process|cluster|worker_threads)\b/;
const SOCKET = /^(?:dgram|net|tls)\b/;

/** Why a program cannot run: its own code starts processes or opens sockets. */
export function whyProgramCannotRun({ open, manifest, plugin }: Suggestion): string | undefined {
  const own = open.filter(({ at, permission }) => permission === 'none' && isOwn(at, manifest));
  const sentence = (found: OpenQuestion | undefined, need: string): string | undefined =>
    found && `${plugin} needs ${need}: ${found.what} (${found.at})`;
  return (
    sentence(
      own.find(({ what }) => PROCESS.test(what)),
      'a process',
    ) ??
    sentence(
      own.find(({ what }) => SOCKET.test(what)),
      'sockets',
    )
  );
}

/** What the program's own code does that its permissions may not cover, in sentences. */
export function unknownNeeds({ open, manifest }: Suggestion): readonly string[] {
  const own = open.filter(({ at, scope }) => isOwn(at, manifest) && scope === undefined);
  const places = (permission: OpenQuestion['permission']): readonly string[] =>
    own.filter((one) => one.permission === permission).map(({ at }) => ownPlace(at));
  const sentence = (need: string, [first, ...more]: readonly string[]): readonly string[] =>
    first === undefined
      ? []
      : [`${need} (${first}${more.length === 0 ? '' : ` and ${more.length} more`})`];
  return [
    ...sentence('reach a host that was not granted', places('network')),
    ...sentence(
      'use files outside its own directory, its own storage and the granted paths',
      places('fs'),
    ),
    ...sentence('read a variable that was not granted', places('env')),
    ...own
      .filter(({ permission }) => permission === 'none')
      .slice(0, MAX_REFUSED)
      .map(({ what, at }) => `use ${what} (${ownPlace(at)})`),
  ];
}

/** Sentences about what no permission allows. */
const MAX_REFUSED = 5;

/** A place without the directory of the package. */
function ownPlace(at: string): string {
  return at.replace(/^node_modules\/(?:@[^/]+\/)?[^/]+\//, '');
}

/** Whether a place is in the package of the manifest itself. */
function isOwn(at: string, manifest: string): boolean {
  const directory = manifest.slice(0, manifest.lastIndexOf('/') + 1);
  return at.startsWith(directory) && !at.slice(directory.length).includes('node_modules/');
}
