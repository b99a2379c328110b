import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { makePrompts } from '../../src/cli/prompts.js';
import { runFake } from './fake.js';

/** A terminal whose keys are pressed when its screen shows the text that they answer. */
function terminal(keys: readonly (readonly [shown: string, key: string])[]) {
  const input = new PassThrough();
  const output = new PassThrough();
  const left = [...keys];
  let screen = '';
  output.on('data', (chunk) => {
    screen += String(chunk);
    const [next] = left;
    if (next === undefined || !screen.includes(next[0])) return;
    left.shift();
    screen = '';
    setImmediate(() => input.write(next[1]));
  });
  return makePrompts(input, output);
}

const never = new AbortController().signal;
const ESCAPE = '\u001b';
const options = [
  { value: 'pandora', hint: 'an array' },
  { value: 'mcp', hint: 'a server' },
];

describe('a prompt at the terminal', () => {
  it('asks again until the line passes the check', async () => {
    const { text } = terminal([
      ['Where?', 'X\r'],
      ['small letters', '\u007fx\r'],
    ]);
    const check = (line: string) => (line === 'X' ? 'small letters only' : undefined);
    expect(await text({ message: 'Where?', example: 'x', check }, never)).toBe('x');
  });

  it('chooses with the arrow keys', async () => {
    const { choose } = terminal([
      ['Which?', `${ESCAPE}[B`],
      ['mcp', '\r'],
    ]);
    expect(await choose({ message: 'Which?', options }, never)).toBe('mcp');
  });

  it('throws CANCELLED at Ctrl+C, and if the command is interrupted', async () => {
    const { choose } = terminal([['Which?', '\u0003']]);
    await expect(choose({ message: 'Which?', options }, never)).rejects.toMatchObject({
      code: 'CANCELLED',
    });
    const aborted = AbortSignal.abort();
    await expect(choose({ message: 'Which?', options }, aborted)).rejects.toMatchObject({
      code: 'CANCELLED',
    });
  });
});

describe('bulkhead init at a terminal', () => {
  it('asks for what the command line does not say', async () => {
    const asked: string[] = [];
    const prompts = {
      text: ({ message, check }: Parameters<ReturnType<typeof makePrompts>['text']>[0]) => {
        asked.push(message, check('') ?? '', check('No Name') ?? '', check('fine') ?? 'passes');
        return Promise.resolve('fine');
      },
      choose: ({ message }: { readonly message: string }) => {
        asked.push(message);
        return Promise.resolve('mcp');
      },
    };
    const { code, stdout } = await runFake(['init', '--json'], { prompts });
    expect(code).toBe(0);
    expect(JSON.parse(stdout.text)).toMatchObject({ directory: 'fine', format: 'mcp' });
    expect(asked).toEqual([
      'Directory of the new plugin?',
      'Name a directory, e.g. my-weather.',
      expect.stringContaining('A plugin cannot be named No Name.'),
      'passes',
      'Format of the plugin?',
    ]);
    asked.length = 0;
    await runFake(['init', 'given', '--format', 'mcp'], { prompts });
    expect(asked).toEqual([]);
  });
});
