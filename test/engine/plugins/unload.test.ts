import { describe, expect, it } from 'vitest';
import { makePlugin, startEngine } from '../plugin-on-disk.js';

describe('a plugin that is disabled', () => {
  it('fails its queued calls like every later call', async () => {
    const directory = makePlugin({ id: 'p', tools: { echo: 'async (input) => input' } });
    const busy = makePlugin({ id: 'busy', tools: { hang: 'async () => new Promise(() => {})' } });
    // What they offer is known from then on, so that no guest is there before the calls.
    await (await startEngine([directory, busy])).close();
    const engine = await startEngine([directory, busy], {
      limits: { maxGuests: 1, timeoutMs: 5_000 },
    });
    const hanging = engine.call('hang', {});
    const calling = engine.call('echo', {});
    await engine.setEnabled('p', false);
    expect(await calling).toMatchObject({ isError: true, code: 'PLUGIN_INACTIVE' });
    await engine.close();
    expect(await hanging).toMatchObject({ isError: true, code: 'ENGINE_CLOSED' });
  });
});
