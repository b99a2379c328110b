import type { OpenQuestion, Suggestion } from './suggest.js';

/** Permissions that a program's own code uses, without those that every server has. */
export interface ProgramRequest {
  /** In the form of `--allow`. */
  readonly allow: string;
  /** `index.js:14:9` */
  readonly at: string;
}

/**
 * The hosts and variables that the code of the package itself uses. Dependencies read variables for many
 * purposes that are not the program's.
 */
export function requestsOfProgram({ items, manifest }: Suggestion): readonly ProgramRequest[] {
  const found = new Map<string, ProgramRequest>();
  for (const { permission, scope, at } of items) {
    if ((permission !== 'network' && permission !== 'env') || !isOwn(at, manifest)) continue;
    const allow = `${permission}:${scope}`;
    if (!found.has(allow)) found.set(allow, { allow, at });
  }
  return [...found.values()];
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

/** Whether a place is in the package of the manifest itself. */
function isOwn(at: string, manifest: string): boolean {
  const directory = manifest.slice(0, manifest.lastIndexOf('/') + 1);
  return at.startsWith(directory) && !at.slice(directory.length).includes('node_modules/');
}
