import {
  type BuildProblem,
  BulkheadError,
  type ErrorCode,
  isBulkheadError,
  type Json,
  type PluginStatus,
} from '../index.js';

/** `INTERNAL` is a fault of Bulkhead itself, which no engine throws on purpose. */
export type FailureCode = ErrorCode | 'INTERNAL';

/** Why a command did not do what it was asked to. */
export interface Failure {
  readonly code: FailureCode;
  readonly message: string;
  readonly plugin?: string;
  /** Where in the plugin's sources, for what could not be built. */
  readonly problems?: readonly BuildProblem[];
  /** The plugin's own lines for what it threw. */
  readonly stack?: string;
  /** What the tool returned, where it returned a failure. */
  readonly result?: Json;
}

/** A failure as the one line that scripts read. */
export function failureLine({ code, message, result }: Failure, durationMs: number): object {
  const error = { code, message };
  return { ok: false, error, ...(result === undefined ? {} : { result }), durationMs };
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

/** Why a plugin does not run; `undefined` where it does. */
export function failureOfPlugin(status: PluginStatus): Failure | undefined {
  if (status.state === 'active') return undefined;
  // What a manifest says amiss and what then fails come together: the latter is the reason.
  const problem =
    status.problems.find(({ code }) => code !== 'INVALID_MANIFEST') ?? status.problems[0];
  const why = problem ?? {
    code: 'PLUGIN_INACTIVE' as const,
    message: `${status.id} does not run.`,
  };
  return { ...why, plugin: status.id };
}

export function noPlugin(directory: string): Failure {
  return {
    code: 'PLUGIN_NOT_FOUND',
    message: `There is no plugin in ${directory}.`,
  };
}
