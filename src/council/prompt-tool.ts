import type { ContextMessage } from '../formats/spindle/invocation/messages.js';
import type { CouncilMember, CouncilSettings, SidecarConfig } from './settings.js';
import type { PromptTool } from './tools.js';

/** One request to a model, as the host's connections take it. */
export interface SidecarRequest {
  readonly messages: readonly ContextMessage[];
  readonly model: string;
  readonly temperature: number;
  readonly topP: number;
  readonly maxTokens: number;
  readonly signal: AbortSignal;
}

/** A model by which prompt tools answer. */
export type SidecarModel = (request: SidecarRequest) => Promise<string>;

/** Finds the connection that the settings name: the host knows its profiles. */
export type ResolveSidecar = (
  config: SidecarConfig,
) => SidecarModel | undefined | Promise<SidecarModel | undefined>;

/** Answers of the model that are tried for: a connection fails now and then, a plugin decides itself. */
const MAX_ATTEMPTS = 3;
const RETRY_MS = 500;

/** Lets a member use a prompt. Rejects where there is no connection, or none of the attempts succeeds. */
export async function runPrompt(
  tool: PromptTool,
  member: CouncilMember,
  context: readonly ContextMessage[],
  settings: CouncilSettings,
  resolve: ResolveSidecar | undefined,
  signal: AbortSignal,
): Promise<string> {
  const { sidecarSettings } = settings;
  const { model: name, temperature, topP, maxTokens } = sidecarSettings;
  const model = await resolve?.(sidecarSettings);
  if (model === undefined) {
    throw new Error(
      'No sidecar connection is configured. Choose one in sidecarSettings.connectionProfileId.',
    );
  }
  const messages: readonly ContextMessage[] = [
    { role: 'system', content: describeTask(tool, member, settings) },
    ...context,
    { role: 'user', content: `Contribute now, as ${member.name}.` },
  ];
  const ask = (): Promise<string> =>
    model({ messages, model: name, temperature, topP, maxTokens, signal });
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || signal.aborted) throw error;
      await pause(RETRY_MS * attempt, signal);
    }
  }
}

function describeTask(
  { displayName, description, prompt }: PromptTool,
  member: CouncilMember,
  { toolsSettings: { maxWordsPerTool } }: CouncilSettings,
): string {
  const { name, role, definition, personality, behavior } = member;
  return [
    `You are the council member ${name}${role === '' ? '' : `, ${role}`}.`,
    ...[definition, personality, behavior].filter((text) => text !== ''),
    `## Tool: ${displayName}\n${description}`,
    prompt,
    ...(maxWordsPerTool > 0 ? [`Answer in at most ${maxWordsPerTool} words.`] : []),
  ].join('\n\n');
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done);
  });
}
