import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { makeVellum, type VellumSpec } from '../engine/vellum-on-disk.js';
import { runFake } from './fake.js';
import { run as bulkhead } from './in-process.js';
import { MAIN } from './spawned.js';

interface Line {
  readonly ok: boolean;
  readonly context?: Readonly<Record<string, unknown>>;
  readonly reports?: readonly {
    readonly plugin: string;
    readonly changed: readonly string[];
    readonly dropped: readonly string[];
    readonly error?: { readonly code: string; readonly message: string };
    readonly durationMs: number;
  }[];
  readonly problems?: readonly { readonly code: string }[];
  readonly error?: { readonly code: string };
}

/** Runs the command; with `--json` it has to print one line, whatever happens. */
async function run(
  ...args: readonly string[]
): Promise<{ readonly line: Line; readonly code: number | null }> {
  const { stdout, code } = await bulkhead(['hook', ...args, '--json']);
  expect(stdout.split('\n')).toEqual([expect.any(String), '']);
  return { line: JSON.parse(stdout) as Line, code };
}

const plugin = (name: string, hooks: VellumSpec['hooks']): string =>
  makeVellum({ name, ...(hooks === undefined ? {} : { hooks }) });

describe('bulkhead hook', () => {
  const first = plugin('first', {
    'pre-model-call': 'export default (ctx) => { ctx.systemPrompt += "1"; ctx.callSite = "mine"; }',
  });
  const throws = plugin('throws', {
    'pre-model-call': 'export default () => { throw new Error("not today"); }',
  });

  it('prints the resulting context, and one report for each plugin that has the hook', async () => {
    const other = plugin('other', { stop: 'export default () => {}' });
    const context = JSON.stringify({ systemPrompt: '0', conversationId: 'c1' });
    const { line, code } = await run('pre-model-call', first, other, '--context', context);
    expect(line).toEqual({
      ok: true,
      context: { systemPrompt: '01', conversationId: 'c1', deferAssistantOutput: false },
      reports: [
        {
          plugin: 'first',
          semantics: 'classic',
          changed: ['systemPrompt'],
          edits: [{ field: 'systemPrompt' }],
          dropped: ['callSite'],
          durationMs: expect.any(Number),
        },
      ],
    });
    expect(code).toBe(0);
  });

  it.each([
    ['classic', ['throws'], '0'],
    ['current', ['throws', 'first'], '01'],
  ])('runs the chain by the rules of the semantics %s', async (semantics, ran, systemPrompt) => {
    const context = JSON.stringify({ systemPrompt: '0' });
    const last = makeVellum({
      name: 'first',
      hooks: {
        'pre-model-call': 'export default (ctx) => ({ systemPrompt: ctx.systemPrompt + 1 })',
      },
      files: { 'install-meta.json': JSON.stringify({ installedAt: '2099-01-01' }) },
    });
    const { line, code } = await run(
      'pre-model-call',
      throws,
      last,
      '--semantics',
      semantics,
      '--context',
      context,
    );
    expect(line.ok).toBe(true);
    expect(line.reports?.map((report) => report.plugin)).toEqual(ran);
    expect(line.reports?.[0]?.error).toEqual({
      code: 'HOOK_FAILED',
      message: expect.stringContaining('not today'),
    });
    expect(line.context).toMatchObject({ systemPrompt });
    expect(code).toBe(0);
  });

  it('shows people the plugin’s own line for what it threw', () => {
    const { stderr, stdout, status } = spawnSync(
      process.execPath,
      [MAIN, 'hook', 'pre-model-call', throws],
      { encoding: 'utf8' },
    );
    expect(stderr).toContain('throws / hooks/pre-model-call.ts:1:30');
    expect(stderr).toContain('the chain stopped');
    expect(JSON.parse(stdout)).toMatchObject({ conversationId: 'default' });
    expect(status).toBe(0);
  });

  it.each([
    ['an unknown hook', ['pre-modelcall'], 'HOOK_NOT_FOUND', 1],
    ['a context that is no JSON', ['stop', '--context', '{'], 'INVALID_OPTIONS', 1],
    ['a context that is no object', ['stop', '--context', '[]'], 'INVALID_OPTIONS', 1],
    ['a file that is not there', ['stop', '--context', '@/nowhere.json'], 'INVALID_OPTIONS', 1],
    ['a field of another type', ['stop', '--context', '{"messages":1}'], 'INVALID_OPTIONS', 1],
    [
      'a field that there is none of',
      ['stop', '--context', '{"mesages":[]}'],
      'INVALID_OPTIONS',
      1,
    ],
    ['a semantics that there is none of', ['stop', '--semantics', 'new'], 'INVALID_OPTIONS', 1],
  ])('reports %s', async (_, args, code, exit) => {
    const [hook = '', ...rest] = args;
    expect(await run(hook, first, ...rest)).toMatchObject({
      line: { ok: false, error: { code } },
      code: exit,
    });
  });

  it('says that the hook comes first', async () => {
    expect(await run('./my plugin', 'stop')).toMatchObject({
      line: {
        ok: false,
        error: {
          code: 'INVALID_OPTIONS',
          message: "the hook comes before the directories: bulkhead hook stop './my plugin'",
        },
      },
      code: 1,
    });
  });

  it('reports a directory without a plugin, and runs the others', async () => {
    expect(await run('stop', '/nowhere')).toMatchObject({
      line: { ok: false, error: { code: 'PLUGIN_NOT_FOUND' } },
      code: 4,
    });
    expect(
      await run('stop', '/nowhere', plugin('p', { stop: 'export default () => {}' })),
    ).toMatchObject({
      line: { ok: false, reports: [{ plugin: 'p' }], problems: [{ code: 'PLUGIN_NOT_FOUND' }] },
      code: 4,
    });
  });

  it('runs init and shutdown once if they are requested by hand', async () => {
    const body = (word: string): string =>
      `export default () => { throw new Error("${word} ran") }`;
    const directory = plugin('life', { init: body('init') });
    expect(await run('init', directory)).toMatchObject({
      line: { ok: true, reports: [{ error: { message: expect.stringContaining('init ran') } }] },
      code: 0,
    });
    expect(await run('stop', directory)).toMatchObject({
      line: { ok: false, error: { code: 'LOAD_FAILED' } },
      code: 4,
    });
  });
});

it('bulkhead hook reads a context from a file', async () => {
  const asked: unknown[] = [];
  const { code, stdout } = await runFake(['hook', 'stop', '/p', '--context', '@c.json', '--json'], {
    files: { 'c.json': '{"decision":"continue"}' },
    hook: (hook, context, options) => {
      asked.push([hook, context, Object.keys(options)]);
      return { context: { decision: 'stop' }, reports: [] };
    },
  });
  expect(asked).toEqual([['stop', { decision: 'continue' }, ['signal']]]);
  expect(JSON.parse(stdout.text)).toEqual({ ok: true, context: { decision: 'stop' }, reports: [] });
  expect(code).toBe(0);
});
