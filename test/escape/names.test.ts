import { describe, expect, it } from 'vitest';
import { fixture, openEngine, stage } from './attempt.js';

describe('tools with names that mean something', () => {
  const escapeAttempt = stage({ hostile: 'takes-odd-names', complete: false });

  escapeAttempt({
    tries: 'names of every kind, and each leads to the tool that has it',
    tool: 'breathe',
    verdict: async ({ engine }) => {
      const tools = engine.catalog.list();
      expect(tools.length).toBe(32 + 3);
      for (const { id, tool, name } of tools) {
        expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
        if (['breathe', 'twice', 'third-read'].includes(tool)) continue;
        for (const way of [id, name]) {
          const { value, code } = await engine.call(way, {});
          // A half of a character has no UTF-8: it crosses as what stands for such.
          expect({ way, value, code }).toEqual({ way, value: { id: tool, n: 1 }, code: undefined });
        }
      }
    },
  });

  escapeAttempt({
    tries: 'names that are none, which are refused one by one',
    tool: 'breathe',
    verdict: ({ engine }) => {
      const problems = engine.plugins()[0]?.problems ?? [];
      const refused = problems.filter(
        ({ code, message }) => code === 'INVALID_TOOL' && /has (?:the|an|no) id/.test(message),
      );
      expect(refused).toHaveLength(11);
    },
  });

  escapeAttempt({
    tries: 'one name twice, and the one that is listed is the one that runs',
    tool: 'twice',
    verdict: ({ result }) => expect(result.value).toBe('the second'),
  });

  escapeAttempt({
    tries: "what is everybody's by inheritance as a tool's name",
    tool: 'breathe',
    verdict: async ({ engine }) => {
      for (const name of [
        'takes-odd-names:isPrototypeOf',
        'isPrototypeOf',
        '',
        ':',
        'takes-odd-names:',
      ]) {
        await expect(engine.call(name, {})).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' });
      }
    },
  });
});

describe('a plugin named __proto__', () => {
  it('is granted nothing by a policy that does not name it, and runs', async () => {
    await using engine = await openEngine({
      plugins: [fixture('is-called-proto')],
      grant: {},
      config: {},
      env: { SECRET: 'kept' },
    });
    const [plugin] = engine.plugins();
    expect(plugin).toMatchObject({ id: '__proto__', state: 'active' });
    expect(plugin?.entries[0]?.effective).toMatchObject({ time: false, env: [] });
    const { value } = await engine.call('__proto__:powers', {});
    expect(value).toEqual({ got: null });
  });

  const escapeAttempt = stage({ hostile: 'is-called-proto', id: '__proto__' });
  escapeAttempt({
    tries: 'variables and settings of that name',
    tool: 'powers',
    verdict: (outcome) => {
      const alerts = outcome.engine.plugins()[0]?.alerts ?? [];
      expect(alerts).toEqual([{ level: 'info', message: '[[],[]]' }]);
      expect(outcome.result.value).toEqual({ got: expect.stringMatching(/^time /) });
    },
  });
});
