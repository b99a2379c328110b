import type { McpHttpOptions, McpStdioOptions } from '../remotes/mcp/options.js';
import type { RemoteOptions } from '../remotes/open.js';
import type { VertesiaRemoteOptions } from '../remotes/vertesia/options.js';
import { object, optional } from '../schema/shape-object.js';
import { array, boolean, isObject, record, type Shape, string, wrong } from '../schema/shape.js';
import type { ConfigFile } from './config-file.js';

const texts: Shape<readonly string[]> = array(string());

const vertesia: Shape<VertesiaRemoteOptions> = object(
  {
    vertesia: string(),
    id: optional(string()),
    allowPrivate: optional(boolean),
    origins: optional(texts),
    tools: optional(texts),
  },
  'refuse',
);

const mcp: Shape<McpHttpOptions> = object(
  {
    mcp: string(),
    id: optional(string()),
    allowPrivate: optional(boolean),
    headers: optional(record(string())),
    tools: optional(texts),
  },
  'refuse',
);

const command: Shape<McpStdioOptions> = object(
  {
    command: string(),
    args: optional(texts),
    id: string(),
    env: optional(record(string())),
    cwd: optional(string()),
    tools: optional(texts),
  },
  'refuse',
);

/** A server of tools, told apart by what it is reached by. */
export const remote: Shape<RemoteOptions> = {
  read: (value, at, problems) => {
    if (!isObject(value)) return wrong('an object', value, at, problems);
    if ('vertesia' in value) return vertesia.read(value, at, problems);
    return 'mcp' in value ? mcp.read(value, at, problems) : command.read(value, at, problems);
  },
};

export const identity: Shape<NonNullable<ConfigFile['identity']>> = object(
  {
    issuer: optional(string()),
    keyFile: optional(string()),
    subject: optional(string()),
    account: optional(object({ id: string(), name: string() }, 'refuse')),
  },
  'refuse',
);
