import type { CredentialSource } from '../index.js';
import { usageError } from './failure.js';
import type { CliPowers } from './powers.js';

/** Where credentials are, by `plugin/key`. Never what they are: an argument is there for all to read. */
export type CredentialPlaces = Readonly<Record<string, CredentialPlace>>;

type CredentialPlace = { readonly variable: string } | { readonly file: string };

/** `--credential PLUGIN/KEY=env:NAME` or `=@FILE`, once for each. */
export function collectCredential(text: string, before: CredentialPlaces = {}): CredentialPlaces {
  const at = text.indexOf('=');
  const name = at < 0 ? '' : text.slice(0, at);
  if (!/^[^/\s](?:.*\S)?\/[\w][\w.:-]*$/s.test(name)) {
    throw usageError('--credential', `--credential takes ${FORM}`);
  }
  if (Object.hasOwn(before, name)) {
    throw usageError('--credential', `--credential names ${name} twice`);
  }
  return { ...before, [name]: placeOf(text.slice(at + 1), '--credential') };
}

/** Reads the place of one: `env:NAME` or `@FILE`. Throws for what might be the credential itself. */
export function placeOf(text: string, option: string): CredentialPlace {
  const [, variable, file] = /^(?:env:(\w+)|@(.+))$/s.exec(text) ?? [];
  if (variable !== undefined) return { variable };
  if (file !== undefined) return { file };
  // The text is not repeated: whoever wrote a credential there has shown it to enough already.
  throw usageError(option, `${option} takes ${FORM}; what a credential is stands in neither`);
}

const FORM = 'PLUGIN/KEY=env:NAME, a variable, or PLUGIN/KEY=@FILE';

/**
 * The engine's source of credentials. Files are read when a plugin asks, so that one that was
 * replaced counts from then on; a line break at its end is none of it.
 */
export function credentialsFrom(
  places: CredentialPlaces | undefined,
  { environment, readFile }: Pick<CliPowers, 'environment' | 'readFile'>,
): { readonly credentials?: CredentialSource } {
  if (places === undefined) return {};
  const known = new Map(Object.entries(places));
  return {
    credentials: async (plugin, key) => {
      const place = known.get(`${plugin}/${key}`);
      if (place === undefined) return undefined;
      if ('variable' in place) return environment[place.variable];
      const text = await readFile(place.file).catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        throw usageError('--credential', `--credential cannot read ${place.file}: ${why}`);
      });
      return text.replace(/\r?\n$/, '');
    },
  };
}
