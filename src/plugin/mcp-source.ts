import type { JsonObject } from '../../sandbox/wire/messages.js';
import type { LogLevel } from './call-client.js';

/**
 * What an MCP server offers besides its tools. Its lists and answers have been read field by field, and
 * are capped. Their texts are the server's own: data, not instructions.
 */
export interface McpSource {
  /** The id of the plugin or remote. */
  readonly id: string;
  /** What the server announced; nothing before it has been connected. */
  readonly offers: McpOffers;
  /** All pages of a list. Rejects with a `BulkheadError`. */
  list(kind: McpList, signal: AbortSignal): Promise<readonly JsonObject[]>;
  /** Sends one request, and reads its result. Rejects with a `BulkheadError`. */
  ask(method: McpQuestion, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** Subscribes to changes of a resource. Returns how to unsubscribe. */
  subscribe(uri: string, signal: AbortSignal): Promise<() => Promise<void>>;
  /** Asks the server for log messages of this level and above. */
  setLogLevel(level: LogLevel, signal: AbortSignal): Promise<void>;
  /** Calls the listener for each notice. Returns how to unsubscribe. */
  onNotice(listener: (notice: McpNotice) => void): () => void;
}

export interface McpOffers {
  readonly resources: boolean;
  readonly subscriptions: boolean;
  readonly prompts: boolean;
  readonly completions: boolean;
  readonly logging: boolean;
}

export type McpList = 'resources' | 'templates' | 'prompts';

export type McpQuestion = 'resources/read' | 'prompts/get' | 'completion/complete';

/** What a server reports by itself. */
export type McpNotice =
  | { readonly type: 'offers-changed' }
  | { readonly type: 'resources-changed' }
  | { readonly type: 'prompts-changed' }
  | { readonly type: 'resource-updated'; readonly uri: string };

/**
 * A message whose fields have been read one by one, for a parameter of the SDK. The SDK's types are those of
 * its own schemas, which no type of ours equals.
 */
export function toSdkType(message: unknown): never {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as said above
  return message as never;
}
