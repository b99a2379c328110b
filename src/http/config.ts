import type { JsonObject } from '../../sandbox/wire/messages.js';
import { BulkheadError } from '../errors.js';
import { object, optional } from '../schema/shape-object.js';
import {
  array,
  boolean,
  isObject,
  number,
  oneOf,
  readShape,
  record,
  type Shape,
  string,
  wrong,
} from '../schema/shape.js';
import { identity, remote } from './config-remotes.js';
import type { ConfigFile, GrantedScopes, GrantWord } from './config-file.js';

/** Reads a configuration's text. Throws `INVALID_OPTIONS` with everything that is wrong in it. */
export function parseConfig(text: string, file: string): ConfigFile {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw invalid(file, [`is not JSON: ${error instanceof Error ? error.message : ''}`]);
  }
  const read = readShape(shape, data, 'configuration');
  if (!read.ok) throw invalid(file, read.problems);
  return read.value;
}

const path: Shape<string> = string('a path, e.g. "/tools"', (text) => /^\/[\w\-./]*$/.test(text));
/** What is there instead may be the credential itself, and is not repeated. */
const place: Shape<string> = {
  read: (value, at, problems) => {
    if (typeof value === 'string' && /^(?:env:\w+|@.+)$/s.test(value)) return { value };
    problems.push(`${at}: must be "env:NAME" or "@FILE"`);
    return undefined;
  },
};
const texts: Shape<readonly string[]> = array(string());
/** What JSON.parse made of an object holds nothing but JSON. */
const jsonObject: Shape<JsonObject> = {
  read: (value, at, problems) =>
    isJsonObject(value) ? { value } : wrong('an object', value, at, problems),
};

function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value);
}

const permissions: Shape<GrantedScopes> = object(
  {
    time: optional(boolean),
    random: optional(boolean),
    storage: optional(boolean),
    network: optional(texts),
    environment: optional(texts),
    filesystem: optional(texts),
    powers: optional(texts),
  },
  'refuse',
);

const grantWord: Shape<GrantWord> = oneOf('declared', 'nothing');
const grantOfOne: Shape<GrantWord | GrantedScopes> = either(grantWord, permissions);

const shape: Shape<ConfigFile> = object(
  {
    $schema: optional(string()),
    plugins: optional(texts),
    grant: optional(either(grantWord, record(grantOfOne))),
    config: optional(record(jsonObject)),
    credentials: optional(record(place)),
    hostMode: optional(texts),
    background: optional(texts),
    overrides: optional(array(object({ host: string(), url: string() }, 'refuse'))),
    tolerance: optional(oneOf('strict', 'default', 'relaxed', 'full')),
    trustHints: optional(texts),
    rules: optional(string()),
    lockFile: optional(string()),
    audit: optional(string()),
    storageDirectory: optional(string()),
    limits: optional(record(number)),
    remotes: optional(array(remote)),
    identity: optional(identity),
    server: optional(
      object(
        {
          host: optional(string()),
          port: optional(number),
          publicUrl: optional(string()),
          token: optional(string('a text of at least 16 characters', (text) => text.length >= 16)),
          limits: optional(record(number)),
        },
        'refuse',
      ),
    ),
    vertesia: optional(
      object(
        {
          path: optional(path),
          title: optional(string()),
          description: optional(string()),
          tools: optional(texts),
          details: optional(boolean),
        },
        'refuse',
      ),
    ),
    mcp: optional(
      object(
        {
          path: optional(path),
          tools: optional(texts),
          instructions: optional(string()),
          stateKey: optional(
            string('a text of at least 32 characters', (text) => text.length >= 32),
          ),
        },
        'refuse',
      ),
    ),
    tokens: optional(
      object(
        {
          issuers: optional(
            array(object({ issuer: string(), jwks: optional(string()) }, 'refuse')),
          ),
          audience: optional(texts),
          organizations: optional(texts),
        },
        'refuse',
      ),
    ),
  },
  'refuse',
);

/** What the first shape reads, or else the second. Complaints are those of the second. */
function either<A, B>(first: Shape<A>, second: Shape<B>): Shape<A | B> {
  return {
    read: (value, at, problems) => first.read(value, at, []) ?? second.read(value, at, problems),
  };
}

function invalid(file: string, problems: readonly string[]): BulkheadError {
  return new BulkheadError('INVALID_OPTIONS', `${file} cannot be used: ${problems.join('; ')}.`, {
    option: '--config',
  });
}
