import type { RemoteOptions } from '../../index.js';
import { usageError } from '../failure.js';

/** Puts variables of the host's in the places of a server's headers and variables that name them. */
export function fillIn(
  remote: RemoteOptions,
  environment: Readonly<Record<string, string | undefined>>,
): RemoteOptions {
  const fill = (texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(
      Object.entries(texts).map(([name, text]) => [
        name,
        text.replaceAll(/\$\{(\w+)\}/g, (_all, variable: string) => {
          const value = environment[variable];
          if (value !== undefined) return value;
          throw usageError('remotes', `a server is to be sent ${variable}, which has no value`);
        }),
      ]),
    );
  if ('headers' in remote && remote.headers !== undefined) {
    return { ...remote, headers: fill(remote.headers) };
  }
  if ('env' in remote && remote.env !== undefined) return { ...remote, env: fill(remote.env) };
  return remote;
}
