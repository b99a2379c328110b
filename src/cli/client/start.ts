import { basename } from 'node:path';
import { isRecord } from '../../../sandbox/wire/json.js';
import { isBulkheadError } from '../../errors.js';
import { type PackageSpec, parsePackageSpec } from '../../npm/spec.js';

/** What an entry of a client's configuration starts. Its texts are the file's own: show them as untrusted. */
export type Start =
  | { readonly kind: 'package'; readonly spec: PackageSpec; readonly args: readonly string[] }
  | { readonly kind: 'program'; readonly file: string; readonly args: readonly string[] }
  /** `why` completes "left alone: …". */
  | { readonly kind: 'other'; readonly why: string };

/** The commands that fetch and run a package of npm. */
const RUNNERS: readonly (readonly string[])[] = [
  ['npx'],
  ['bunx'],
  ['pnpx'],
  ['npm', 'exec'],
  ['npm', 'x'],
  ['pnpm', 'dlx'],
  ['yarn', 'dlx'],
  ['bun', 'x'],
];

/** Options of the runners that do not change what is run. */
const HARMLESS = new Set(['-y', '--yes', '-q', '--quiet', '--prefer-offline', '--prefer-online']);

/** Reads what an entry starts. Starts nothing. */
export function readStart(entry: unknown): Start {
  const { command, args = [], url, type } = isRecord(entry) ? entry : {};
  if (typeof url === 'string' || type === 'http' || type === 'sse') {
    return other('it runs elsewhere, at a URL');
  }
  if (typeof command !== 'string' || !Array.isArray(args) || !args.every(isText)) {
    return other('it has no command with arguments');
  }
  const words = [programName(command), ...args];
  // On Windows, clients start npx by the shell.
  if (words[0] === 'cmd' && words[1]?.toLowerCase() === '/c') {
    words.splice(0, 3, programName(words[2] ?? ''));
  }
  const runner = RUNNERS.find((one) => one.every((word, index) => words[index] === word));
  if (runner !== undefined) return packageAmong(words.slice(runner.length), runner.join(' '));
  const [program = '', file, ...rest] = words;
  if (program !== 'node') return other(`${program} does not start a package of npm`);
  if (file === undefined || file.startsWith('-')) {
    return other('node has options of its own here, which Bulkhead cannot carry over');
  }
  return { kind: 'program', file, args: rest };
}

function packageAmong(words: readonly string[], runner: string): Start {
  const at = words.findIndex((word) => !HARMLESS.has(word) && word !== '--');
  const name = words[at];
  if (name === undefined) return other(`${runner} names no package`);
  if (name.startsWith('-')) return other(`${runner} has the option ${name}`);
  try {
    return { kind: 'package', spec: parsePackageSpec(`npm:${name}`), args: words.slice(at + 1) };
  } catch (error) {
    if (!isBulkheadError(error, 'INVALID_OPTIONS')) throw error;
    return other(`${name} is not a package of a registry`);
  }
}

function programName(command: string): string {
  return basename(command.replaceAll('\\', '/')).replace(/\.(?:cmd|exe)$/i, '');
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function other(why: string): Start {
  return { kind: 'other', why };
}
