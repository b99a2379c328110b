import { describe, expect, it, vi } from 'vitest';
import type { Engine, EngineOptions } from '../../../../src/index.js';
import { answering, makeExtension } from '../../../engine/extension-on-disk.js';
import { startEngine } from '../../../engine/plugin-on-disk.js';

const start = (
  source: string,
  permissions: readonly string[] = ['tools'],
  options: Partial<EngineOptions> = {},
): Promise<Engine> => startEngine([makeExtension({ source, permissions })], options);

const seen = answering({ seen: 'JSON.stringify(globalThis.seen ?? seen)' });

async function seenBy(engine: Engine): Promise<unknown> {
  const { value } = await engine.call('sample:seen', {});
  return JSON.parse(typeof value === 'string' ? value : 'null');
}

describe('what a host sends to an extension', () => {
  it('has the parameters of an OAuth redirect, and answers the page to show', async () => {
    const engine = await start(
      `spindle.oauth.onCallback(async ({ code }) => ({ html: '<p>' + code + '</p>' }));`,
      ['oauth'],
    );
    expect(await engine.spindle.oauthCallback('sample', { code: '7' })).toEqual({
      html: '<p>7</p>',
    });
    const none = await start('', ['oauth']);
    await expect(none.spindle.oauthCallback('sample', {})).rejects.toThrow(
      'No OAuth callback handler registered',
    );
  });

  it('uses a service that the extension registered', async () => {
    const engine = await start(
      `spindle.registerEmbeddingDriver({ id: 'e', embed: async ({ texts }) => texts.map((text) => [text.length]) });`,
      ['providers.embedding.register'],
    );
    expect(
      await engine.spindle.invokeProvider('sample', {
        kind: 'embedding',
        id: 'e',
        request: { texts: ['ab', 'c'] },
      }),
    ).toEqual([[2], [1]]);
    await engine.revoke('sample', 'powers:providers.embedding.register');
    await expect(
      engine.spindle.invokeProvider('sample', { kind: 'embedding', id: 'e', request: {} }),
    ).rejects.toThrow('No provider handler registered for embedding/e');
  });

  it('tells of processes that the host runs for it', async () => {
    const engine = await start(`const seen = [];
      spindle.backendProcesses.onLifecycle((event) => seen.push(['lifecycle', event.state]));
      spindle.backendProcesses.onMessage((event) => seen.push(['message', event.payload]));
      spindle.frontendProcesses.onMessage((event) => seen.push(['page', event.payload]));
      spindle.providers.onChanged(() => seen.push(['providers']));
      ${seen}`);
    const { spindle } = engine;
    await spindle.processEvent('sample', 'backendProcesses.lifecycle', { state: 'running' });
    await spindle.processEvent('sample', 'backendProcesses.message', { payload: 1 });
    await spindle.processEvent('sample', 'frontendProcesses.message', { payload: 2 });
    await spindle.processEvent('sample', 'providersChanged', {});
    expect(await seenBy(engine)).toEqual([
      ['lifecycle', 'running'],
      ['message', 1],
      ['page', 2],
      ['providers'],
    ]);
  });

  it('of one user does not reach the extension of another', async () => {
    const engine = await start(
      `const seen = [];
       spindle.onFrontendMessage((payload, userId) => seen.push([payload, userId]));
       ${seen}`,
      ['tools'],
      { config: { sample: { installedFor: 'u7' } } },
    );
    await expect(
      engine.spindle.frontendMessage('sample', 'hers', { userId: 'u1' }),
    ).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
    await expect(
      engine.spindle.invokeCommand('sample', 'c', {}, { userId: 'u1' }),
    ).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
    await engine.spindle.frontendMessage('sample', 'mine', { userId: 'u7' });
    expect(await seenBy(engine)).toEqual([['mine', 'u7']]);
  });
});

describe('subscriptions', () => {
  it('made after the load are announced', async () => {
    const engine = await start(
      `spindle.onFrontendMessage((event) => {
         if (event === 'observe') spindle.generate.observe('c');
         else spindle.on(event, () => {});
       });`,
      ['generation'],
    );
    const events = (): readonly string[] => engine.spindle.registrations()['sample']?.events ?? [];
    expect(events()).toEqual([]);
    await engine.spindle.frontendMessage('sample', 'MESSAGE_SENT');
    await waitFor(() => events().includes('MESSAGE_SENT'));
    await engine.spindle.frontendMessage('sample', 'observe');
    await waitFor(() => events().includes('GENERATION_ENDED'));
  });

  it('and handlers wait while their permission is revoked', async () => {
    const engine = await start(
      `spindle.registerInterceptor(async (messages) => [...messages, { role: 'system', content: 'x' }]);
       spindle.on('GENERATION_ENDED', () => {});`,
      ['generation', 'interceptor'],
    );
    const registered = () => engine.spindle.registrations()['sample'];
    for (const name of ['generation', 'interceptor']) {
      await engine.revoke('sample', `powers:${name}`);
    }
    await waitFor(
      () =>
        registered()?.events.length === 0 && Object.keys(registered()?.hooks ?? {}).length === 0,
    );
    for (const name of ['generation', 'interceptor']) {
      await engine.grant('sample', `powers:${name}`);
    }
    await waitFor(() => registered()?.events.includes('GENERATION_ENDED') === true);
    await waitFor(() => registered()?.hooks['interceptor'] !== undefined);
    const { messages } = await engine.spindle.intercept({ messages: [] });
    expect(messages).toEqual([{ role: 'system', content: 'x' }]);
  });
});

