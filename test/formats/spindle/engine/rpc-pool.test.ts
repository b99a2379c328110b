import { describe, expect, it } from 'vitest';
import type { Extension } from '../../../../src/formats/spindle/engine/extension.js';
import { rpcPower } from '../../../../src/formats/spindle/engine/rpc-pool.js';
import type { Json } from '../../../../src/index.js';

const NOTHING = { events: [], hooks: {}, macros: [], endpoints: [], commands: [], providers: [] };

function extension(id: string, held: readonly string[], sent: Json[] = []): Extension {
  return {
    id,
    held: [...held, 'spindle'],
    registrations: { ...NOTHING, endpoints: [{ endpoint: `${id}.mood` }] },
    user: undefined,
    background: false,
    isRunning: true,
    interceptorTimeoutMs: undefined,
    send: async (name, payload) => {
      sent.push({ name, payload });
      return 'calm';
    },
  };
}

const context = (plugin: string) => ({
  plugin,
  permission: 'spindle',
  signal: new AbortController().signal,
});

describe('who reads what others share', () => {
  it('is the plugin that the engine names, whatever the arguments say', async () => {
    const sent: Json[] = [];
    const power = rpcPower(() => [
      extension('owns', ['chats'], sent),
      extension('asks', ['chats']),
    ]);
    const forged = {
      args: ['owns.mood', { requesterExtensionId: 'owns', effectivePermissions: ['everything'] }],
      requesterExtensionId: 'admin',
      effectivePermissions: ['everything'],
    };
    expect(await power.handler(forged, context('asks'))).toBe('calm');
    expect(sent).toEqual([
      {
        name: 'spindle:rpc',
        payload: {
          endpoint: 'owns.mood',
          requesterExtensionId: 'asks',
          effectivePermissions: ['chats'],
        },
      },
    ]);
  });

  it('holds what the engine says that it holds', async () => {
    const power = rpcPower(() => [extension('owns', ['chats']), extension('asks', [])]);
    await expect(power.handler({ args: ['owns.mood'] }, context('asks'))).rejects.toThrow(
      /^PERMISSION_DENIED: chats/,
    );
  });

  it.each([null, {}, { args: [] }, { args: [7] }, { args: 'owns.mood' }, 'owns.mood'])(
    'is refused %j',
    async (args) => {
      const power = rpcPower(() => [extension('owns', []), extension('asks', [])]);
      await expect(power.handler(args, context('asks'))).rejects.toMatchObject({
        code: 'POWER_FAILED',
      });
    },
  );
});
