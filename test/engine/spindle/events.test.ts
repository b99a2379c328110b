import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gateEvent } from '../../../src/engine/spindle/event-gates.js';
import type { Engine, EngineOptions, Json } from '../../../src/index.js';
import { makeExtension, registering } from '../extension-on-disk.js';
import { startEngine } from '../plugin-on-disk.js';

/** Tells by its tool what it has heard. */
const listening = (...events: readonly string[]): string => `
  ${registering('heard')}
  const heard = [];
  ${events.map((event) => `spindle.on(${JSON.stringify(event)}, (payload, userId) => heard.push([${JSON.stringify(event)}, payload, userId ?? null]));`).join('\n')}
  const denied = [];
  spindle.permissions.onDenied((denial) => denied.push(denial.operation));
  spindle.on('TOOL_INVOCATION', () => JSON.stringify([heard, denied]));`;

async function start(
  source: string,
  permissions: readonly string[],
  options: Partial<EngineOptions> = {},
): Promise<Engine> {
  return startEngine(
    [makeExtension({ identifier: 'ext', source, permissions: ['tools', ...permissions] })],
    { background: ['ext'], ...options },
  );
}

async function heardBy(engine: Engine): Promise<readonly [unknown[], unknown[]]> {
  const { value } = await engine.call('ext:heard', {});
  return JSON.parse(typeof value === 'string' ? value : '');
}

const sent = { messageId: 'm1', chatId: 'c1', content: 'a secret', index: 3 };

describe('an event', () => {
  it('is told with its data to who may know them, and by names to who may not', async () => {
    const events = ['MESSAGE_SENT', 'HOST_EVENT', 'CHARACTER_EDITED'];
    const engine = await start(listening(...events), ['chats']);
    expect(engine.spindle.emit('MESSAGE_SENT', sent)).toEqual(['ext']);
    engine.spindle.emit('CHARACTER_EDITED', { characterId: 'x', name: 'Ada' });
    engine.spindle.emit('HOST_EVENT', { id: 1, text: 'a secret' });
    engine.spindle.emit('HOST_EVENT', { text: 'for all' }, { needs: [] });
    expect(engine.spindle.emit('MESSAGE_EDITED', sent)).toEqual([]);
    expect((await heardBy(engine))[0]).toEqual([
      ['MESSAGE_SENT', sent, null],
      ['CHARACTER_EDITED', { characterId: 'x' }, null],
      ['HOST_EVENT', { id: 1 }, null],
      ['HOST_EVENT', { text: 'for all' }, null],
    ]);
  });

  it('of a generation is only for who holds that permission, and no longer when it is gone', async () => {
    const without = await start(listening('GENERATION_ENDED'), []);
    expect(without.spindle.emit('GENERATION_ENDED', sent)).toEqual([]);
    expect(await heardBy(without)).toEqual([[], ['subscribe_event:GENERATION_ENDED']]);

    const engine = await start(listening('GENERATION_ENDED'), ['generation']);
    expect(engine.spindle.emit('GENERATION_ENDED', sent)).toEqual(['ext']);
    await expect.poll(async () => (await heardBy(engine))[0]).toHaveLength(1);
    await engine.revoke('ext', 'generation');
    expect(engine.spindle.emit('GENERATION_ENDED', sent)).toEqual([]);
    expect((await heardBy(engine))[0]).toEqual([['GENERATION_ENDED', sent, null]]);
  });

  it('between another extension and its user is told to nobody', async () => {
    const engine = await start(listening('SPINDLE_FRONTEND_MSG'), ['chats', 'generation']);
    expect(engine.spindle.emit('SPINDLE_FRONTEND_MSG', sent)).toEqual([]);
  });

  it('of one user is not told to an extension of another', async () => {
    const engine = await start(listening('MESSAGE_SENT'), ['chats'], {
      config: { ext: { installedFor: 'ann' } },
    });
    expect(engine.spindle.emit('MESSAGE_SENT', sent, { userId: 'bob' })).toEqual([]);
    expect(engine.spindle.emit('MESSAGE_SENT', sent, { userId: 'ann' })).toEqual(['ext']);
    expect((await heardBy(engine))[0]).toEqual([['MESSAGE_SENT', sent, 'ann']]);
  });

  it('is not told to an extension that may not run in the background', async () => {
    const engine = await start(listening('MESSAGE_SENT'), ['chats'], { background: [] });
    expect(engine.spindle.emit('MESSAGE_SENT', sent)).toEqual([]);
  });

  it.each(['TOOL_INVOCATION', 'tool_invocation', 'PERMISSION_CHANGED', 'spindle:rpc'])(
    'is not called %s',
    async (event) => {
      const engine = await start(listening(event), []);
      expect(() => engine.spindle.emit(event, {})).toThrow(
        expect.objectContaining({ code: 'INVALID_OPTIONS' }),
      );
    },
  );

  it('tells no text to who holds nothing, whatever its name and payload', () => {
    const payload = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as Json);
    fc.assert(
      fc.property(fc.string(), payload, (event, value) => {
        const gate = gateEvent(event, value, [], undefined);
        if (gate.told === 'nothing') return;
        expect(gate.told).toBe('names');
        for (const [name, told] of Object.entries(gate.payload ?? {})) {
          expect(name).toMatch(/id$|index$/i);
          expect(String(told).length).toBeLessThanOrEqual(128);
        }
      }),
    );
  });
});
