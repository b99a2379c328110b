import { describe, expect, it } from 'vitest';
import { type Hook, runLocally } from './local-chain.js';

const dialects = ['classic', 'current'] as const;
const text = (words: string): object => ({ type: 'text', text: words });
const user = (words: string): object => ({ role: 'user', content: [text(words)] });

describe.each(dialects)('a chain of %s hooks', (semantics) => {
  it('lets each hook see what the one before left', async () => {
    const append =
      (word: string): Hook =>
      (ctx) => {
        ctx.systemPrompt = `${ctx.systemPrompt ?? ''}${word}`;
      };
    const { context, reports } = await runLocally('pre-model-call', semantics, {}, [
      append('a'),
      append('b'),
      append('c'),
    ]);
    expect(context['systemPrompt']).toBe('abc');
    expect(reports.map(({ changed }) => changed)).toEqual([
      ['systemPrompt'],
      ['systemPrompt'],
      ['systemPrompt'],
    ]);
  });

  it('drops and reports writes to a field that the hook cannot change', async () => {
    const { context, reports } = await runLocally(
      'user-prompt-submit',
      semantics,
      { conversationId: 'c1', prompt: 'hello', originalMessages: [user('x')] },
      [
        (ctx) => {
          ctx.conversationId = 'other';
          ctx.originalMessages.push(user('y'));
          ctx.invented = 1;
          ctx.logger = { info: () => {} };
          delete ctx.requestId;
          ctx.latestMessages.push(user('mine'));
        },
        (ctx) => {
          ctx.latestMessages.push(user(`${ctx.conversationId} ${ctx.originalMessages.length}`));
        },
      ],
    );
    expect(reports[0]?.dropped.toSorted()).toEqual([
      'conversationId',
      'invented',
      'logger',
      'originalMessages',
    ]);
    expect(reports[0]?.changed).toEqual(['latestMessages']);
    expect(context).toMatchObject({
      conversationId: 'c1',
      prompt: 'hello',
      originalMessages: [user('x')],
      latestMessages: [user('mine'), user('c1 1')],
    });
    expect(Object.keys(context)).not.toContain('invented');
  });

  it('distinguishes the tool calls that a hook added to a reply from those of the model', async () => {
    const use = (id: string, input: object): object => ({
      type: 'tool_use',
      id,
      name: 'bash',
      input,
    });
    const { reports } = await runLocally(
      'post-model-call',
      semantics,
      { content: [text('a'), use('m1', { run: 'ls' }), use('m2', {})] },
      [
        (ctx) => void ctx.content.push(use('p1', {})),
        (ctx) => {
          ctx.content[1].input.run = 'rm';
        },
        (ctx) => {
          ctx.content = ctx.content.filter((block: { id?: string }) => block.id !== 'm2');
        },
        (ctx) => {
          ctx.content[0].text = 'b';
          ctx.content.unshift(ctx.content.pop());
        },
      ],
    );
    const ids = reports.map(({ toolUses }) => [
      toolUses?.added.map(({ id }) => id),
      toolUses?.removed.map(({ id }) => id),
    ]);
    expect(ids).toEqual([
      [['p1'], []],
      [['m1'], ['m1']],
      [[], ['m2']],
      [undefined, undefined],
    ]);
  });

  it('goes on with the last context that was good after a hook that throws, or ends there', async () => {
    const { context, reports } = await runLocally(
      'pre-model-call',
      semantics,
      { systemPrompt: 'a' },
      [
        (ctx) => {
          ctx.systemPrompt += 'b';
        },
        (ctx) => {
          ctx.systemPrompt = 'lost';
          throw new Error('no');
        },
        (ctx) => {
          ctx.systemPrompt += 'c';
        },
      ],
    );
    const classic = semantics === 'classic';
    expect(context['systemPrompt']).toBe(classic ? 'ab' : 'abc');
    expect(reports.map(({ plugin, halted, error }) => [plugin, halted, error?.message])).toEqual([
      ['p0', undefined, undefined],
      ['p1', classic ? true : undefined, 'no'],
      ...(classic ? [] : [['p2', undefined, undefined]]),
    ]);
  });

  it('cannot be halted if the host says so', async () => {
    const fail: Hook = () => {
      throw new Error('no');
    };
    const { reports } = await runLocally('stop', semantics, {}, [fail, fail], { halts: false });
    expect(reports.map(({ error, halted }) => [error?.code, halted])).toEqual([
      ['HOOK_FAILED', undefined],
      ['HOOK_FAILED', undefined],
    ]);
  });

  it('takes an object that a hook returns for the context, or for changes to it', async () => {
    const { context, reports } = await runLocally(
      'pre-model-call',
      semantics,
      { systemPrompt: 'a', conversationId: 'c1' },
      [
        (ctx) => {
          ctx.systemPrompt = 'in place';
          return { deferAssistantOutput: true };
        },
      ],
    );
    expect(context['deferAssistantOutput']).toBe(true);
    expect(context['conversationId']).toBe('c1');
    // What the returned object lacks is gone where it stands for all of the context.
    expect(context['systemPrompt']).toBe(semantics === 'classic' ? undefined : 'in place');
    expect(reports[0]?.error).toBeUndefined();
  });

  it('preserves a list that the returned object lacks', async () => {
    const { context, reports } = await runLocally(
      'user-prompt-submit',
      semantics,
      { latestMessages: [user('a')] },
      [() => ({ prompt: 'mine' })],
    );
    expect(context['latestMessages']).toEqual([user('a')]);
    expect(reports[0]).toMatchObject({ changed: [], dropped: ['prompt'] });
  });

  it('accepts a hook that returns null or an invalid context', async () => {
    for (const value of [null, 0, '', 'text', true, Symbol.iterator]) {
      const { context, reports } = await runLocally('pre-model-call', semantics, {}, [
        (ctx) => {
          ctx.deferAssistantOutput = true;
          return value;
        },
        () => undefined,
      ]);
      expect(reports).toHaveLength(2);
      const refused = semantics === 'classic';
      expect(reports[0]?.error?.code).toBe(refused ? 'INVALID_HOOK_CHANGE' : undefined);
      expect(context['deferAssistantOutput']).toBe(!refused);
    }
  });

  it('runs the plugin’s getters in the guest, once, and believes the copy', async () => {
    let reads = 0;
    const { context } = await runLocally('pre-model-call', semantics, {}, [
      () =>
        new Proxy(
          {},
          {
            has: () => true,
            ownKeys: () => ['systemPrompt'],
            getOwnPropertyDescriptor: (_, key) =>
              key === 'systemPrompt'
                ? { configurable: true, enumerable: true, value: 0 }
                : undefined,
            get: (_, key) => (key === 'systemPrompt' ? `read ${(reads += 1)}` : undefined),
          },
        ),
    ]);
    expect(context['systemPrompt']).toBe(`read ${reads}`);
  });
});

describe('a chain of hooks of both dialects', () => {
  it('is one chain: null of the one is undefined of the other', async () => {
    const { stepOf } = await import('./local-chain.js');
    const seen: unknown[] = [];
    const look: Hook = (ctx) => {
      seen.push(ctx.systemPrompt);
    };
    const remove: Hook = (ctx) => {
      ctx.systemPrompt = null;
    };
    const { context } = await runLocally('pre-model-call', 'classic', { systemPrompt: 'a' }, [], {
      steps: [
        stepOf('a', 'current', remove),
        stepOf('b', 'classic', look),
        stepOf('c', 'current', look),
      ],
    });
    expect(seen).toEqual([undefined, null]);
    expect(context).not.toHaveProperty('systemPrompt');
  });
});
