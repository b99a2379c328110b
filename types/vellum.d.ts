/**
 * `@vellumai/plugin-api`, as the guest provides it to Vellum's plugins. Name it in a plugin's
 * tsconfig: `"types": ["bulkhead/types/vellum"]`.
 *
 * Fields that a hook may change are the ones that are not `readonly`: what is written to another is
 * dropped, and reported.
 */

/** The granted variables. A variable that is not granted, or has no value, is `undefined`. */
declare var process: NodeJS.Process;
declare namespace NodeJS {
  interface ProcessEnv {
    [name: string]: string | undefined;
  }
  interface Process {
    env: ProcessEnv;
  }
}

declare module '@vellumai/plugin-api' {
  export interface ToolDefinition<Input = any> {
    /** Default: the file's name. */
    name?: string;
    /** For the model. Default: ''. */
    description?: string;
    /** JSON Schema. Default: an object without properties. */
    input_schema?: Record<string, unknown>;
    /** Default: 'medium'. */
    defaultRiskLevel?: RiskLevelName;
    category?: string;
    /** Default: by the name's prefix, `host_` and `computer_use_`, else 'sandbox'. */
    executionTarget?: 'sandbox' | 'host';
    exclusive?: boolean;
    execute?(input: Input, ctx: ToolContext): Promise<ToolExecutionResult> | ToolExecutionResult;
  }

  export type RiskLevelName = 'low' | 'medium' | 'high';

  export interface ToolContext {
    readonly conversationId: string;
    readonly workingDir: string;
    readonly requestId?: string;
    /** Aborted on cancel and at the deadline. */
    readonly signal?: AbortSignal;
    readonly onOutput?: (chunk: string) => void;
    readonly assistantId?: string;
    readonly isInteractive?: boolean;
  }

  export interface ToolExecutionResult {
    content: string;
    isError: boolean;
    status?: string;
    yieldToUser?: boolean;
    contentBlocks?: ContentBlock[];
  }

  export type ContentBlock =
    | { type: 'text'; text: string }
    | { type: 'image' | 'file'; source: { media_type: string; data: string; filename?: string } }
    | { type: 'tool_use'; id: string; name: string; input: unknown }
    | ToolResultContent
    | { type: string; [field: string]: unknown };

  export interface ToolResultContent {
    type: 'tool_result';
    tool_use_id: string;
    content: string;
    is_error?: boolean;
  }

  export interface Message {
    role: 'user' | 'assistant';
    content: ContentBlock[];
  }

  /** Takes text and object in either order. */
  export interface PluginLogger {
    debug(first: unknown, second?: unknown): void;
    info(first: unknown, second?: unknown): void;
    warn(first: unknown, second?: unknown): void;
    error(first: unknown, second?: unknown): void;
  }

  export type PluginHookFn<Context> = (
    ctx: Context,
  ) => Promise<Partial<Context> | void> | Partial<Context> | void;

  export type LLMCallSite = string;
  export type StopDecision = 'continue' | 'stop';

  export interface PluginInitContext {
    readonly config: unknown;
    readonly credentials: Record<string, string>;
    readonly pluginStorageDir: string;
    readonly assistantVersion: string;
    readonly logger: PluginLogger;
  }

  export interface PluginShutdownContext {
    readonly assistantVersion: string;
    readonly reason?: 'shutdown' | 'uninstall' | 'disable' | 'reload';
  }

  export interface UserPromptSubmitContext {
    readonly conversationId: string;
    readonly userMessageId: string;
    readonly requestId: string;
    readonly modelProfileKey: string | null;
    readonly isNonInteractive: boolean;
    readonly prompt: string;
    readonly originalMessages: ReadonlyArray<Message>;
    latestMessages: Message[];
    readonly logger: PluginLogger;
  }

  export interface PreModelCallContext {
    readonly conversationId: string;
    readonly callSite?: LLMCallSite | null;
    systemPrompt: string | undefined | null;
    deferAssistantOutput: boolean;
    /** In the current edition. */
    modelProfile?: string | null;
    readonly logger: PluginLogger;
  }

