import type { Logger } from '../../engine/types/options.js';
import type { PluginStatus } from '../../engine/types/status.js';
import type { CliCapabilities } from '../capabilities.js';
import { findEmpty } from '../failure.js';

/** What does not run as the configuration says. */
export interface Finding {
  /** An error: a plugin fails. A warning: a named directory has no plugin. */
  readonly level: 'error' | 'warning';
  readonly plugin?: string;
  readonly directory?: string;
  readonly code?: string;
  readonly message: string;
}

/** The findings about the plugins of an engine, and about the directories that were named. */
export async function findingsOf(
  plugins: readonly PluginStatus[],
  directories: readonly string[],
  capabilities: Pick<CliCapabilities, 'realPath'>,
): Promise<readonly Finding[]> {
  const empty = await findEmpty(directories, plugins, capabilities);
  return [
    ...empty.map((directory): Finding => ({
      level: 'warning',
      directory,
      message: 'the directory contains no plugin',
    })),
    ...plugins.flatMap(({ id, state, problems }) =>
      problems
        // A plugin that the configuration disables is as it should be.
        .filter(({ code }) => state === 'failed' || code !== 'PLUGIN_INACTIVE')
        .map(({ code, message }): Finding => ({ level: 'error', plugin: id, code, message })),
    ),
  ];
}

/** Writes each finding as a line of the log. */
export function logFindings(findings: readonly Finding[], logger: Logger): void {
  for (const { level, message, ...fields } of findings) {
    if (level === 'error') logger.error(fields, message);
    else logger.warn(fields, message);
  }
}
