import type { SecretPlace } from '../brokers/network/secrets/secret.js';
import type { CredentialSource } from '../engine/types/credentials.js';
import type { PluginSecrets } from '../engine/types/options.js';
import type { Plugin } from '../plugin/plugin.js';
import type { CliCapabilities } from './capabilities.js';
import { reasonOf, usageError } from './failure.js';

/** `--secret KEY=[PLACE,…@]HOST,…`, once for each variable. The place `only` refuses other credentials. */
export function collectSecret(text: string, before: PluginSecrets = {}): PluginSecrets {
  const [, name, places, hosts] = /^([^=]+)=(?:([^@]*)@)?([^@]+)$/.exec(text) ?? [];
  if (name === undefined || hosts === undefined) {
    throw usageError('--secret', `--secret takes ${SECRET_FORM}, not ${JSON.stringify(text)}`);
  }
  if (Object.hasOwn(before, name)) {
    throw usageError(
      '--secret',
      `--secret names ${name} twice; list its hosts in one option, separated by commas`,
    );
  }
  const words = (places ?? '').split(',').filter((word) => word !== '' || places !== undefined);
  const named = words.filter((word) => word !== 'only');
  const binding = {
    hosts: hosts.split(','),
    in: (named.length === 0 ? ['header', 'query'] : named).map(parsePlace),
    ...(words.includes('only') ? { only: true } : {}),
  };
  return { ...before, [name]: binding };
}

const SECRET_FORM =
  'KEY=HOST or KEY=PLACE@HOST, with PLACE one of header, header:NAME, query, query:NAME, only';

function parsePlace(text: string): SecretPlace {
  if (isPlace(text)) return text;
  throw usageError(
    '--secret',
    `--secret takes ${SECRET_FORM} or body, not ${JSON.stringify(text)}`,
  );
}

function isPlace(text: string): text is SecretPlace {
  return /^(?:body|(?:header|query)(?::.+)?)$/s.test(text);
}

/** For commands with several plugins: each gets the secrets whose variable it declares. */
export function declaredSecrets(secrets: PluginSecrets): (plugin: Plugin) => PluginSecrets {
  return ({ entries }) => {
    const declared = entries.flatMap((entry) => entry.declared.env);
    return Object.fromEntries(Object.entries(secrets).filter(([name]) => declared.includes(name)));
  };
}

/** The sources of credentials, by `plugin/key`. Arguments are visible to all processes, so no values. */
export type CredentialPlaces = Readonly<Record<string, CredentialPlace>>;

type CredentialPlace = { readonly variable: string } | { readonly file: string };

/** `--credential PLUGIN/KEY=env:NAME` or `=@FILE`, once for each credential. */
export function collectCredential(text: string, before: CredentialPlaces = {}): CredentialPlaces {
  const at = text.indexOf('=');
  const name = at < 0 ? '' : text.slice(0, at);
  if (!/^[^/\s](?:.*\S)?\/[\w][\w.:-]*$/s.test(name)) {
    throw usageError('--credential', `--credential takes ${CREDENTIAL_FORM}`);
  }
  if (Object.hasOwn(before, name)) {
    throw usageError('--credential', `--credential names ${name} twice`);
  }
  return { ...before, [name]: credentialPlaceOf(text.slice(at + 1), '--credential') };
}

/** Parses `env:NAME` or `@FILE`. Throws for any other text, which may be the credential itself. */
export function credentialPlaceOf(text: string, option: string): CredentialPlace {
  const [, variable, file] = /^(?:env:(\w+)|@(.+))$/s.exec(text) ?? [];
  if (variable !== undefined) return { variable };
  if (file !== undefined) return { file };
  // The message does not repeat the text, which may be a credential.
  throw usageError(
    option,
    `${option} takes ${CREDENTIAL_FORM}; it never takes the credential itself`,
  );
}

const CREDENTIAL_FORM = 'PLUGIN/KEY=env:NAME, a variable, or PLUGIN/KEY=@FILE';

/**
 * The engine's source of credentials. A file is read at each request, so a replaced file takes effect at
 * once. A line break at its end is removed.
 */
export function credentialsFrom(
  places: CredentialPlaces | undefined,
  { environment, readFile }: Pick<CliCapabilities, 'environment' | 'readFile'>,
): { readonly credentials?: CredentialSource } {
  if (places === undefined) return {};
  const known = new Map(Object.entries(places));
  return {
    credentials: async (plugin, key) => {
      const place = known.get(`${plugin}/${key}`);
      if (place === undefined) return undefined;
      if ('variable' in place) return environment[place.variable];
      const text = await readFile(place.file).catch((error: unknown) => {
        const why = reasonOf(error);
        throw usageError('--credential', `--credential cannot read ${place.file}: ${why}`);
      });
      return text.replace(/\r?\n$/, '');
    },
  };
}