  export interface PostModelCallContext {
    readonly conversationId: string;
    readonly callSite?: LLMCallSite | null;
    content: ContentBlock[];
    readonly stopReason: string | null | undefined;
    /** In the current edition. */
    messages?: Message[];
    readonly error?: unknown;
    decision?: StopDecision;
    readonly logger: PluginLogger;
  }

  export interface PostToolUseContext {
    readonly conversationId: string;
    toolResponse: ToolResultContent;
    readonly messages: ReadonlyArray<Message>;
    additionalContext?: string | null;
    readonly maxInputTokens: number;
    readonly logger: PluginLogger;
  }

  export interface StopContext {
    readonly conversationId: string;
    messages: Message[];
    readonly responseContent: ReadonlyArray<ContentBlock>;
    readonly stopReason: string | null | undefined;
    decision: StopDecision;
    readonly logger: PluginLogger;
  }

  export interface PostCompactContext {
    history: Message[];
    readonly requestId: string | undefined;
    readonly conversationId: string;
    readonly isNonInteractive: boolean;
    readonly modelProfileKey: string | null;
  }

  export const HOOKS: {
    readonly INIT: 'init';
    readonly SHUTDOWN: 'shutdown';
    readonly USER_PROMPT_SUBMIT: 'user-prompt-submit';
    readonly PRE_MODEL_CALL: 'pre-model-call';
    readonly POST_MODEL_CALL: 'post-model-call';
    readonly POST_TOOL_USE: 'post-tool-use';
    readonly POST_COMPACT: 'post-compact';
    readonly STOP: 'stop';
    readonly CONVERSATION_DELETED: 'conversation-deleted';
    readonly CONVERSATIONS_CLEARED: 'conversations-cleared';
  };
  export const RiskLevel: { readonly Low: 'low'; readonly Medium: 'medium'; readonly High: 'high' };
  export const REFUSAL_FALLBACK_TEXT: string;
  export const INTERNAL_NUDGE_OUTPUT_SUPPRESSION: string;
  export const VOICE_ESCALATION_CONTINUATION_MESSAGE_KIND: string;

  export class CredentialResolutionError extends Error {}
  export class CredentialStoreError extends Error {}

  export function isMaxTokensStopReason(reason: unknown): boolean;
  export function isVisionNotSupportedError(error: unknown): boolean;
  export function isToolResultMessage(message: unknown): boolean;
  export function lastToolResultUserMessageIndex(messages: unknown): number;

  // Each uses a power of the host by its name, and throws where the host supplies none.
  /** `service/field`, of the plugin's own service. */
  export function resolveCredential(ref: string): Promise<string>;
  export function storeCredential(ref: string, value: string): Promise<void>;
  export function getSecureKeyAsync(key: string): Promise<string | undefined>;
  export function getAssistantName(): string;
  export function resolveUserName(): string;
  export function getModelProfiles(): any;
  export function getWorkspaceDir(): string;
  export function doesSupportVision(profile?: unknown): boolean;
  export function getConfiguredProvider(...args: unknown[]): Promise<any>;
  export function runConversationTurn(...args: unknown[]): Promise<any>;
  export function publishEvent(...args: unknown[]): Promise<any>;
  export function resolveMediaSourceData(...args: unknown[]): Promise<any>;
  export function resolveWebhookUrl(...args: unknown[]): Promise<any>;
  export function resolveOauthCallbackUrl(...args: unknown[]): Promise<any>;
  export function listCatalogSkills(...args: unknown[]): Promise<any>;
  export function listInstalledSkills(...args: unknown[]): Promise<any>;
  export function persistSystemCard(...args: unknown[]): Promise<any>;
  export function synthesizeText(...args: unknown[]): Promise<any>;
  export function openTranscriptionSession(...args: unknown[]): Promise<any>;
  export function createLiveVoiceConnection(...args: unknown[]): Promise<any>;
  export const assistantEventHub: {
    publish(...args: unknown[]): Promise<any>;
    subscribe(...args: unknown[]): never;
  };
}
