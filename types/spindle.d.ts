/**
 * `spindle`, the one global of a Spindle extension. Name it in an extension's tsconfig:
 * `"types": ["bulkhead/types/spindle"]`. Members that Spindle's own documents describe have their
 * types; the others take and give anything.
 */
declare const spindle: SpindleApi;

/** What a tool is registered with. The host adds whose it is. */
interface ToolRegistrationDTO {
  /** A bare name, without `:`. */
  name: string;
  display_name: string;
  description: string;
  parameters: SpindleJsonSchema;
  council_eligible?: boolean;
  inline_available?: boolean;
}

interface SpindleJsonSchema {
  [keyword: string]: unknown;
}

interface ToolInvocationPayloadDTO {
  toolName: string;
  /** What fits the tool's parameters; in councils also `context` and `__deadlineMs`. */
  args: Record<string, any>;
  requestId: string;
  councilMember?: CouncilMemberContext;
  contextMessages?: LlmMessageDTO[];
}

interface CouncilMemberContext {
  memberId: string;
  itemId: string;
  packId: string;
  packName: string;
  name: string;
  role: string;
  chance: number;
  avatarUrl: string | null;
  definition: string;
  personality: string;
  behavior: string;
  genderIdentity: 0 | 1 | 2 | 3;
}

interface LlmMessageDTO {
  role: 'system' | 'user' | 'assistant';
  content: string;
  name?: string;
}

interface SpindleStorage {
  read(path: string): Promise<string>;
  write(path: string, content: string): Promise<void>;
  readBinary(path: string): Promise<Uint8Array>;
  writeBinary(path: string, content: Uint8Array): Promise<void>;
  delete(path: string): Promise<void>;
  list(prefix?: string): Promise<string[]>;
  exists(path: string): Promise<boolean>;
  mkdir(path: string): Promise<void>;
  move(from: string, to: string): Promise<void>;
  stat(path: string): Promise<any>;
  getJson<Value = any>(path: string, options?: { fallback?: Value }): Promise<Value>;
  setJson(path: string, value: unknown, options?: { indent?: number }): Promise<void>;
}

/** The files of a user. An extension of the operator names the user; a user's own extension has one. */
interface SpindleUserStorage {
  read(path: string, userId?: string): Promise<string>;
  write(path: string, content: string, userId?: string): Promise<void>;
  readBinary(path: string, userId?: string): Promise<Uint8Array>;
  writeBinary(path: string, content: Uint8Array, userId?: string): Promise<void>;
  delete(path: string, userId?: string): Promise<void>;
  list(prefix?: string, userId?: string): Promise<string[]>;
  exists(path: string, userId?: string): Promise<boolean>;
  mkdir(path: string, userId?: string): Promise<void>;
  move(from: string, to: string, userId?: string): Promise<void>;
  stat(path: string, userId?: string): Promise<any>;
  getJson<Value = any>(
    path: string,
    options?: { fallback?: Value; userId?: string },
  ): Promise<Value>;
  setJson(
    path: string,
    value: unknown,
    options?: { indent?: number; userId?: string },
  ): Promise<void>;
}

interface SpindleVariables {
  /** An empty text if there is none. */
  get(name: string): Promise<string>;
  set(name: string, value: string): Promise<void>;
  delete(name: string): Promise<any>;
  list(): Promise<any>;
  has(name: string): Promise<boolean>;
}

/** The same for a chat. */
interface SpindleChatVariables {
  get(chatId: string, name: string): Promise<string>;
  set(chatId: string, name: string, value: string): Promise<void>;
  delete(chatId: string, name: string): Promise<any>;
  list(chatId: string): Promise<any>;
  has(chatId: string, name: string): Promise<boolean>;
}

interface SpindleMacro {
  name: string;
  description?: string;
  /** The value; it may take what stands after `::`. A text is not a handler. */
  handler?: (context: any) => unknown;
  readonly [member: string]: unknown;
}

interface SpindleResponse {
  status: number;
  statusText: string;
  headers: Record<string, string>;
  /** Base64 if `encoding` says so: for images, sounds and fonts on request. */
  body: string;
  encoding?: 'base64';
}

interface SpindleApi {
  registerTool(tool: ToolRegistrationDTO): void;
  unregisterTool(name: string): void;
  on(event: 'TOOL_INVOCATION', handler: (payload: ToolInvocationPayloadDTO) => unknown): () => void;
  on(event: string, handler: (payload: any, userId?: string) => unknown): () => void;
  readonly permissions: {
    has(permission: string): boolean;
    getGranted(): Promise<string[]>;
    onDenied(handler: (denial: { permission: string; operation: string }) => void): () => void;
    onChanged(handler: (change: any) => void): () => void;
  };
  readonly log: {
    info(message: string): void;
    warn(message: string): void;
    error(message: string): void;
  };
  readonly storage: SpindleStorage;
  readonly userStorage: SpindleUserStorage;
  readonly enclave: {
    put(key: string, value: string, userId?: string): Promise<void>;
    get(key: string, userId?: string): Promise<string | null>;
    delete(key: string, userId?: string): Promise<any>;
    has(key: string, userId?: string): Promise<boolean>;
    list(userId?: string): Promise<string[]>;
  };
  readonly generate: {
    quiet(request: any): Promise<any>;
    raw(request: any): Promise<any>;
    readonly [member: string]: any;
  };
  /** Changes the messages of a prompt. One for each extension. Needs `interceptor`. */
  registerInterceptor(
    handler: (messages: LlmMessageDTO[], context: any) => unknown,
    priority?: number,
  ): any;
  /** Needs `context_handler`. `{ cancelGeneration: true }` stops the generation. */
  registerContextHandler(
    handler: (context: any) => unknown,
    priority?: number,
    options?: { timeoutMs?: number },
  ): any;
  /** Needs `macro_interceptor`. */
  registerMacroInterceptor(handler: (context: any) => unknown, priority?: number): any;
  /** Needs `generation`. */
  registerWorldInfoInterceptor(handler: (context: any) => unknown, priority?: number): any;
  /** Needs `chat_mutation`. */
  registerMessageContentProcessor(handler: (context: any) => unknown, priority?: number): any;
  registerMacro(macro: SpindleMacro): void;
  unregisterMacro(name: string): void;
  updateMacroValue(name: string, value: string): void;
  readonly macros: {
    resolve(text: string, options?: any): Promise<any>;
    readonly [member: string]: any;
  };
  /** Messages of the extension's page. */
  onFrontendMessage(handler: (payload: any, userId: string) => unknown): any;
  sendToFrontend(payload: unknown, userId?: string): void;
  readonly variables: {
    readonly local: SpindleChatVariables;
    readonly chat: SpindleChatVariables;
    readonly global: SpindleVariables;
  };
  /** Needs `cors_proxy`, and a network permission for the host. */
  cors(
    url: string,
    options?: {
      method?: string;
      headers?: Record<string, string>;
      body?: string;
      responseType?: 'text' | 'arraybuffer';
      mediaType?: string;
    },
  ): Promise<SpindleResponse>;
  readonly rpcPool: {
    sync(channel: string, value: unknown, policy?: any): any;
    handle(channel: string, handler: (request: any) => unknown, policy?: any): any;
    read(endpoint: string, payload?: unknown): Promise<any>;
    unregister(channel: string): any;
  };
  readonly manifest: any;
  readonly version: any;
  readonly host: any;
  readonly [member: string]: any;
}
