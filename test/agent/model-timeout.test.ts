import { describe, expect, it } from 'vitest';
import { makeAgent } from '../../src/agent/agent.js';
import type { Model } from '../../src/agent/model.js';
import type { TurnEvent } from '../../src/agent/options.js';
import { startEngine } from '../engine/plugin-on-disk.js';

describe('a turn whose model does not answer', () => {
  it('ends when it is aborted, even if the model continues', async () => {
    const controller = new AbortController();
    const events: TurnEvent[] = [];
    const engine = await startEngine([]);
    const turn = await makeAgent(engine, {
      model: {
        respond: (_request, { onText }) => {
          controller.abort();
          onText('too late');
          return new Promise<never>(() => {});
        },
      },
    }).turn({
      prompt: 'hello',
      signal: controller.signal,
      onEvent: (event) => events.push(event),
    });
    expect(turn).toMatchObject({ exitReason: 'aborted_post_response', text: '' });
    expect(events).toEqual([]);
  });

  it('ends with an error at the timeout of the model', async () => {
    const engine = await startEngine([]);
    let told: AbortSignal | undefined;
    const model: Model = {
      respond: (_request, { signal }) => {
        told = signal;
        return new Promise<never>(() => {});
      },
    };
    const turn = await makeAgent(engine, { model, modelTimeoutMs: 20 }).turn({ prompt: 'hello' });
    expect(turn).toMatchObject({
      exitReason: 'error',
      error: {
        message:
          'The model did not answer within 20 ms. Raise the agent’s option modelTimeoutMs to allow it.',
      },
    });
    expect(told?.aborted).toBe(true);
  });

  it('ends with an error if the summary of its history takes too long', async () => {
    const engine = await startEngine([]);
    const turn = await makeAgent(engine, {
      model: { respond: () => new Promise<never>(() => {}) },
      compact: () => new Promise<never>(() => {}),
      maxInputTokens: 10,
      modelTimeoutMs: 20,
    }).turn({ prompt: 'x'.repeat(100) });
    expect(turn).toMatchObject({
      exitReason: 'error',
      error: { message: expect.stringContaining('modelTimeoutMs') },
    });
  });
});
