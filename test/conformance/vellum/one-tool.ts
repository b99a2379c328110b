import { expect } from 'vitest';
import type { CallResult, EngineOptions } from '../../../src/index.js';
import { startVellum, type VellumSpec } from '../../engine/vellum-on-disk.js';

/** Calls the tool `tool` of a plugin that has that source for it. */
export async function run(
  source: string,
  spec: Omit<VellumSpec, 'tools'> = {},
  options: Partial<EngineOptions> = {},
): Promise<CallResult> {
  const engine = await startVellum({ ...spec, tools: { tool: source } }, options);
  const result = await engine.call('tool', {});
  expect(engine.plugins()[0]?.problems).toEqual([]);
  await engine.close();
  return result;
}

/** What the tool's `content` was, where it is made by that expression. */
export async function valueOf(
  prelude: string,
  expression: string,
  spec?: VellumSpec,
): Promise<unknown> {
  const result = await run(
    `${prelude}\nexport default { async execute(input, ctx) { return { content: { value: ${expression} } }; } };`,
    spec,
  );
  expect(result.isError ? result.content : []).toEqual([]);
  return (result.structured as { readonly value?: unknown } | undefined)?.value;
}
