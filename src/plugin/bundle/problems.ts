import type { BuildFailure, Message } from 'esbuild';
import { type BuildProblem, BulkheadError, isBulkheadError } from '../../errors.js';

/** The esbuild namespace of the plugin's own files. Paths in messages begin with it. */
export const PLUGIN_NAMESPACE = 'plugin';

/** A `BUNDLE_FAILED` error with the first problem's message. */
export function bundleFailed(problems: readonly BuildProblem[]): BulkheadError<'BUNDLE_FAILED'> {
  const [first] = problems;
  const place = first === undefined ? '' : placeOf(first);
  const remedy = first?.remedy === undefined ? '' : ` ${first.remedy}`;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  return new BulkheadError(
    'BUNDLE_FAILED',
    `The plugin cannot be bundled: ${place}${first?.message ?? 'no reason given'}.${remedy}${more}`,
    { problems },
  );
}

/** Converts a message of esbuild: paths relative to the plugin, columns from 1. */
function toProblem({ text, location, detail, notes }: Message): BuildProblem {
  return {
    message: cutText(text.replace(/\.$/, '').replaceAll('"plugin:', '"')),
    ...(location === null
      ? {}
      : {
          file: pluginPath(location.file),
          line: location.line,
          column: location.column + 1,
          lineText: cutText(location.lineText),
        }),
    remedy: cutText(
      typeof detail === 'string'
        ? detail
        : (remedyOf(notes[0]) ?? remedyFor(text, location?.lineText)),
    ),
  };
}

/** The path of a file of the plugin. An entry that is not on disk is `entry`. */
export function pluginPath(path: string): string {
  return path.replace(/^(?:plugin|entry):/, '');
}

/** The file of a name that esbuild lists, which ends with the attributes of its import. */
export function fileOf(name: string): string {
  return pluginPath(name).replace(/ with \{.*$/, '');
}

/** Caps a text: a line or an import's name in a hostile file may have many megabytes. */
export function cutText(text: string): string {
  return text.slice(0, MAX_TEXT);
}

const MAX_TEXT = 500;

/** A note that only introduces a place, as `… was exported here:`, gets that place. */
function remedyOf(note: Message['notes'][number] | undefined): string | undefined {
  if (note === undefined || !note.text.endsWith(':')) return note?.text;
  const { location } = note;
  // Other notes of esbuild introduce places of our own code.
  return location === null || !/\b(?:declared|exported|defined)\b/.test(note.text)
    ? undefined
    : `Keep one of the two. ${note.text.slice(0, -1)}: line ${location.line}, column ${location.column + 1}.`;
}

function remedyFor(text: string, line = ''): string {
  if (/^(?:Expected ">" but found|Unexpected "(?:<|>)")/.test(text) && JSX.test(line)) {
    return 'If this is JSX, move it to a file that ends in .tsx or .jsx, and import that. If not, correct the source.';
  }
  if (/strict mode/.test(text)) {
    return 'All plugin code is strict: rewrite this line so that it is valid after "use strict".';
  }
  if (text.startsWith('No matching export')) {
    return 'Correct the name, or export it there. Names are case-sensitive.';
  }
  return 'Correct the source at this place.';
}

/** The start of an element: `<div`, `<></>`. */
const JSX = /<(?:[A-Za-z]|>\s*(?:<|$))/;

function placeOf({ file, line, column }: BuildProblem): string {
  if (file === undefined) return '';
  return line === undefined ? `${file}: ` : `${file}:${line}:${column ?? 1}: `;
}

/** Converts a failure of esbuild. A BulkheadError that esbuild passed through is returned unchanged. */
export function toBulkheadError(error: BuildFailure): BulkheadError {
  const own = error.errors.find(({ detail }) => detail instanceof BulkheadError);
  if (own !== undefined && own.detail instanceof BulkheadError) {
    const cause: BulkheadError = own.detail;
    if (cause.code !== 'OUTSIDE_PLUGIN' || own.location === null) return cause;
    const { message: _, remedy: __, ...place } = toProblem(own);
    const path = 'path' in cause.details ? cutText(cause.details.path) : '';
    return new BulkheadError(
      'OUTSIDE_PLUGIN',
      `${place.file}:${place.line}:${place.column}: ${cutText(cause.message)}`,
      { path, ...place },
    );
  }
  return bundleFailed(error.errors.slice(0, MAX_MESSAGES).map(toProblem));
}

/** The files in which a bundle failed, each with its first problem. */
export function brokenFilesOf(error: BulkheadError): ReadonlyMap<string, string> {
  if (isBulkheadError(error, 'OUTSIDE_PLUGIN')) {
    const { file } = error.details;
    return new Map(file === undefined ? [] : [[file, error.message]]);
  }
  if (!isBulkheadError(error, 'BUNDLE_FAILED')) return new Map();
  const files = new Map<string, string>();
  for (const problem of error.details.problems) {
    const { file } = problem;
    if (file !== undefined && !files.has(file)) files.set(file, bundleFailed([problem]).message);
  }
  return files;
}

export function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors);
}

/** Problems and warnings that are reported: a plugin may have 100,000. */
export const MAX_MESSAGES = 50;

/** A warning of esbuild on one line, with its place. */
export function describeWarning(message: Message): string {
  const { file, line, column, message: text } = toProblem(message);
  return file === undefined ? text : `${file}:${line}:${column}: ${text}`;
}
