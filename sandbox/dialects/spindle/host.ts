import type { Json, JsonObject } from '../../wire/messages.js';
import { isRecord } from '../../wire/json.js';
import type { DialectWorld } from '../dialect.js';
import type { HostCalls } from './host-calls.js';
import { strict } from './strict.js';

/** The extension's information about itself, as its format built it, and about its host. */
interface PluginInfo {
  readonly manifest: JsonObject;
  /** A UUID in lower case. */
  readonly installationId: string;
  /** The host's version of Lumiverse, and the capabilities of its pages, by the configuration. */
  readonly lumiverseVersion: string;
  readonly capabilities: JsonObject;
}

export function readPluginInfo(pluginInfo: Json, config: Json): PluginInfo {
  const given = asObject(pluginInfo);
  const manifest = asObject(given['manifest'] ?? null);
  const { lumiverseVersion, hostCapabilities = null } = asObject(config);
  return {
    manifest,
    installationId: typeof given['installationId'] === 'string' ? given['installationId'] : '',
    lumiverseVersion: typeof lumiverseVersion === 'string' ? lumiverseVersion : LUMIVERSE_VERSION,
    capabilities: asObject(hostCapabilities),
  };
}

function asObject(value: Json): JsonObject {
  return isRecord(value) ? value : {};
}

/** The Lumiverse version of this interface. Used if the host does not name its own version. */
const LUMIVERSE_VERSION = '1.2.0';

/**
 * The capabilities that the engine provides, each with the power that the host has to lend for it.
 * The operator adds those of its pages (`config[id].hostCapabilities`).
 */
const CAPABILITIES: Readonly<Record<string, string | undefined>> = {
  'generation-assembly-v1': undefined,
  'interceptor-context-v1': undefined,
  'interceptor-final-response-v1': undefined,
  'connection-dispatch-resolution-v1': 'spindle.connections.resolveDispatch',
  'text-editor-close-v1': 'spindle.textEditor.close',
};

/** `spindle.host`: facts that an extension may check. */
export function makeHost(
  { installationId, lumiverseVersion, capabilities }: PluginInfo,
  hostPowers: readonly string[],
): Json {
  const served = Object.entries(CAPABILITIES).filter(
    ([, power]) => power === undefined || hostPowers.includes(power),
  );
  return {
    descriptorVersion: 1,
    lumiverseVersion,
    capabilities: { ...Object.fromEntries(served.map(([name]) => [name, 1])), ...capabilities },
    extensionInstallationId: installationId,
  };
}

/**
 * `spindle.contracts`: revisions of the payloads that hosts pass to handlers. Plain data:
 * extensions test for names of later hosts, so an unknown name is `undefined`.
 */
export const contracts: Readonly<Record<string, number>> = { preAssemblyGenerationContext: 1 };

export function makeVersion(calls: HostCalls): object {
  const ask = (member: string) => (): Promise<unknown> =>
    calls.request({ name: `spindle.version.${member}`, otherwise: () => LUMIVERSE_VERSION }, []);
  return strict('spindle.version', {
    getBackend: ask('getBackend'),
    getFrontend: ask('getFrontend'),
  });
}

/** `spindle.log`: writes to the host's log. */
export function makeLog(world: DialectWorld): object {
  const at =
    (level: 'info' | 'warn' | 'error') =>
    (...parts: unknown[]): void =>
      world.log(level, parts);
  return strict('spindle.log', { info: at('info'), warn: at('warn'), error: at('error') });
}
