import { describe, expect, it } from 'vitest';
import { BulkheadError } from '../../src/index.js';
import { runCli } from '../../src/cli/run.js';
import { failing, fakeCapabilities, runFake } from './fake.js';

function onlyLine(text: string): unknown {
  expect(text.endsWith('\n')).toBe(true);
  expect(text.trimEnd().split(/\r\n|[\n\v\f\r\u001c-\u001e\u0085\u2028\u2029]/)).toHaveLength(1);
  return JSON.parse(text);
}

describe('bulkhead call --json', () => {
  it('prints the result as one line', async () => {
    const { stdout, stderr, code } = await runFake(['call', 'dir', 'echo', '--json']);
    expect(onlyLine(stdout.text)).toEqual({
      ok: true,
      result: { tool: 'echo', input: {} },
      durationMs: 1.2,
    });
    expect(stderr.text).toBe('');
    expect(code).toBe(0);
  });

  it('stays one line for any result', async () => {
    const value = 'a\nb\u2028c\u2029d\u0085e\u001b[31m\u202ef';
    const { stdout } = await runFake(['call', 'd', 't', '--json'], { call: () => ({ value }) });
    expect(onlyLine(stdout.text)).toMatchObject({ result: value });
    expect(stdout.text).not.toMatch(/[\u001b\u202e]/);
  });

  it('prints null for a tool that returned nothing', async () => {
    const { stdout } = await runFake(['call', 'd', 't', '--json'], {
      call: () => ({ value: undefined as never }),
    });
    expect(onlyLine(stdout.text)).toMatchObject({ ok: true, result: null });
  });

  it.each([
    ['an unknown option', ['call', 'd', 't', '--json', '--wat'], 'INVALID_OPTIONS'],
    ['a missing argument', ['call', 'd', '--json'], 'INVALID_OPTIONS'],
    ['an argument too many', ['call', 'd', 't', 'x', '--json'], 'INVALID_OPTIONS'],
    ['an input that is not JSON', ['call', 'd', 't', '--json', '--input', '{'], 'INVALID_OPTIONS'],
    ['a file that is not there', ['call', 'd', 't', '--json', '--input', '@x'], 'INVALID_OPTIONS'],
    [
      'a context that is a list',
      ['call', 'd', 't', '--json', '--context', '[]'],
      'INVALID_OPTIONS',
    ],
    ['a timeout in words', ['call', 'd', 't', '--json', '--timeout', 'soon'], 'INVALID_OPTIONS'],
    ['a variable without a value', ['call', 'd', 't', '--json', '--env', 'A'], 'INVALID_OPTIONS'],
    [
      'an override without a URL',
      ['call', 'd', 't', '--json', '--host-override', 'a=b'],
      'INVALID_OPTIONS',
    ],
    ['an unknown command', ['cal', '--json'], 'INVALID_OPTIONS'],
  ])('answers %s with one line and exit code 1', async (_, argv, expected) => {
    const { stdout, code } = await runFake(argv);
    expect(onlyLine(stdout.text)).toMatchObject({
      ok: false,
      error: { code: expected, message: expect.any(String) },
      durationMs: expect.any(Number),
    });
    expect(code).toBe(1);
  });

  it('answers an engine that cannot be created with one line', async () => {
    const capabilities = fakeCapabilities();
    const createEngine = () =>
      Promise.reject(new BulkheadError('PLUGIN_NOT_FOUND', 'nothing there', { directory: 'd' }));
    const code = await runCli(['call', 'd', 't', '--json'], '1', { ...capabilities, createEngine });
    expect(onlyLine(capabilities.stdout.text)).toMatchObject({
      error: { code: 'PLUGIN_NOT_FOUND' },
    });
    expect(code).toBe(4);
  });

  it('answers a fault of ours as INTERNAL with exit code 70', async () => {
    const { stdout, code } = await runFake(['call', 'd', 't', '--json'], {
      call: () => {
        throw new RangeError('oops');
      },
    });
    expect(onlyLine(stdout.text)).toMatchObject({
      error: { code: 'INTERNAL', message: 'RangeError: oops' },
    });
    expect(code).toBe(70);
  });

  it.each([
    ['NETWORK_DENIED', 3],
    ['APPROVAL_REQUIRED', 3],
    ['APPROVAL_DENIED', 3],
    ['TOOL_FAILED', 5],
    ['INVALID_INPUT', 5],
    ['GUEST_CRASHED', 5],
    ['DEADLINE_EXCEEDED', 6],
  ] as const)('exits after %s with %i', async (error, expected) => {
    const { stdout, code } = await runFake(['call', 'd', 't', '--json'], { call: failing(error) });
    expect(onlyLine(stdout.text)).toMatchObject({
      ok: false,
      error: { code: error, message: 'no' },
    });
    expect(code).toBe(expected);
  });

  it('answers for a plugin that failed with its first problem, without a call', async () => {
    const { stdout, code, calls } = await runFake(['call', 'd', 't', '--json'], {
      status: { state: 'failed', problems: [{ code: 'BUNDLE_FAILED', message: 'bad import' }] },
    });
    expect(onlyLine(stdout.text)).toMatchObject({ error: { code: 'BUNDLE_FAILED' } });
    expect(code).toBe(4);
    expect(calls).toEqual([]);
  });

  it('blames a broken entry for a tool that is not there', async () => {
    const { stdout } = await runFake(['call', 'd', 't', '--json'], {
      status: { problems: [{ code: 'LOAD_FAILED', message: 'threw' }] },
      call: () => {
        throw new BulkheadError('TOOL_NOT_FOUND', 'no t', { tool: 't' });
      },
    });
    expect(onlyLine(stdout.text)).toMatchObject({ error: { code: 'LOAD_FAILED' } });
  });

  it('shows what the plugin logs on standard error alone', async () => {
    const { stdout, stderr } = await runFake(['call', 'd', 't', '--json'], {
      call: (_tool, _input, { options }) => {
        options.logger?.debug({ plugin: 'sample', source: 'plugin' }, 'hello\u001b[2J');
        options.logger?.warn({ plugin: 'sample' }, 'a warning of the engine');
        return {};
      },
    });
    expect(stderr.text).toBe('[sample] hello\\u001b[2J\n');
    onlyLine(stdout.text);
  });
});
