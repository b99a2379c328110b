import { messagesApi, REFUSAL_FALLBACK_TEXT } from './api-messages.js';
import { type ErrorClass, makeErrorClass } from './api-errors.js';

/** The names of all hooks, by the constants that plugins use for them. */
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

/** What `resolveCredential` rejects with. */
export const CredentialResolutionError: ErrorClass = makeErrorClass('CredentialResolutionError');

/** What of `@vellumai/plugin-api` needs no host: constants, and functions of their arguments alone. */
export const pureApi: Readonly<Record<string, unknown>> = {
  HOOKS,
  RiskLevel,
  CredentialResolutionError,
  CredentialStoreError: makeErrorClass('CredentialStoreError'),
  TtsSynthesisError: makeErrorClass('TtsSynthesisError'),
  REFUSAL_FALLBACK_TEXT,
  INTERNAL_NUDGE_OUTPUT_SUPPRESSION: 'internal_nudge_output_suppression',
  VOICE_ESCALATION_CONTINUATION_MESSAGE_KIND: 'voice_escalation_continuation',
  CLI_COMMAND_HELP: {},
  isMaxTokensStopReason: (reason: unknown): boolean =>
    reason === 'max_tokens' || reason === 'length' || reason === 'MAX_TOKENS',
  isVisionNotSupportedError,
  ...messagesApi,
};

function isVisionNotSupportedError(error: unknown): boolean {
  const message: unknown =
    typeof error === 'object' && error !== null ? Reflect.get(error, 'message') : undefined;
  return typeof message === 'string' && /image|vision/i.test(message) && /support/i.test(message);
}
