import { describe, expect, it } from 'vitest';
import { tmpdir } from 'node:os';
import { failing, runFake } from './fake.js';
import { run, writePlugin } from './spawned.js';

describe('bulkhead call', () => {
  it('passes on what its options say', async () => {
    const { calls, created } = await runFake(
      'call dir echo --input @in.json --context {"a":1} --timeout 50 --env A=1 --env B=x=y --host-override api.test=http://127.0.0.1:80 --allow-host p --yes'.split(
        ' ',
      ),
      { files: { 'in.json': '\uFEFF{"x":[1]}' }, environment: { A: '0', HOME: '/h' } },
    );
    expect(calls).toMatchObject([
      { tool: 'echo', input: { x: [1] }, options: { timeoutMs: 50, context: { a: 1 } } },
    ]);
    expect(created).toMatchObject([
      {
        plugins: ['dir'],
        grant: 'declared',
        env: { A: '1', B: 'x=y', HOME: '/h' },
        hostMode: ['p'],
        network: { overrides: [{ host: 'api.test', url: 'http://127.0.0.1:80' }] },
      },
    ]);
    const answer = await created[0]?.approve?.({} as never);
    expect(answer).toMatchObject({ verdict: 'once', approver: 'flag', channel: 'command-line' });
  });

  it("raises the engine's deadline if a longer one is given by hand", async () => {
    const { created } = await runFake(['call', 'd', 't', '--timeout', '90000']);
    expect(created[0]?.limits).toMatchObject({ timeoutMs: 90_000 });
  });

  it('gives the plugin the configuration of --config', async () => {
    const { created } = await runFake([
      'call',
      'd',
      't',
      '--config',
      '{"backend":"fast","requireApproval":{"t":true}}',
    ]);
    const config = created[0]?.config;
    expect(typeof config === 'function' ? config({} as never) : config).toEqual({
      backend: 'fast',
      requireApproval: { t: true },
    });
  });

  it('refuses a configuration whose words of ours are of the wrong type', async () => {
    const { code, stderr } = await runFake(['call', 'd', 't', '--config', '{"enabled":"yes"}']);
    expect(code).toBe(1);
    expect(stderr.text).toContain('"enabled" in --config must be true or false');
  });

  it('reads the input from standard input', async () => {
    const { calls } = await runFake(['call', 'd', 't', '--input', '-'], { stdin: '[1,"ü"]' });
    expect(calls[0]?.input).toEqual([1, 'ü']);
  });

  it('does not allow a plugin to run unconfined without the option', async () => {
    const { created } = await runFake(['call', 'd', 't']);
    expect(created[0]?.hostMode).toEqual([]);
  });

  it('has no approver without --yes and without a terminal', async () => {
    const { created } = await runFake(['call', 'd', 't']);
    expect(created[0]).not.toHaveProperty('approve');
  });

  it('closes its engine, also after a fault', async () => {
    const { closedEngines } = await runFake(['call', 'd', 't'], {
      call: () => {
        throw new Error('x');
      },
    });
    expect(closedEngines).toEqual(['d']);
  });

  it('prints a string as its text with what steers a terminal escaped', async () => {
    const { stdout } = await runFake(['call', 'd', 't'], {
      call: () => ({ value: 'one\n\u001b]0;title\u0007two' }),
    });
    expect(stdout.text).toBe('one\n\\u001b]0;title\\u0007two\n');
  });

  it('exits 130 if the person interrupted', async () => {
    const { code } = await runFake(['call', 'd', 't'], {
      interrupted: AbortSignal.abort(),
      call: failing('CANCELLED'),
    });
    expect(code).toBe(130);
  });

  it('shows an error with its source line, cause, fix and where to read on', async () => {
    const { stderr, code } = await runFake(['call', '/p', 't'], {
      files: { '/p/src/tool.ts': 'const a = 1;\nconst b = 2;\nfetch(x);\n' },
      call: (_tool, _input, { emit }) => {
        const stack = 'Error: no\n    at execute (src/tool.ts:3:7)';
        emit({ ...ended, stack });
        return failing('NETWORK_DENIED', 'weather may not connect. To allow this, add "x".')();
      },
    });
    expect(stderr.text).toBe(
      [
        'NETWORK_DENIED  network access denied    sample / src/tool.ts:3:7',
        '   1 | const a = 1;',
        '   2 | const b = 2;',
        ' > 3 | fetch(x);',
        '     |       ^',
        '  cause   weather may not connect.',
        '  fix     To allow this, add "x".',
        '  docs    bulkhead explain NETWORK_DENIED',
        '',
      ].join('\n'),
    );
    expect(code).toBe(3);
  });

  it.each(['../secret.ts', '/etc/passwd'])(
    'quotes no line of %s, whatever the stack says',
    async (file) => {
      const { stderr } = await runFake(['call', '/p', 't'], {
        files: { '/secret.ts': 'SECRET', '/etc/passwd': 'SECRET', '/p/etc/passwd': 'SECRET' },
        call: (_tool, _input, { emit }) => {
          emit({ ...ended, stack: `Error\n    at x (${file}:1:1)` });
          return failing('TOOL_FAILED')();
        },
      });
      expect(stderr.text).not.toContain('SECRET');
    },
  );
});

const ended = {
  atMs: 0,
  type: 'call-ended',
  call: 'call_1',
  plugin: 'sample',
  tool: 't',
  outcome: 'error',
  durationMs: 1,
} as const;

it('a recording that cannot be written is refused before the tool runs', async () => {
  const plugin = writePlugin({ execute: 'logger.info("it ran"); return 1;' });
  const { code, stderr } = await run(['call', plugin, 'run', '--record', tmpdir()]);
  expect(code).toBe(1);
  expect(stderr).toContain('--record cannot write');
  expect(stderr).not.toContain('it ran');
});
