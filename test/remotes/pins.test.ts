import { describe, expect, it } from 'vitest';
import { acceptList, applyPins, type Definition, type PinStore } from '../../src/remotes/pins.js';

const tool = (name: string, description = 'd'): Definition => ({
  tool: name,
  description,
  inputSchema: { type: 'object' },
  hash: `hash of ${name} ${description}`,
});

function makeStore(
  more: Partial<PinStore> = {},
): PinStore & { readonly texts: Map<string, string> } {
  const texts = new Map<string, string>();
  return {
    texts,
    read: (id) => texts.get(id),
    write: (id, text) => Promise.resolve(void texts.set(id, text)),
    ...more,
  };
}

const unwritable = { write: () => Promise.reject(new Error('EACCES: permission denied')) };

describe('the pins of a server', () => {
  it('have the description and the schema of each tool', async () => {
    const store = makeStore();
    await applyPins('crm', [tool('a')], store);
    expect(JSON.parse(store.texts.get('crm') ?? '')).toEqual({
      a: { hash: 'hash of a d', description: 'd', inputSchema: { type: 'object' } },
    });
  });

  it('that cannot be stored withhold all tools, and say why', async () => {
    const { tools, problems } = await applyPins('crm', [tool('a')], makeStore(unwritable));
    expect(tools).toEqual([]);
    expect(problems).toMatchObject([{ code: 'REMOTE_FAILED', message: /EACCES/ }]);
  });

  it('need a review of the first list under a lock file', async () => {
    const store = makeStore({ reviewsFirstList: true });
    const first = await applyPins('crm', [tool('a')], store);
    expect(first.tools).toEqual([]);
    expect(first.problems[0]?.message).toContain('bulkhead remotes --accept crm');
    await acceptList('crm', [tool('a')], undefined, store);
    expect((await applyPins('crm', [tool('a')], store)).tools).toHaveLength(1);
  });

  it('are not accepted without a list, or if they cannot be stored', async () => {
    await expect(acceptList('crm', undefined, undefined, makeStore())).rejects.toMatchObject({
      code: 'REMOTE_FAILED',
    });
    await expect(
      acceptList('crm', [tool('a')], undefined, makeStore(unwritable)),
    ).rejects.toMatchObject({ code: 'REMOTE_FAILED', message: /could not be stored/ });
  });

  it('withhold a changed tool, and no other', async () => {
    const store = makeStore();
    await applyPins('crm', [tool('a'), tool('b')], store);
    const { tools, problems } = await applyPins('crm', [tool('a', 'evil'), tool('b')], store);
    expect(tools.map((one) => one.tool)).toEqual(['b']);
    expect(problems).toMatchObject([{ code: 'REMOTE_CHANGED', toolId: 'a' }]);
  });
});
