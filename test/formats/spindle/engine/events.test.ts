import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visiblePayload } from '../../../../src/formats/spindle/engine/events.js';
import type { Engine, EngineOptions, Json } from '../../../../src/index.js';
import { makeExtension, registering } from '../../../engine/extension-on-disk.js';
import { startEngine } from '../../../engine/plugin-on-disk.js';

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
  it('is sent with its data to extensions with the permission, and by names to others', async () => {
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

  it('of a generation is only for extensions with that permission, and not after it is revoked', async () => {
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

  it('between another extension and its user is not sent', async () => {
    const engine = await start(listening('SPINDLE_FRONTEND_MSG'), ['chats', 'generation']);
    expect(engine.spindle.emit('SPINDLE_FRONTEND_MSG', sent)).toEqual([]);
  });

  it('of one user is not sent to an extension of another', async () => {
    const engine = await start(listening('MESSAGE_SENT'), ['chats'], {
      config: { ext: { installedFor: 'ann' } },
    });
    expect(engine.spindle.emit('MESSAGE_SENT', sent, { userId: 'bob' })).toEqual([]);
    expect(engine.spindle.emit('MESSAGE_SENT', sent, { userId: 'ann' })).toEqual(['ext']);
    expect((await heardBy(engine))[0]).toEqual([['MESSAGE_SENT', sent, 'ann']]);
  });

  it('is not sent to an extension that may not run in the background', async () => {
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

  it('has no text for extensions without permissions, whatever its name and payload', () => {
    const payload = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as Json);
    fc.assert(
      fc.property(fc.string(), payload, (event, value) => {
        const visible = visiblePayload(event, value, [], undefined);
        if (visible === undefined) return;
        expect(visible.isWhole).toBe(false);
        for (const [name, id] of Object.entries(visible.payload ?? {})) {
          expect(name).toMatch(/id$|index$/i);
          expect(String(id).length).toBeLessThanOrEqual(128);
        }
      }),
    );
  });
});
