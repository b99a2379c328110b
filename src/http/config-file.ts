import type { JsonObject } from '../../sandbox/wire/messages.js';
import type { RemoteOptions } from '../remotes/open.js';
import type { Tolerance } from '../approval/tolerance.js';
import type { Permissions } from '../permissions/kind.js';

/**
 * `bulkhead.config.json`: what a server is told besides its command line.
 * `bulkhead.config.schema.json` says the same for editors; a test holds them together.
 */
export interface ConfigFile {
  readonly $schema?: string;
  /** Directories of plugins, relative to the file. */
  readonly plugins?: readonly string[];
  readonly grant?: GrantWord | Readonly<Record<string, GrantWord | GrantedScopes>>;
  /** By plugin id. */
  readonly config?: Readonly<Record<string, JsonObject>>;
  /** Where credentials are, by `plugin/key`: `env:NAME` or `@FILE`, relative to the file. */
  readonly credentials?: Readonly<Record<string, string>>;
  readonly hostMode?: readonly string[];
  readonly background?: readonly string[];
  readonly overrides?: readonly { readonly host: string; readonly url: string }[];
  /** How much risk runs unasked. */
  readonly tolerance?: Tolerance;
  /** Ids of plugins and servers whose own word may lower the risk of their tools. */
  readonly trustHints?: readonly string[];
  /** The file of rules, the lock file and the audit log. Relative to the file. */
  readonly rules?: string;
  readonly lockFile?: string;
  readonly audit?: string;
  /** Where plugins keep files, and what was reviewed of servers is kept. Relative to the file. */
  readonly storageDirectory?: string;
  /** The engine's. */
  readonly limits?: Readonly<Record<string, number>>;
  /**
   * Servers of tools that run elsewhere. In their headers and variables, `${NAME}` stands for a
   * variable of the host's.
   */
  readonly remotes?: readonly RemoteOptions[];
  /** Who we are to servers that ask for a token. */
  readonly identity?: {
    /** Default: this server's own URL, below which its keys are served. */
    readonly issuer?: string;
    /** A file that holds a private key (EC, P-256) as JWK. Default: one that is made at each start. */
    readonly keyFile?: string;
    readonly subject?: string;
    readonly account?: { readonly id: string; readonly name: string };
  };
  readonly server?: {
    readonly host?: string;
    readonly port?: number;
    readonly publicUrl?: string;
    readonly token?: string;
    readonly limits?: Readonly<Record<string, number>>;
  };
  readonly vertesia?: {
    readonly path?: string;
    readonly title?: string;
    readonly description?: string;
    readonly tools?: readonly string[];
    readonly details?: boolean;
  };
  readonly mcp?: {
    readonly path?: string;
    readonly tools?: readonly string[];
    readonly instructions?: string;
    readonly stateKey?: string;
  };
  readonly tokens?: {
    readonly issuers?: readonly { readonly issuer: string; readonly jwks?: string }[];
    readonly audience?: readonly string[];
    readonly organizations?: readonly string[];
  };
}

export type GrantWord = 'declared' | 'nothing';

/** What a plugin gets at most of what it declares. */
export type GrantedScopes = Partial<
  Pick<
    Permissions,
    'time' | 'random' | 'storage' | 'network' | 'environment' | 'filesystem' | 'powers'
  >
>;
