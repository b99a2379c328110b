import type { Plugin, PluginSecrets, SecretPlace } from '../index.js';
import { usageError } from './failure.js';

/** `--secret KEY=[PLACE,…@]HOST,…`, which may be given several times, once for each variable. */
export function collectSecret(text: string, before: PluginSecrets = {}): PluginSecrets {
  const [, name, places, hosts] = /^([^=]+)=(?:([^@]*)@)?([^@]+)$/.exec(text) ?? [];
  if (name === undefined || hosts === undefined) {
    throw usageError('--secret', `--secret takes ${FORM}, not ${JSON.stringify(text)}`);
  }
  if (Object.hasOwn(before, name)) {
    throw usageError('--secret', `--secret names ${name} twice: write its hosts in one, as a,b`);
  }
  const binding = { hosts: hosts.split(','), in: (places ?? 'header,query').split(',').map(place) };
  return { ...before, [name]: binding };
}

const FORM = 'KEY=HOST or KEY=PLACE@HOST, with PLACE one of header, header:NAME, query, query:NAME';

function place(text: string): SecretPlace {
  if (isPlace(text)) return text;
  throw usageError('--secret', `--secret takes ${FORM} or body; ${JSON.stringify(text)} is none`);
}

function isPlace(text: string): text is SecretPlace {
  return /^(?:body|(?:header|query)(?::.+)?)$/s.test(text);
}

/** For commands that run several plugins: each holds by reference what it declares of them. */
export function whereDeclared(secrets: PluginSecrets): (plugin: Plugin) => PluginSecrets {
  return ({ entries }) => {
    const declared = entries.flatMap((entry) => entry.declared.environment);
    return Object.fromEntries(Object.entries(secrets).filter(([name]) => declared.includes(name)));
  };
}
