import { messagesApi, REFUSAL_FALLBACK_TEXT } from './api-messages.js';

/** The names of all hooks, by the constants that plugins use. */
const HOOKS = {
  INIT: 'init',
  SHUTDOWN: 'shutdown',
  USER_PROMPT_SUBMIT: 'user-prompt-submit',
  PRE_MODEL_CALL: 'pre-model-call',
  POST_MODEL_CALL: 'post-model-call',
  POST_TOOL_USE: 'post-tool-use',
  POST_COMPACT: 'post-compact',
  STOP: 'stop',
  CONVERSATION_DELETED: 'conversation-deleted',
  CONVERSATIONS_CLEARED: 'conversations-cleared',
};

const RiskLevel = { Low: 'low', Medium: 'medium', High: 'high' };

/** The rejection of `resolveCredential`. */
export const CredentialResolutionError: ErrorClass = makeErrorClass('CredentialResolutionError');

/** Hooks append this to notices that they add to a conversation. */
const INTERNAL_NUDGE_OUTPUT_SUPPRESSION =
  ' The user does not see this notice: do not mention, quote or answer it, and do not say what you will do because of it. Write only what the user should read.';

const MAX_TOKENS: readonly string[] = ['length', 'max_output_tokens', 'max_tokens'];

/** The part of `@vellumai/plugin-api` that does not need the host: constants and pure functions. */
export const pureApi: Readonly<Record<string, unknown>> = {
  HOOKS,
  RiskLevel,
  CredentialResolutionError,
  CredentialStoreError: makeErrorClass('CredentialStoreError'),
  TtsSynthesisError: makeErrorClass('TtsSynthesisError'),
  REFUSAL_FALLBACK_TEXT,
  INTERNAL_NUDGE_OUTPUT_SUPPRESSION,
  VOICE_ESCALATION_CONTINUATION_MESSAGE_KIND: 'voice_escalation_continuation',
  CLI_COMMAND_HELP: {},
  isMaxTokensStopReason: (reason: unknown): boolean =>
    typeof reason === 'string' && MAX_TOKENS.includes(reason.trim().toLowerCase()),
  isVisionNotSupportedError,
  ...messagesApi,
};

/** Whether an error, or its message, says that the model cannot see images. */
function isVisionNotSupportedError(error: unknown): boolean {
  const message: unknown =
    typeof error === 'object' && error !== null ? Reflect.get(error, 'message') : error;
  if (typeof message !== 'string') return false;
  return /image|vision|multi-?modal/i.test(message) && /support/i.test(message);
}

type ErrorClass = new (message?: unknown) => Error;

/**
 * Creates an error class for plugins: `instanceof Error`, with that name. It does not extend the
 * start realm's `Error`, which can read stacks and would be visible as its prototype.
 */
function makeErrorClass(name: string): ErrorClass {
  class Named {
    declare readonly message: string;
    declare readonly name: string;

    static {
      // guard: vellum-error-parent-tamed
      Object.setPrototypeOf(Named, Object.getPrototypeOf(TypeError));
      Object.setPrototypeOf(Named.prototype, Error.prototype);
      Object.defineProperty(Named, 'name', { value: name });
      Object.defineProperty(Named.prototype, 'name', { value: name });
    }

    constructor(message: unknown = '') {
      return Reflect.construct(Error, [String(message)], new.target);
    }
  }
  return Named;
}
