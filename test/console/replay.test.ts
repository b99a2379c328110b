import { describe, expect, it } from 'vitest';
import type { ReplayVerdict } from '../../src/engine/recording/replay.js';
import { openWorld, type World } from './world.js';

const DIFFERENT: ReplayVerdict = {
  same: false,
  at: 4,
  expected: {
    by: 'guest',
    message: { t: 'request', i: 1, m: 'fetch', p: { url: 'https://a.example/1' } },
  },
  actual: {
    by: 'guest',
    message: { t: 'request', i: 1, m: 'fetch', p: { url: '<i>https://b.example' } },
  },
} as never;

function recorded(world: World): void {
  const about = { call: 'call_1', plugin: 'notes', tool: 'write' };
  world.emit({
    type: 'call-started',
    ...about,
    bundle: 'sha512-abc',
    risk: 'medium',
    input: '{"city":"Oslo"}',
  });
  world.emit({ type: 'call-ended', ...about, outcome: 'ok', durationMs: 3 });
  world.emit({ type: 'call-answered', ...about, answer: '"<b>sunny</b>"' });
  world.emit({ type: 'call-recorded', ...about, recording: '{"format":"bulkhead-recording"}' });
}

describe('the replay of a recorded call', () => {
  it('runs the recording with the code that the person chose, and says whether it was the same', async () => {
    const asked: unknown[] = [];
    const world = openWorld({
      replay: async (recording, options) => {
        asked.push([recording, options]);
        return { same: true, frames: 12 };
      },
    });
    const cookie = await world.enter();
    const form = await world.formToken(cookie);
    expect(await (await world.get('/console/calls/call_1', cookie)).text()).not.toContain('Replay');
    recorded(world);
    const page = await (await world.get('/console/calls/call_1', cookie)).text();
    expect(page).toContain('Replay with the current code');
    for (const code of ['recorded', 'current']) {
      const said = await world.post('/console/calls/call_1/replay', { form, code }, { cookie });
      expect(await said.text()).toContain('Each of 12 messages was as in the recording.');
    }
    const recording = { format: 'bulkhead-recording' };
    expect(asked).toEqual([
      [recording, { current: false }],
      [recording, { current: true }],
    ]);
  });

  it('shows the content of a message that differs only if audit.inputs is full', async () => {
    for (const inputs of ['digest', 'full'] as const) {
      const world = openWorld({ inputs, replay: async () => DIFFERENT });
      const cookie = await world.enter();
      const form = await world.formToken(cookie);
      recorded(world);
      const page = await (
        await world.post('/console/calls/call_1/replay', { form }, { cookie })
      ).text();
      expect(page).toContain('Different at message 4');
      expect(page).not.toContain('<i>');
      expect(page.includes('https://b.example')).toBe(inputs === 'full');
      expect(page.includes('set <code>audit.inputs</code>')).toBe(inputs !== 'full');
      const call = await (await world.get('/console/calls/call_1', cookie)).text();
      expect(call.includes('sunny')).toBe(inputs === 'full');
      expect(call).not.toContain('<b>sunny');
    }
  });

  it('needs the right to answer, and a recording in memory', async () => {
    const asked: unknown[] = [];
    const world = openWorld({
      replay: async (...given) => {
        asked.push(given);
        return { same: true, frames: 1 };
      },
    });
    recorded(world);
    const viewer = (await world.post('/console/enter', { token: 'views-views-views' })).headers.get(
      'set-cookie',
    );
    const cookie = (viewer ?? '').split(';')[0] ?? '';
    const form = await world.formToken(cookie);
    const page = await (await world.get('/console/calls/call_1', cookie)).text();
    expect(page).not.toContain('Replay');
    const refused = await world.post('/console/calls/call_1/replay', { form }, { cookie });
    expect(refused.status).toBe(403);
    const person = await world.enter();
    const theirs = { form: await world.formToken(person) };
    const none = await world.post('/console/calls/call_2/replay', theirs, { cookie: person });
    expect(none.status).toBe(404);
    expect(asked).toEqual([]);
  });
});
