/// <reference path="../../../types/vellum.d.ts" />
// The documents' own examples, as they stand, and what must not compile.
import type {
  PluginHookFn,
  PluginInitContext,
  PostToolUseContext,
  PreModelCallContext,
  StopContext,
  ToolContext,
  ToolDefinition,
  ToolExecutionResult,
} from '@vellumai/plugin-api';
import { getSecureKeyAsync, HOOKS, resolveCredential, RiskLevel } from '@vellumai/plugin-api';

export const tool = {
  description:
    "Search saved notes for a phrase. Use this when the user asks what they told you to remember.",
  defaultRiskLevel: "low" as const,
  input_schema: {
    type: "object",
    properties: {
      query: { type: "string", description: "Text to search for." },
    },
    required: ["query"],
  },
  async execute(
    input: Record<string, unknown>,
    ctx: ToolContext,
  ): Promise<ToolExecutionResult> {
    const query = String((input as { query?: unknown }).query ?? "").trim();
    if (query.length === 0) {
      return { content: "error: query must be non-empty", isError: true };
    }
    // ctx.conversationId - current conversation
    // ctx.signal         - forward to fetch() / spawn() for cancellation
    return { content: `searched ${ctx.conversationId} for ${query}`, isError: false };
  },
};
export const same: ToolDefinition = tool;
export const empty: ToolDefinition = {};

export default async function preModelCall(
  ctx: PreModelCallContext,
): Promise<void> {
  // Only touch the user-facing reply, not background or subagent calls.
  if (ctx.callSite !== "mainAgent") {
    return;
  }
  ctx.systemPrompt = (ctx.systemPrompt ?? "") + "\nBe concise.";
}

export const init: PluginHookFn<PluginInitContext> = async (ctx) => {
  ctx.logger.info('text first');
  ctx.logger.info({ dir: ctx.pluginStorageDir }, 'object first');
  const key: string | undefined = ctx.credentials['api_key'];
  await resolveCredential(`weather/${key ?? ''}`);
  await getSecureKeyAsync('api_key');
  // @ts-expect-error: read-only
  ctx.config = {};
};

export const stop: PluginHookFn<StopContext> = (ctx) => {
  ctx.decision = 'continue';
  ctx.messages.push({ role: 'user', content: [{ type: 'text', text: HOOKS.STOP }] });
  // @ts-expect-error: no decision
  ctx.decision = 'later';
  // @ts-expect-error: read-only
  ctx.conversationId = 'other';
};

export const postToolUse: PluginHookFn<PostToolUseContext> = async (ctx) => {
  ctx.toolResponse.content = ctx.toolResponse.content.slice(0, 100);
  return { additionalContext: 'try again' };
};

// @ts-expect-error: no risk of that name
export const risky: ToolDefinition = { defaultRiskLevel: 'none' };
export const risk: 'high' = RiskLevel.High;

const key: string | undefined = process.env['API_KEY'];
void key;
