import { dirname } from 'node:path';
import type { Json } from '../../sandbox/wire/messages.js';
import type { PluginProblem, PluginStatus } from '../engine/types/status.js';
import type { DeniedUse } from '../engine/types/result.js';
import { type BuildProblem, BulkheadError, type ErrorCode, isBulkheadError } from '../errors.js';
import type { CliCapabilities } from './capabilities.js';
import { shellWord } from '../visible.js';
import { describeManifests } from '../formats/discover.js';
import { formatNamed } from '../formats/table.js';
import { spotOf } from './source-spot.js';

/** `INTERNAL` is a fault of Bulkhead itself; the engine never throws it on purpose. */
export type FailureCode = ErrorCode | 'INTERNAL';

/** Why a command failed. */
export interface Failure {
  readonly code: FailureCode;
  readonly message: string;
  readonly plugin?: string;
  /** The places in the plugin's sources that could not be built. */
  readonly problems?: readonly BuildProblem[];
  /** The stack with the plugin's own lines. */
  readonly stack?: string;
  /** Where the code that failed is, if there is no stack: `src/index.ts:14:9`. */
  readonly at?: string;
  /** What to do, if the code's usual remedy does not fit. */
  readonly fix?: string;
  /** The requests that were denied while the plugin was loaded. */
  readonly denied?: readonly DeniedUse[];
  /** The result, if the tool returned a failure. */
  readonly result?: Json;
}

/** A failure as the one line that scripts read. */
export function failureLine(failure: Failure, durationMs: number, more: object = {}): object {
  const { result } = failure;
  const error = { ...errorFields(failure), ...more };
  return { ok: false, error, ...(result === undefined ? {} : { result }), durationMs };
}

/** An error in JSON: its code, message and place. */
export function errorFields(failure: Failure): object {
  const { code, message, denied } = failure;
  const spot = spotOf(failure);
  const at = spot && { file: spot.file, line: spot.line, column: spot.column };
  return {
    code,
    message,
    ...(at === undefined ? {} : { at }),
    ...(denied === undefined ? {} : { denied }),
  };
}

/** A mistake in how the command was called. */
export function usageError(option: string, message: string): BulkheadError<'INVALID_OPTIONS'> {
  return new BulkheadError('INVALID_OPTIONS', message, { option });
}

export function failureOf(error: unknown): Failure {
  if (!isBulkheadError(error)) return { code: 'INTERNAL', message: internalMessage(error) };
  const { details } = error;
  return {
    code: error.code,
    message: error.message,
    ...('plugin' in details ? { plugin: details.plugin } : {}),
    ...(isBulkheadError(error, 'BUNDLE_FAILED') ? { problems: error.details.problems } : {}),
  };
}

function internalMessage(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** Why a plugin does not run; `undefined` if it runs. */
export function failureOfPlugin(status: PluginStatus): Failure | undefined {
  if (status.state === 'active') return undefined;
  // A mistake in the manifest often comes with the failure that it causes; that failure is the reason.
  const problem =
    status.problems.find(({ code }) => code !== 'INVALID_MANIFEST') ?? status.problems[0];
  const why: PluginProblem = problem ?? {
    code: 'PLUGIN_INACTIVE',
    message: `${status.id} does not run.`,
  };
  const fix =
    status.format === undefined ? undefined : formatNamed(status.format).remedyFor?.(why.message);
  return { ...failureOfProblem(why), ...(fix === undefined ? {} : { fix }), plugin: status.id };
}

/** A problem of a plugin, with its place. */
export function failureOfProblem({ code, message, at, places, denied }: PluginProblem): Failure {
  return {
    code,
    message,
    ...(at === undefined ? {} : { stack: `    at ${at}` }),
    ...(places === undefined ? {} : { problems: places }),
    ...(denied === undefined ? {} : { denied }),
  };
}

export function noPlugin(directory: string): Failure {
  return {
    code: 'PLUGIN_NOT_FOUND',
    message: directory.endsWith('.artifact')
      ? `${directory} is a packed plugin, and packs run only with a lock file. Accept it: bulkhead add ${shellWord(directory)}. Then run it with --lock.`
      : `There is no plugin in ${directory === '.' ? 'this directory' : directory}. ${describeManifests()}`,
  };
}

/** The named directories that contain neither a plugin nor directories of plugins. */
export async function findEmpty(
  directories: readonly string[],
  plugins: readonly PluginStatus[],
  { realPath }: Pick<CliCapabilities, 'realPath'>,
): Promise<string[]> {
  const found = await Promise.all(plugins.map(({ directory }) => realPath(directory)));
  const empty: string[] = [];
  for (const directory of directories.filter((path) => !path.includes('*'))) {
    const real = await realPath(directory);
    if (!found.some((path) => path === real || dirname(path) === real)) empty.push(directory);
  }
  return empty;
}

/** The message of whatever was thrown. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