describe('macros with arguments', () => {
  it('pass them on, resolved', async () => {
    const engine = await start(`
      spindle.registerMacro({ name: 'calc', handler: ({ args, name, commit }) => [name, ...args, commit].join('|') });
      spindle.registerMacro({ name: 'two', handler: () => '2' });`);
    const { spindle } = engine;
    expect(await spindle.resolveMacros('{{calc::2+3*4}} {{CALC::a::{{two}}}} {{calc x y}}')).toBe(
      'calc|2+3*4|true calc|a|2|true calc|x|y|true',
    );
    expect(await spindle.resolveMacros('{{none::{{two}}}} {{two')).toBe('{{none::{{two}}}} {{two');
  });

  it('may be named by one mark', async () => {
    const { spindle } = await start(`
      for (const [name, text] of [['(', '<'], [')', '>'], [';', '|'], ['((', 'none'], ['"', 'none']]) {
        spindle.registerMacro({ name, handler: () => text });
      }`);
    expect(await spindle.resolveMacros('{{(}}a{{;}}b{{)}} {{((}} {{"}} {{( x}}')).toBe(
      '<a|b> {{((}} {{"}} {{( x}}',
    );
  });
});

describe('bytes', () => {
  it('cross to the host and back as Uint8Arrays', async () => {
    const got: unknown[] = [];
    const engine = await start(
      answering({
        upload: `(async () => {
          const image = await spindle.images.upload({ data: new Uint8Array([1, 2, 3]), more: [new Uint8Array(70_000).buffer] });
          const { data, size } = await spindle.uploads.get('u');
          return JSON.stringify([image, data instanceof Uint8Array, [...data], size]);
        })()`,
      }),
      ['tools', 'images'],
      {
        powers: [
          {
            name: 'spindle.images.upload',
            permission: 'images',
            handler: (given) => {
              got.push(given);
              return { id: 'i' };
            },
          },
          {
            name: 'spindle.uploads.get',
            permission: 'spindle',
            handler: () => ({ size: 4, data: Buffer.from([137, 80, 78, 71]) }),
          },
        ],
      },
    );
    const { value } = await engine.call('sample:upload', {});
    expect(JSON.parse(typeof value === 'string' ? value : '')).toEqual([
      { id: 'i' },
      true,
      [137, 80, 78, 71],
      4,
    ]);
    expect(got).toEqual([
      { args: [{ data: Buffer.from([1, 2, 3]), more: [Buffer.alloc(70_000)] }] },
    ]);
  });

  it('and texts have the caps that the power defines', async () => {
    const engine = await start(
      answering({
        ask: `spindle.generate.raw({ messages: 'x'.repeat(payload.args.size) }).then(String, (error) => error.message)`,
      }),
      ['tools', 'generation'],
      {
        powers: [
          {
            name: 'spindle.generate.raw',
            permission: 'generation',
            maxArgumentBytes: 3 * 1024 * 1024,
            handler: () => 'fine',
          },
        ],
      },
    );
    const ask = async (size: number): Promise<unknown> =>
      (await engine.call('sample:ask', { size })).value;
    expect(await ask(2 * 1024 * 1024)).toBe('fine');
    expect(await ask(4 * 1024 * 1024)).toMatch(
      /the arguments of spindle\.generate\.raw are \d+ bytes\. The limit maxArgumentBytes is 3145728/,
    );
    expect(await ask(33 * 1024 * 1024)).toMatch(
      /^The argument of spindle\.generate\.raw is larger than/,
    );
  });

  it('may be larger than one message', async () => {
    const got: unknown[] = [];
    const engine = await start(
      answering({
        ask: `spindle.generate.raw({ messages: 'ä'.repeat(6e6) + 'z', image: new Uint8Array([7, 8]) }).then(String, (error) => error.message)`,
      }),
      ['tools', 'generation'],
      {
        powers: [
          {
            name: 'spindle.generate.raw',
            permission: 'generation',
            maxArgumentBytes: 32 * 1024 * 1024,
            handler: (args) => {
              const [{ messages, image }] = Object(args).args;
              got.push(messages.length, messages.slice(-2), [...image]);
              return 'fine';
            },
          },
        ],
      },
    );
    expect((await engine.call('sample:ask', {})).value).toBe('fine');
    expect(got).toEqual([6_000_001, 'äz', [7, 8]]);
  });
});

/** Resolves when it is so. */
function waitFor(isSo: () => boolean): Promise<void> {
  return vi.waitFor(() => expect(isSo()).toBe(true), { timeout: 20_000 });
}
