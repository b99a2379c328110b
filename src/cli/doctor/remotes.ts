import type { ConfigFile } from '../../http/config.js';
import { whyNotConfined } from '../../remotes/mcp/confine.js';

/**
 * How the configured tool servers that are commands of this machine are confined, as sentences. `reason`:
 * why this machine cannot confine them; `undefined` if it can.
 */
export async function describeCommands(
  { remotes = [] }: ConfigFile,
  reason: () => Promise<string | undefined> = whyNotConfined,
): Promise<string[]> {
  const commands = remotes.flatMap((one) => ('command' in one ? [one] : []));
  const why = commands.some(({ confine }) => confine !== undefined) ? await reason() : undefined;
  return commands.map(({ id, confine }) => {
    if (confine === undefined) {
      return `${id} is NOT CONFINED: its command has all rights of its user. To confine it, add "confine"`;
    }
    return why === undefined
      ? `${id} is confined by sandbox-runtime, not by Bulkhead`
      : `${id} does not start: ${why}`;
  });
}
