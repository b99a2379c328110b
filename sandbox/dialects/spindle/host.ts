import type { Json } from '../../wire/messages.js';
import type { DialectWorld } from '../dialect.js';
import type { HostCalls } from './host-calls.js';
import type { Introduction } from './introduction.js';
import { strict } from './strict.js';

/** The version of Lumiverse whose interface this is, where a host does not name its own. */
const LUMIVERSE_VERSION = '1.2.0';

/** `spindle.host`: what an extension may check before it relies on it. */
export function makeHost({ installationId }: Introduction): Json {
  return {
    descriptorVersion: 1,
    lumiverseVersion: LUMIVERSE_VERSION,
    capabilities: { 'generation-assembly-v1': 1, 'interceptor-context-v1': 1 },
    extensionInstallationId: installationId,
  };
}

/**
 * `spindle.contracts`: revisions of what hosts pass to handlers. Plain data: what is not there is
 * `undefined`, since extensions ask for what later hosts may have.
 */
export const contracts: Readonly<Record<string, number>> = { preAssemblyGenerationContext: 1 };

export function makeVersion(calls: HostCalls): object {
  const ask = (member: string) => (): Promise<unknown> =>
    calls.ask({ name: `spindle.version.${member}`, otherwise: () => LUMIVERSE_VERSION }, []);
  return strict('spindle.version', {
    getBackend: ask('getBackend'),
    getFrontend: ask('getFrontend'),
  });
}

/** `spindle.log`. A line is a line of the host's log, whatever it says. */
export function makeLog(world: DialectWorld): object {
  const at =
    (level: 'info' | 'warn' | 'error') =>
    (...parts: unknown[]): void =>
      world.log(level, parts);
  return strict('spindle.log', { info: at('info'), warn: at('warn'), error: at('error') });
}
