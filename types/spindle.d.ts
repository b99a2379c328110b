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
  readonly userStorage: any;
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
  readonly manifest: any;
  readonly version: any;
  readonly host: any;
  readonly [member: string]: any;
}
