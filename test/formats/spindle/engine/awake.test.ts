import { describe, expect, it, vi } from 'vitest';
import type { Engine, EngineOptions } from '../../../../src/index.js';
import { makeExtension } from '../../../engine/extension-on-disk.js';
import { startEngine } from '../../../engine/plugin-on-disk.js';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** An extension that is not in `background`, on a host whose model takes 600 ms. */
async function start(
  handler: string,
  options: Partial<EngineOptions> = {},
): Promise<{ readonly engine: Engine; readonly sent: unknown[] }> {
  const sent: unknown[] = [];
  const source = `spindle.onFrontendMessage(${handler});`;
  const engine = await startEngine([makeExtension({ source, permissions: ['generation'] })], {
    limits: { suspendAfterMs: 100 },
    powers: [
      {
        name: 'spindle.generate.quiet',
        permission: 'generation',
        handler: async () => {
          await pause(600);
          return { content: 'answer' };
        },
      },
      {
        name: 'spindle.sendToFrontend',
        permission: 'spindle',
        handler: (given) => void sent.push(given),
      },
    ],
    ...options,
  });
  return { engine, sent };
}

const answers = (text: string): object => ({ args: [{ text }] });

describe('an extension without background', () => {
  it('runs on while a handler of a message waits for its host', async () => {
    const { engine, sent } = await start(
      `async () => spindle.sendToFrontend({ text: (await spindle.generate.quiet({})).content })`,
    );
    await engine.spindle.frontendMessage('sample', {});
    await waitFor(() => sent.length > 0);
    expect(sent).toEqual([answers('answer')]);
  });

  it('runs on for a request that its handler does not wait for', async () => {
    const { engine, sent } = await start(
      `() => { spindle.generate.quiet({}).then(({ content: text }) => spindle.sendToFrontend({ text })) }`,
    );
    await engine.spindle.frontendMessage('sample', {});
    await waitFor(() => sent.length > 0);
    expect(sent).toEqual([answers('answer')]);
  });

  it('runs on while a handler of a message waits for a timer', async () => {
    const { engine, sent } = await start(`async () => {
      await new Promise((resolve) => setTimeout(resolve, 700));
      spindle.sendToFrontend({ text: 'later' });
    }`);
    await engine.spindle.frontendMessage('sample', {});
    await waitFor(() => sent.length > 0);
    expect(sent).toEqual([answers('later')]);
  });

  it('is suspended when its handlers have ended', async () => {
    const { engine, sent } = await start(`() => {
      setTimeout(() => spindle.sendToFrontend({ text: 'a timer' }), 1_500);
    }`);
    await engine.spindle.frontendMessage('sample', {});
    await pause(2_200);
    expect(sent).toEqual([]);
  });
});

/** Resolves when it is so. */
function waitFor(isSo: () => boolean): Promise<void> {
  return vi.waitFor(() => expect(isSo()).toBe(true), { timeout: 20_000 });
}
