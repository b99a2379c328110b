import type { BuildFailure, Message } from 'esbuild';
import { BulkheadError } from '../../errors.js';
import { bundleFailed, cutText, toProblem } from './problems.js';

/** What esbuild found, as ours: an error of our own that went through it comes out whole. */
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

export function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors);
}

/** Nobody reads more, and a plugin may have a hundred thousand. */
export const MAX_MESSAGES = 50;

/** A warning of esbuild's on one line, with its place. */
export function describeWarning(message: Message): string {
  const { file, line, column, message: text } = toProblem(message);
  return file === undefined ? text : `${file}:${line}:${column}: ${text}`;
}
