import { intersects, minVersion, validRange } from 'semver';
import type { Edition } from '../../plugin/plugin.js';
import { quoteText } from '../pandora/text.js';
import { PLUGIN_API, type VellumPackage } from './package.js';

/** The versions of the plugin API that plugins are run against. */
const SUPPORTED = '>=0.8.0 <1.0.0-0';

/** The first version whose hooks do not behave as Vellum's documents say. */
const FIRST_CURRENT = '0.9.0';

/**
 * Which plugin API a package was written for, by the range that it declares of it: one that admits
 * nothing before 0.9 is `current`, any other `classic`. A range that is missing, that cannot be read
 * or that none of our versions satisfies is a problem, and never keeps a plugin from running.
 */
export function readEdition({ peers }: Pick<VellumPackage, 'peers'>): {
  readonly edition: Edition;
  readonly problems: readonly string[];
} {
  const at = `peerDependencies[${JSON.stringify(PLUGIN_API)}]`;
  const range = peers[PLUGIN_API];
  if (range === undefined) return classic(`${at}: is missing; write "^0.8.0"`);
  if (typeof range !== 'string' || validRange(range) === null) {
    const shown = typeof range === 'string' ? quoteText(range) : 'no text';
    return classic(`${at}: ${shown} is no range of versions; write one like "^0.8.0"`);
  }
  const edition = (minVersion(range)?.compare(FIRST_CURRENT) ?? -1) >= 0 ? 'current' : 'classic';
  if (intersects(range, SUPPORTED, { includePrerelease: true })) return { edition, problems: [] };
  return {
    edition,
    problems: [`${at}: ${quoteText(range)} admits no version that runs here (${SUPPORTED})`],
  };
}

function classic(problem: string): { readonly edition: Edition; readonly problems: string[] } {
  return { edition: 'classic', problems: [problem] };
}
