import { describe, expect, it } from 'vitest';
import { isRecord } from '../../sandbox/wire/json.js';
import type { BulkheadEvent, PowerDefinition } from '../../src/index.js';
import { makePlugin, startEngine } from './plugin-on-disk.js';

const store: PowerDefinition = {
  name: 'conversations.find',
  permission: 'conversations',
  description: 'Finds conversations by their text.',
  arguments: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
  result: { type: 'array', items: { type: 'string' } },
  risk: 'high',
  handler: (args, { plugin }) => [plugin, JSON.stringify(args)],
};

const tools = {
  find: `async (input) => powers['conversations.find'](input)`,
  other: `async () => powers.other({})`,
};

describe('powers of the host', () => {
  it('are used by plugins that declared and were granted them', async () => {
    const events: BulkheadEvent[] = [];
    const engine = await startEngine(
      [makePlugin({ permissions: { powers: ['conversations'] }, tools })],
      { powers: [store], onEvent: (event) => events.push(event), tolerance: 'full' },
    );
    expect(await engine.call('find', { text: 'a' })).toMatchObject({
      value: ['sample', '{"text":"a"}'],
    });
    expect(await engine.call('find', {})).toMatchObject({ code: 'POWER_INVALID' });
    expect(await engine.call('other', {})).toMatchObject({ code: 'POWER_DENIED' });
    expect(
      events.filter(({ type }) => type === 'capability-used' || type === 'capability-denied'),
    ).toMatchObject([
      { permission: 'powers', wanted: 'conversations.find', outcome: 'allowed' },
      { permission: 'powers', wanted: 'conversations.find', outcome: 'failed' },
      { type: 'capability-denied', permission: 'powers', wanted: 'other' },
    ]);
  });

  it('are only names if the host does not define them', async () => {
    const engine = await startEngine(
      [makePlugin({ permissions: { powers: ['conversations.find'] }, tools })],
      { tolerance: 'full' },
    );
    expect(await engine.call('find', { text: 'a' })).toMatchObject({ code: 'POWER_UNAVAILABLE' });
  });

  it('are refused to plugins without the permission', async () => {
    const engine = await startEngine([makePlugin({ tools })], {
      powers: [store],
      tolerance: 'full',
    });
    expect(await engine.call('find', { text: 'a' })).toMatchObject({ code: 'POWER_DENIED' });
  });

  it('answer a thousand uses that a plugin makes at once, also with bytes', async () => {
    const many = `async ({ bytes }) => {
      const uses = Array.from({ length: 1_000 }, (_, at) =>
        powers.half(bytes ? { at, content: new Uint8Array([at]) } : { at }));
      return (await Promise.all(uses)).reduce((sum, half) => sum + half);
    }`;
    let most = 0;
    let under = 0;
    const half: PowerDefinition = {
      name: 'half',
      handler: async (args) => {
        under += 1;
        most = Math.max(most, under);
        await new Promise((resolve) => setImmediate(resolve));
        under -= 1;
        return isRecord(args) ? Number(args['at']) / 2 : null;
      },
    };
    const engine = await startEngine(
      [makePlugin({ permissions: { powers: ['half'] }, tools: { many } })],
      { powers: [half], tolerance: 'full' },
    );
    expect((await engine.call('many', { bytes: false })).value).toBe(249_750);
    expect((await engine.call('many', { bytes: true })).value).toBe(249_750);
    expect(most).toBeLessThanOrEqual(16);
  });

  it('raise the risk of the tools that may use them', async () => {
    const engine = await startEngine(
      [makePlugin({ permissions: { powers: ['conversations'] }, tools })],
      { powers: [store] },
    );
    expect(engine.catalog.find('find')).toMatchObject({
      risk: 'high',
      riskWhy: "it can use the host's power conversations",
    });
  });

  it('end at once when they are revoked from a running plugin', async () => {
    let begun = (): void => {};
    const running = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const engine = await startEngine(
      [makePlugin({ permissions: { powers: ['conversations'] }, tools })],
      {
        powers: [
          {
            ...store,
            handler: () => {
              begun();
              return new Promise(() => {});
            },
          },
        ],
        tolerance: 'full',
      },
    );
    const waiting = engine.call('find', { text: 'a' });
    await running;
    await engine.revoke('sample', 'powers:conversations');
    expect(await waiting).toMatchObject({ code: 'PERMISSION_REVOKED' });
    expect((await engine.call('find', { text: 'a' })).code).toMatch(/REVOKED|DENIED/);
    await engine.grant('sample', 'powers:conversations');
    const again = engine.call('find', {});
    expect(await again).toMatchObject({ code: 'POWER_INVALID' });
  });

  it('are checked when the engine is made', async () => {
    await expect(startEngine([], { powers: [{ ...store, name: 'a b' }] })).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
    });
  });
});
