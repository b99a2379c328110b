import type { Message } from 'esbuild';
import { BulkheadError, type BuildProblem } from '../../errors.js';

/** The namespace of the plugin's own files in esbuild; what its paths begin with in messages. */
export const PLUGIN_NAMESPACE = 'plugin';

/** An error for what cannot be bundled, whose message is the first problem's. */
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

/** What esbuild says, in our terms: paths relative to the plugin, columns from 1. */
export function toProblem({ text, location, detail, notes }: Message): BuildProblem {
  return {
    message: cutText(text.replace(/\.$/, '')),
    ...(location === null
      ? {}
      : {
          file: pluginPath(location.file),
          line: location.line,
          column: location.column + 1,
          lineText: cutText(location.lineText),
        }),
    remedy: cutText(typeof detail === 'string' ? detail : (notes[0]?.text ?? remedyFor(text))),
  };
}

/** The path of a file of the plugin; the module that is on no disk is `entry`. */
export function pluginPath(path: string): string {
  return path.replace(/^(?:plugin|entry):/, '');
}

/** A hostile file may have one line, or the name of one import, of many megabytes. */
export function cutText(text: string): string {
  return text.slice(0, MAX_TEXT);
}

const MAX_TEXT = 500;

function remedyFor(text: string): string {
  if (/strict mode/.test(text)) {
    return 'All plugin code is strict: rewrite this line so that it is valid after "use strict".';
  }
  return 'Correct the source at this place.';
}

function placeOf({ file, line, column }: BuildProblem): string {
  if (file === undefined) return '';
  return line === undefined ? `${file}: ` : `${file}:${line}:${column ?? 1}: `;
}
