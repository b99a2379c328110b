/** The stub of `@vellumai/plugin-api` for the oracle: what the real plugins import. */
import { replyOf } from './provider.js';
import type { VellumScenario } from './step.js';

export const HOOKS = Object.freeze({
  INIT: 'init',
  SHUTDOWN: 'shutdown',
  USER_PROMPT_SUBMIT: 'user-prompt-submit',
  PRE_MODEL_CALL: 'pre-model-call',
  POST_MODEL_CALL: 'post-model-call',
  POST_TOOL_USE: 'post-tool-use',
  STOP: 'stop',
  POST_COMPACT: 'post-compact',
});

export const RiskLevel = Object.freeze({ Low: 'low', Medium: 'medium', High: 'high' });

export class CredentialResolutionError extends Error {}

export async function resolveCredential(key: string): Promise<string> {
  const value = scenarioOf().credentials?.[key];
  if (value === undefined) throw new CredentialResolutionError(`no credential ${key}`);
  return value;
}

export async function getSecureKeyAsync(key: string): Promise<string | undefined> {
  return scenarioOf().credentials?.[key.replace(':', '/')];
}

export function getWorkspaceDir(): string {
  return process.cwd();
}

export function getAssistantName(): string {
  return 'Assistant';
}

function scenarioOf(): VellumScenario {
  return Reflect.get(globalThis, '__scenario');
}

export function getModelProfiles(): readonly object[] {
  return scenarioOf().profiles ?? [];
}

export function doesSupportVision(): boolean {
  return true;
}

export async function getConfiguredProvider(): Promise<object | null> {
  const { generated } = scenarioOf();
  if (generated === undefined) return null;
  return { name: 'stub', sendMessage: async () => replyOf(generated) };
}

/** What needs a part of Vellum that neither run has. */
const absent = (name: string) => async (): Promise<never> => {
  throw new Error(`the oracle has no ${name}`);
};
export const addMessage = absent('addMessage');
export const createLiveVoiceConnection = absent('createLiveVoiceConnection');
export const deleteConversation = absent('deleteConversation');
export const embed = absent('embed');
export const embedAndUpsert = absent('embedAndUpsert');
export const generateSparseEmbedding = absent('generateSparseEmbedding');
export const getConversation = absent('getConversation');
export const getDocument = absent('getDocument');
export const getMessages = absent('getMessages');
export const indexDocument = absent('indexDocument');
export const listConversations = absent('listConversations');
export const listInstalledSkills = absent('listInstalledSkills');
export const openTranscriptionSession = absent('openTranscriptionSession');
export const persistSystemCard = absent('persistSystemCard');
export const publishEvent = absent('publishEvent');
export const queryIndex = absent('queryIndex');
export const removeDocument = absent('removeDocument');
export const resolveWebhookUrl = absent('resolveWebhookUrl');
export const runConversationTurn = absent('runConversationTurn');
export const searchMessageIdsLexical = absent('searchMessageIdsLexical');
export const synthesizeText = absent('synthesizeText');
export const assistantEventHub = { publish: absent('publish'), subscribe: absent('subscribe') };

export function hasLexicalTokens(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}
