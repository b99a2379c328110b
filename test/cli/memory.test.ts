import { describe, expect, it } from 'vitest';
import { makeServer, plainProgram } from '../engine/mcp-on-disk.js';
import { makePlugin } from '../engine/plugin-on-disk.js';
import { run } from './in-process.js';

/** A server that holds 160 MB. */
const LARGE = plainProgram(
  'return text(String(held.length));',
  'const held = Array.from({ length: 20 }, () => new Array(1_000_000).fill(1.5));',
);

async function answerOf(args: readonly string[]): Promise<object> {
  const { stdout } = await run([...args, '--json']);
  return JSON.parse(stdout);
}

describe('a server that needs more memory than a guest has', () => {
  it('is read as it is run, and called with --memory', async () => {
    const directory = makeServer({ program: LARGE });
    const call = ['call', directory, 'run', '--yes'];
    expect(await answerOf(call)).toMatchObject({ error: { code: 'GUEST_OUT_OF_MEMORY' } });
    expect(await answerOf([...call, '--memory', '256'])).toMatchObject({
      result: { content: [{ text: '20' }] },
    });
    const another = makeServer({ program: LARGE.replace('1.5', '2.5') });
    const less = await answerOf(['check', another, '--memory', '128']);
    expect(JSON.stringify(less)).toContain('memory limit of 128 MiB');
    expect(await answerOf(['check', another])).toMatchObject({ plugins: [{ tools: [{}] }] });
  });

  it('is not what other plugins are: they are read as they are called', async () => {
    const source = `const held = Array.from({ length: 20 }, () => new Array(1_000_000).fill(3.5));
      export const tools = [{ id: 'count', name: 'C', description: 'C.', parameters: { type: 'object' }, execute: async () => held.length }];`;
    const directory = makePlugin({ source: `// @ts-nocheck\n${source}` });
    expect(JSON.stringify(await answerOf(['check', directory]))).toContain('limit of 128 MiB');
    expect(await answerOf(['check', directory, '--memory', '256'])).toMatchObject({
      plugins: [{ tools: [{}] }],
    });
  });

  it.each(['5', '1.5', 'much', '70000'])('has no limit of %s MiB', async (text) => {
    const { code, stderr } = await run(['call', 'x', 'y', '--memory', text]);
    expect(code).toBe(1);
    expect(stderr).toContain(`"${text}" is not a number of MiB from 32 to 65536`);
  });
});
