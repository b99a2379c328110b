/** The stub of `@vellumai/plugin-api` for the oracle: what the real plugins import. */
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
  const scenario: VellumScenario = Reflect.get(globalThis, '__scenario');
  const value = scenario.credentials?.[key];
  if (value === undefined) throw new CredentialResolutionError(`no credential ${key}`);
  return value;
}

export async function getSecureKeyAsync(key: string): Promise<string | undefined> {
  const scenario: VellumScenario = Reflect.get(globalThis, '__scenario');
  return scenario.credentials?.[key.replace(':', '/')];
}

export function getWorkspaceDir(): string {
  return process.cwd();
}

export function getAssistantName(): string {
  return 'Assistant';
}

export function getModelProfiles(): readonly object[] {
  return [];
}

export function doesSupportVision(): boolean {
  return false;
}

export async function getConfiguredProvider(): Promise<undefined> {
  return undefined;
}
