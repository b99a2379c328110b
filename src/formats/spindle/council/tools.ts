import type { Catalog, CatalogTool } from '../../../catalog/catalog.js';
import type { ContextMessage } from '../invocation.js';
import type { CouncilMember, CouncilSettings, SidecarConfig } from './settings.js';
import { pause } from '../../../waiting.js';

/** A prompt of the host for the sidecar model, built in or from a pack. */
export interface PromptTool {
  readonly name: string;
  readonly source: 'builtin' | 'dlc';
  readonly displayName: string;
  readonly description: string;
  readonly prompt: string;
}

/** A tool that can be assigned to a member. */
export type CouncilTool = (
  | { readonly kind: 'prompt'; readonly tool: PromptTool }
  | { readonly kind: 'plugin'; readonly tool: CatalogTool }
) & {
  /** The name by which it is assigned: `extension:tool`, or the bare name of a prompt. */
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
};

/** The present tools of one council. */
export interface CouncilTools {
  /** The tools in the council's panel: prompts, and tools that extensions marked as eligible. */
  eligible(): readonly CouncilTool[];
  /**
   * Finds a tool by its name or an alias. If several have the name, the order is: built-in prompts,
   * prompts of packs, extensions' tools, servers' tools.
   */
  find(name: string): CouncilTool | undefined;
  /** Extensions' tools that every generation may call inline, also without an assignment. */
  inline(): readonly CatalogTool[];
}

export function makeCouncilTools(
  catalog: Pick<Catalog, 'list' | 'find'>,
  prompts: readonly PromptTool[],
): CouncilTools {
  const ranked = [...prompts].toSorted((a, b) => RANK[a.source] - RANK[b.source]);
  return {
    eligible: () => {
      const own = ranked.map(fromPrompt);
      const taken = new Set(own.map(({ name }) => name));
      const others = catalog
        .list()
        .filter(({ council }) => council?.eligible === true)
        .map(fromPlugin)
        .filter(({ name }) => !taken.has(name));
      return [...own, ...others];
    },
    find: (name) => {
      const prompt = ranked.find((one) => one.name === name);
      if (prompt !== undefined) return fromPrompt(prompt);
      const tool = catalog.find(name);
      // An extension can exclude a tool from councils, whatever is assigned.
      return tool === undefined || tool.council?.eligible === false ? undefined : fromPlugin(tool);
    },
    inline: () => catalog.list().filter(({ council }) => council?.inline === true),
  };
}

const RANK = { builtin: 0, dlc: 1 } as const;

function fromPrompt(tool: PromptTool): CouncilTool {
  const { name, displayName, description } = tool;
  return { kind: 'prompt', tool, name, displayName, description };
}

function fromPlugin(tool: CatalogTool): CouncilTool {
  const { id, title, description } = tool;
  return { kind: 'plugin', tool, name: id, displayName: title, description };
}

/** One request to a model, as the host's connections take it. */
export interface SidecarRequest {
  readonly messages: readonly ContextMessage[];
  readonly model: string;
  readonly temperature: number;
  readonly topP: number;
  readonly maxTokens: number;
  readonly signal: AbortSignal;
}

/** The model that answers prompts. */
export type SidecarModel = (request: SidecarRequest) => Promise<string>;

/** Finds the connection that the settings name, among the host's profiles. */
export type ResolveSidecar = (
  config: SidecarConfig,
) => SidecarModel | undefined | Promise<SidecarModel | undefined>;

/** Attempts of one prompt: connections fail. A plugin's tools are not retried. */
const MAX_ATTEMPTS = 3;
const RETRY_MS = 500;

/** Runs a prompt for a member. Rejects without a connection, or if all attempts fail. */
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
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await model({ messages, model: name, temperature, topP, maxTokens, signal });
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
