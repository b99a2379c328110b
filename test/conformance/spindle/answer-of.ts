import { expect } from 'vitest';
import { makeExtension, registering } from '../../engine/extension-on-disk.js';
import { startEngine } from '../../engine/plugin-on-disk.js';

/** A backend with one tool, `run`, that answers an expression. */
export const tool = (answer: string): string =>
  `${registering('run')} spindle.on('TOOL_INVOCATION', async () => ${answer});`;

/** What the tool of an extension answers, or how it failed; the extension has to be without fault. */
export async function answerOf(spec: Parameters<typeof makeExtension>[0]): Promise<unknown> {
  const engine = await startEngine([makeExtension(spec)]);
  const [status] = engine.plugins();
  expect(status?.problems).toEqual([]);
  const result = await engine.call('sample:run', {});
  await engine.close();
  return result.isError ? `failed: ${result.content[0]?.text}` : result.value;
}
