/** Options that are wrong are refused, with what was meant. */
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/index.js';
import { makePlugin, startEngine } from './plugin-on-disk.js';

const plugin = (): string => makePlugin({ id: 'notes', tools: { run: '() => 1' } });

function start(options: object): Promise<unknown> {
  // As a program without types.
  return createEngine({ plugins: [plugin()], ...options });
}

describe('createEngine refuses', () => {
  it.each([
    [{ grants: {} }, /"grants" is not an option of createEngine\. Did you mean grant\?/],
    [{ pluginz: [] }, /Did you mean plugins\?/],
    [{ grant: 'all' }, /The option grant takes "declared", "nothing".* It is "all"\./],
    [{ grant: true }, /The option grant takes/],
    [
      { grant: { note: 'declared' } },
      /grant\["note"\] names no installed plugin\. Did you mean "notes"\?/,
    ],
    [
      { grant: { notes: { filesystem: ['data'] } } },
      /\.filesystem is not a kind of permission\. Did you mean "fs"\?/,
    ],
    [{ grant: { notes: { environment: ['A'] } } }, /Did you mean "env"\?/],
    [{ grant: { notes: { netwrok: ['a.test'] } } }, /(?:Did you mean "network"|Use one of)/],
    [
      { grant: { notes: { network: 'a.test' } } },
      /\.network takes a list of texts, like \["api\.example\.com"\]/,
    ],
    [{ grant: { notes: { time: 'yes' } } }, /\.time takes true or false/],
    [
      { grant: { notes: { network: ['*'] } } },
      /grant\["notes"\]\.network: "\*" is not a valid network permission/,
    ],
    [
      { grant: () => ({ netwrok: [] }) },
      /the grant for notes\.netwrok is not a kind of permission/,
    ],
    [{ plugins: ['nope'] }, /The option plugins names nope, which is not a directory/],
    [{ plugins: ['nope/*'] }, /names nope\/\*, which is not a directory/],
  ])('%j', async (options, message) => {
    await expect(start(options)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: expect.stringMatching(message),
    });
  });

  it('no options at all', async () => {
    // @ts-expect-error -- as a program without types
    await expect(createEngine()).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
  });

  it('a directory that was mistyped, with the one that exists', async () => {
    const there = plugin();
    await expect(start({ plugins: [`${there}x`] })).rejects.toThrow(`Did you mean ${there}?`);
  });
});

it('a call refuses an option that does not exist', async () => {
  const engine = await startEngine([plugin()]);
  // @ts-expect-error -- as a program without types
  await expect(engine.call('run', {}, { timeout: 5 })).rejects.toMatchObject({
    code: 'INVALID_OPTIONS',
    message: '"timeout" is not an option of engine.call. Did you mean timeoutMs?',
  });
  const agent = {
    model: { respond: () => Promise.reject(new Error('unused')) },
    systemPrompt: 'x',
  };
  expect(() => engine.agent(agent)).toThrow('Did you mean system?');
});
