import { isRecord } from '../../sandbox/wire/json.js';
import {
  array,
  boolean,
  either,
  number,
  object,
  oneOf,
  optional,
  record,
  type Shape,
  string,
  wrong,
} from '../schema/shape.js';
import type {
  Confinement,
  McpHttpOptions,
  McpPowers,
  McpStdioOptions,
  OAuthOptions,
  RemoteOptions,
  VertesiaRemoteOptions,
} from './remote.js';

const texts: Shape<readonly string[]> = array(string());

const vertesiaRemote: Shape<VertesiaRemoteOptions> = object(
  {
    vertesia: string(),
    id: optional(string()),
    allowPrivate: optional(boolean),
    origins: optional(texts),
    tools: optional(texts),
  },
  'refuse',
);

const mcpPowers: Shape<McpPowers> = object(
  {
    elicitation: optional(either(boolean, object({ urls: texts }, 'refuse'))),
    sampling: optional(
      either(
        boolean,
        object({ maxTokens: optional(number), maxRequests: optional(number) }, 'refuse'),
      ),
    ),
    roots: optional(texts),
  },
  'refuse',
);

const oauth: Shape<OAuthOptions> = object(
  {
    clientId: optional(string()),
    clientSecret: optional(string()),
    clientMetadataUrl: optional(string()),
    redirectPort: optional(number),
    scope: optional(string()),
  },
  'refuse',
);

const mcpRemote: Shape<McpHttpOptions> = object(
  {
    mcp: string(),
    id: optional(string()),
    allowPrivate: optional(boolean),
    headers: optional(record(string())),
    oauth: optional(either(boolean, oauth)),
    allow: optional(mcpPowers),
    protocol: optional(oneOf('auto', 'legacy')),
    tools: optional(texts),
  },
  'refuse',
);

const confinement: Shape<Confinement> = object(
  { hosts: optional(texts), fs: optional(texts) },
  'refuse',
);

const commandRemote: Shape<McpStdioOptions> = object(
  {
    command: string(),
    args: optional(texts),
    id: string(),
    env: optional(record(string())),
    cwd: optional(string()),
    confine: optional(confinement),
    allow: optional(mcpPowers),
    protocol: optional(oneOf('auto', 'legacy')),
    tools: optional(texts),
  },
  'refuse',
);

/** A remote tool server. Its first key names its kind. */
export const remote: Shape<RemoteOptions> = {
  read: (value, at, problems) => {
    if (!isRecord(value)) return wrong('an object', value, at, problems);
    if ('vertesia' in value) return vertesiaRemote.read(value, at, problems);
    if ('mcp' in value) return mcpRemote.read(value, at, problems);
    if ('command' in value) return commandRemote.read(value, at, problems);
    problems.push(`${at}: must have mcp, vertesia or command`);
    return undefined;
  },
};
