import { findOriginalPosition } from '../source-map.js';
import { bundleFailed } from './problems.js';
import { rewriteBundle, type Rewritten } from './rewrite/rewrite.js';

/**
 * Makes what esbuild wrote ready for SES. Throws `BUNDLE_FAILED` where that cannot be done, with the
 * place in the plugin's own source.
 */
export function rewriteOrExplain(
  text: string,
  sourceMap: string,
  prelude: string | undefined,
): Rewritten {
  try {
    return rewriteBundle(text, prelude);
  } catch (error) {
    const position = error instanceof Error && 'pos' in error ? Number(error.pos) : undefined;
    const message =
      error instanceof Error ? error.message.replace(/ \(\d+:\d+\)$/, '') : String(error);
    const before = text.slice(0, position ?? 0);
    const origin =
      position === undefined
        ? undefined
        : findOriginalPosition(
            sourceMap,
            before.split('\n').length,
            before.length - before.lastIndexOf('\n'),
          );
    throw bundleFailed([
      {
        message: `The code cannot be made ready for SES: ${message}`,
        ...(origin === undefined
          ? {}
          : { file: origin.source, line: origin.line, column: origin.column }),
        remedy: 'Write this part of the code in a simpler way.',
      },
    ]);
  }
}
