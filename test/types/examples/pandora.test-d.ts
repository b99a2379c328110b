/// <reference path="../../../types/pandora.d.ts" />
// The documents' own examples, as they stand, and what must not compile.
import type { Tool } from '@pandorakit/sdk/tools'
import type { ResolveToolsContext, ResolveToolsResult } from '@pandorakit/sdk/tools'
import type {
  ToolAnnotations,
  ToolPermissions,
  SandboxMode,
} from '@pandorakit/sdk/tools'

export const weatherTool: Tool = {
  id: 'weather',
  name: 'Weather',
  description: 'Get current weather for a city',
  parameters: {
    type: 'object',
    properties: {
      city: { type: 'string', description: 'City name' },
    },
    required: ['city'],
  },
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
  },
  execute: async (input: { city: string }, { env, logger }) => {
    const key = env.OPENWEATHER_API_KEY
    logger.log(`Fetching weather for ${input.city}`)
    const res = await fetch(
      `https://api.openweathermap.org/data/2.5/weather?q=${input.city}&units=metric&appid=${key}`
    )
    return res.json()
  },
}

declare function resolveSearchTool(options: {
  preferred: string | undefined;
  env: Record<string, string | undefined>;
}): { tool?: Tool; alerts: { level: 'info' | 'warning'; message: string }[] };

export const tools = []
export async function resolveTools(ctx: ResolveToolsContext): Promise<ResolveToolsResult> {
  const preferred = ctx.pluginConfig?.searchBackend as string | undefined
  const result = resolveSearchTool({ preferred, env: ctx.env })
  return { tools: result.tool ? [result.tool] : [], alerts: result.alerts }
}

export async function globals(): Promise<unknown[]> {
  await storage.write('a', new Uint8Array(1));
  const [first] = await storage.list('', { recursive: true });
  // @ts-expect-error: no such member
  await storage.chmod('a');
  return [await readFile('a'), env.get('KEY'), first?.bytes, await powers.notes?.({ a: 1 })];
}

// @ts-expect-error: has to say whether it only reads
export const hints: ToolAnnotations = {};
export const mode: SandboxMode = 'compartment';
export const asked: ToolPermissions = { storage: true, powers: ['notes'], fs: ['pages'] };
// @ts-expect-error: no list
export const wrong: ToolPermissions = { network: 'api.example.com' };
