/**
 * What a Pandora tools plugin finds: the types of its SDK, and the globals that its permissions
 * endow. Name it in a plugin's tsconfig: `"types": ["bulkhead/types/pandora"]`.
 */

declare module '@pandorakit/sdk/tools' {
  /** A tool, as an entry exports it in its array `tools`. */
  export interface Tool {
    /** Unique in the plugin; never holds a `:`. */
    readonly id: string;
    readonly name: string;
    /** What it does: shown to the model. */
    readonly description: string;
    /** JSON Schema of the input. */
    readonly parameters?: Record<string, unknown>;
    /** The input fits `parameters`. What is returned is copied as JSON. */
    execute(input: any, context: ToolContext): unknown;
    /** In milliseconds. Default: 60,000. */
    readonly timeout?: number;
    readonly sandbox?: SandboxMode;
    /** What of the entry's permissions it has: less gives it a process of its own. */
    readonly permissions?: ToolPermissions;
    readonly annotations: ToolAnnotations;
  }

  export interface ToolContext {
    /** The variables that were granted. */
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly logger: ToolLogger;
    /** Aborted where the caller gives up, and at the deadline. */
    readonly signal: AbortSignal;
  }

  export interface ToolLogger {
    log(...parts: unknown[]): void;
    debug(...parts: unknown[]): void;
    info(...parts: unknown[]): void;
    warn(...parts: unknown[]): void;
    error(...parts: unknown[]): void;
  }

  export interface ToolAnnotations {
    readonly title?: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
  }

  export interface ToolPermissions {
    readonly time?: boolean;
    readonly network?: readonly string[];
    readonly env?: readonly string[];
    readonly fs?: readonly string[];
    readonly random?: boolean;
    readonly storage?: boolean;
    readonly powers?: readonly string[];
  }

  export type SandboxMode = 'compartment' | 'host';

  export type PluginConfig = Readonly<Record<string, unknown>>;

  export interface ResolveToolsContext {
    readonly pluginConfig: PluginConfig;
    readonly env: Readonly<Record<string, string | undefined>>;
  }

  export interface ResolveToolsResult {
    readonly tools: readonly Tool[];
    readonly alerts?: readonly ToolAlert[];
  }

  export interface ToolAlert {
    readonly level: 'info' | 'warning';
    readonly message: string;
  }
}

/** The text of one file, where the fs permission names its path. */
declare function readFile(path: string): Promise<string>;

/** The granted variables. */
declare const env: { get(key: string): string | undefined };

/** Files of the plugin's own, where it has the permission `storage`. Paths begin at its top. */
declare const storage: {
  read(path: string): Promise<string>;
  readBytes(path: string): Promise<Uint8Array>;
  write(path: string, content: string | ArrayBufferView | ArrayBuffer): Promise<void>;
  append(path: string, content: string | ArrayBufferView | ArrayBuffer): Promise<void>;
  list(path?: string, options?: { readonly recursive?: boolean }): Promise<BulkheadStorageEntry[]>;
  stat(path: string): Promise<BulkheadStorageEntry | undefined>;
  mkdir(path: string): Promise<void>;
  /** Whether anything was there. */
  delete(path: string, options?: { readonly recursive?: boolean }): Promise<boolean>;
  move(path: string, to: string): Promise<void>;
  usage(): Promise<{ bytes: number; files: number; maxBytes: number; maxFiles: number }>;
};

interface BulkheadStorageEntry {
  name: string;
  kind: 'file' | 'directory';
  bytes: number;
  /** Milliseconds since 1970; 0 without the permission to tell the time. */
  modifiedMs: number;
}

/** What the host lends by name, where the permission `powers` has it. */
declare const powers: Readonly<Record<string, (args?: unknown) => Promise<any>>>;
