import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { echo, lend } from './lender.js';

describe('a power of the host', () => {
  it('is used with a copy of the arguments, and answers a copy of the result', async () => {
    const kept: unknown[] = [];
    const shared = { list: [1] };
    const { use } = lend(
      [
        {
          name: 'notes',
          handler: (args) => {
            kept.push(args);
            return shared;
          },
        },
      ],
      ['notes'],
    );
    const args = { a: 1 };
    expect(await use('notes', args)).toEqual({ list: [1] });
    expect(kept).toEqual([args]);
  });

  it('knows from the engine who asks, and by which permission', async () => {
    const { use } = lend([{ ...echo, permission: 'chats' }], ['chats']);
    expect(await use('echo', { plugin: 'other', permission: 'all' })).toEqual({
      args: { plugin: 'other', permission: 'all' },
      plugin: 'notes',
      permission: 'chats',
    });
  });

  it('is lent only to a plugin with its permission', async () => {
    const { refusal } = lend(
      [
        { ...echo, permission: 'chats' },
        { ...echo, name: 'own' },
      ],
      ['chats'],
    );
    expect((await refusal('echo'))[0]).toBe('allowed');
    expect(await refusal('own')).toEqual([
      'POWER_DENIED',
      'notes may not use own, which the host provides. To allow this, grant it (--allow powers:own, or "powers": ["own"] in the option "grant") if the manifest declares it. If not, first add "powers": ["own"] to "permissions" in pandora.manifest.json.',
    ]);
    // Its name is no permission where it is lent under another.
    expect((await lend([{ ...echo, permission: 'chats' }], ['echo']).refusal('echo'))[0]).toBe(
      'POWER_DENIED',
    );
  });

  it('that the host does not define is reported, with what the host has to supply', async () => {
    const { refusal } = lend([], ['generation', 'constructor', '__proto__']);
    expect(await refusal('generation')).toEqual([
      'POWER_UNAVAILABLE',
      'notes may use generation, but this host does not provide it. To provide it, add { name: "generation", handler } to the engine\'s powers, or --power generation=MODULE.mjs to the command.',
    ]);
    for (const name of ['constructor', '__proto__']) {
      expect((await refusal(name))[0]).toBe('POWER_UNAVAILABLE');
    }
    for (const name of [undefined, 1, null, ['echo'], {}]) {
      expect((await refusal(name))[0]).toBe('POWER_INVALID');
    }
  });

  it('never runs with arguments that its schema does not allow, and runs with its defaults', async () => {
    let runs = 0;
    const { refusal, use } = lend(
      [
        {
          name: 'find',
          arguments: {
            type: 'object',
            required: ['text'],
            additionalProperties: false,
            properties: { text: { type: 'string', maxLength: 5 }, limit: { default: 3 } },
          },
          handler: (args) => {
            runs += 1;
            return args;
          },
        },
      ],
      ['find'],
    );
    for (const args of [
      {},
      { text: 1 },
      { text: 'longer' },
      { text: 'a', more: 1 },
      [],
      null,
      'a',
    ]) {
      expect([args, (await refusal('find', args))[0]]).toEqual([args, 'POWER_INVALID']);
    }
    expect(runs).toBe(0);
    expect(await use('find', { text: 'a' })).toEqual({ text: 'a', limit: 3 });
  });

  it('gives nothing that its own schema does not allow', async () => {
    const { refusal } = lend(
      [{ name: 'name', result: { type: 'string' }, handler: (args) => args }],
      ['name'],
    );
    expect(await refusal('name', 'a')).toEqual(['allowed', '"a"']);
    expect(await refusal('name', { secret: 's' })).toEqual([
      'POWER_FAILED',
      'name failed: its result does not fit its own schema.',
    ]);
  });

  it('hides the errors of its code from the plugin, unless they are meant for the plugin', async () => {
    const thrown: unknown[] = [
      new Error('connect /home/host/db.sock'),
      'text',
      undefined,
      Object.assign(new Error('No such conversation.'), { expose: true }),
    ];
    const { refusal, records } = lend(
      [
        {
          name: 'broken',
          handler: () => {
            throw thrown.shift();
          },
        },
      ],
      ['broken'],
    );
    const answers = [];
    for (let left = 4; left > 0; left -= 1) answers.push((await refusal('broken'))[1]);
    expect(answers).toEqual([
      ...Array.from({ length: 3 }, () => 'broken failed: its handler failed.'),
      'broken failed: No such conversation.',
    ]);
    expect(records[0]).toMatchObject({
      power: 'broken',
      outcome: 'failed',
      reason: expect.stringContaining('db.sock'),
    });
  });

  it('returns null for undefined, and fails for values that are not JSON', async () => {
    const results: unknown[] = [undefined, () => {}, 1n];
    const { refusal } = lend([{ name: 'odd', handler: () => results.shift() }], ['odd']);
    expect(await refusal('odd')).toEqual(['allowed', 'null']);
    expect(await refusal('odd')).toEqual(['allowed', 'null']);
    expect((await refusal('odd'))[0]).toBe('POWER_FAILED');
  });
});

describe('taking a power away', () => {
  const waits = () => {
    const ended: boolean[] = [];
    return {
      ended,
      power: {
        name: 'wait',
        handler: (_: unknown, { signal }: { readonly signal: AbortSignal }) =>
          new Promise(() => {
            signal.addEventListener('abort', () => ended.push(true));
          }),
      },
    };
  };

  it('ends what is under way by it, and refuses what comes later', async () => {
    const { power, ended } = waits();
    const { refusal, updateGrant } = lend([power, echo], ['wait', 'echo']);
    const waiting = refusal('wait');
    await setImmediate();
    updateGrant(['echo']);
    expect(await waiting).toEqual([
      'PERMISSION_REVOKED',
      'The permission of notes to use wait was revoked.',
    ]);
    expect(ended).toEqual([true]);
    expect((await refusal('wait'))[0]).toBe('POWER_DENIED');
    expect((await refusal('echo'))[0]).toBe('allowed');
  });

  it('goes for all of them when the broker is closed', async () => {
    const { power } = waits();
    const { refusal, close } = lend([power, echo], ['wait', 'echo']);
    const waiting = refusal('wait');
    close();
    expect((await waiting)[0]).toBe('PERMISSION_REVOKED');
    expect((await refusal('echo'))[0]).toBe('PERMISSION_REVOKED');
  });

  it('by the plugin itself is a cancellation', async () => {
    const { power, ended } = waits();
    const controller = new AbortController();
    const waiting = lend([power], ['wait']).refusal('wait', {}, controller.signal);
    await setImmediate();
    controller.abort();
    expect((await waiting)[0]).toBe('CANCELLED');
    expect(ended).toEqual([true]);
  });
});
