import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { isJsonObject } from '../../../sandbox/wire/json.js';
import type { CatalogTool } from '../../catalog/catalog.js';
import type { Engine } from '../../engine/engine-api.js';
import type { McpList, McpSource } from '../../plugin/mcp-source.js';
import type { ServedTools } from '../served.js';

/** The served tools and MCP servers, under the names that clients see. */
export interface ServedNames {
  /** The name of a served tool. */
  nameOf(tool: CatalogTool): string;
  find(name: string): CatalogTool | undefined;
  sources(): readonly McpSource[];
  /** All items of a list, of all servers, under the names that clients see. A server that fails is left out. */
  list(kind: McpList, signal: AbortSignal): Promise<readonly JsonObject[]>;
  /** The server of a resource, and its own address of it. */
  resource(uri: string): Named | undefined;
  /** The server of a prompt, and its own name of it. */
  prompt(name: string): Named | undefined;
  /** An address of a server, as clients see it. */
  exportUri(source: string, uri: string): string;
  /** A block or a result of a server, with its addresses as clients see them. */
  exportUris<T extends JsonObject>(source: string, value: T): T;
}

export interface Named {
  readonly source: McpSource;
  readonly name: string;
}

/**
 * If one MCP server is all that is served, its tools, prompts and resources have its own names. Otherwise
 * tools and prompts are named `id__name`, and `id+` stands before the address of a resource.
 */
export function makeServedNames(
  engine: Pick<Engine, 'mcpSources'>,
  served: ServedTools,
  onError: (error: Error) => void,
): ServedNames {
  const alone = (): McpSource | undefined => {
    const [first, ...others] = engine.mcpSources();
    if (first === undefined || others.length > 0) return undefined;
    return served.list().every(({ plugin }) => plugin === first.id) ? first : undefined;
  };
  const exportUri = (source: string, uri: string): string =>
    // A client could take such an address for a file of its own machine, or for a page to run.
    // guard: mcp-local-address-marked
    alone()?.id === source && !LOCAL.test(uri) ? uri : `${schemeOf(source)}+${uri}`;
  const exportUris = <T extends JsonObject>(source: string, value: T): T => {
    const { uri, resource, uriTemplate } = value;
    return {
      ...value,
      ...(typeof uri === 'string' ? { uri: exportUri(source, uri) } : {}),
      ...(typeof uriTemplate === 'string' ? { uriTemplate: exportUri(source, uriTemplate) } : {}),
      ...(isJsonObject(resource) ? { resource: exportUris(source, resource) } : {}),
    };
  };
  const names: ServedNames = {
    nameOf: ({ name, plugin, tool }) => (alone()?.id === plugin ? tool : name),
    find: (name) => {
      const only = alone();
      return only === undefined
        ? served.find(name)
        : served.list().find(({ tool }) => tool === name);
    },
    sources: () => engine.mcpSources(),
    list: async (kind, signal) => {
      const lists = await Promise.all(
        engine.mcpSources().map(async (source) => {
          const { offers } = source;
          if (kind === 'prompts' ? !offers.prompts : !offers.resources) return [];
          try {
            const items = await source.list(kind, signal);
            return items.map((item) => {
              const { name } = item;
              return kind === 'prompts' && typeof name === 'string'
                ? { ...item, name: promptName(alone(), source.id, name) }
                : exportUris(source.id, item);
            });
          } catch (error) {
            // Many servers have resources and no templates.
            onError(error instanceof Error ? error : new Error(String(error)));
            return [];
          }
        }),
      );
      return lists.flat();
    },
    resource: (uri) => {
      const only = alone();
      const source = engine
        .mcpSources()
        .find(({ id }) => uri.toLowerCase().startsWith(`${schemeOf(id)}+`));
      if (source !== undefined) {
        return { source, name: uri.slice(schemeOf(source.id).length + 1) };
      }
      return only === undefined ? undefined : { source: only, name: uri };
    },
    prompt: (name) => {
      const only = alone();
      if (only !== undefined) return { source: only, name };
      const source = engine.mcpSources().find(({ id }) => name.startsWith(`${id}__`));
      return source && { source, name: name.slice(source.id.length + 2) };
    },
    exportUri,
    exportUris,
  };
  return names;
}

/** Schemes that a client may resolve on its own machine. */
const LOCAL = /^\s*(?:file|data|javascript|vscode|blob|about):/i;

function promptName(alone: McpSource | undefined, id: string, name: string): string {
  return alone?.id === id ? name : `${id}__${name}`;
}

/** The id as the start of a URI's scheme, which has fewer characters. Ids that differ stay different. */
function schemeOf(id: string): string {
  if (/^[a-z][a-z0-9.-]*$/.test(id)) return id;
  const digest = createHash('sha256').update(id).digest('hex').slice(0, 6);
  return `s-${id.toLowerCase().replaceAll(/[^a-z0-9.-]/g, '-')}-${digest}`;
}
