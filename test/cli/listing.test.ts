import { describe, expect, it } from 'vitest';
import { runCli } from '../../src/cli/run.js';
import { NO_PERMISSIONS } from '../../src/permissions/permissions.js';
import { echo } from './echo.js';
import { fakeCapabilities, type FakeSpec } from './fake.js';

async function run(argv: string[], spec: FakeSpec = {}) {
  const capabilities = fakeCapabilities(spec);
  const code = await runCli(argv, '1.2.3', capabilities);
  return {
    code,
    out: capabilities.stdout.text,
    err: capabilities.stderr.text,
    created: capabilities.created,
  };
}

const asking = {
  ...echo,
  name: 'x__wipe',
  requireApproval: true,
  description: 'Wipes\u001b[1A it',
};

describe('bulkhead tools', () => {
  it('lists what can be called as a table', async () => {
    const { out, code } = await run(['tools', 'a'], { tools: [echo, asking] });
    expect(out.split('\n')).toEqual([
      'TOOL          PLUGIN  RISK  APPROVAL  RUNS       DESCRIPTION',
      'sample__echo  sample  low   no        sandboxed  Gives back its input',
      'x__wipe       sample  low   yes       sandboxed  Wipes\\u001b[1A it',
      '',
    ]);
    expect(code).toBe(0);
  });

  it('says of a plugin without tools that it has none, and names what else it has', async () => {
    const other: FakeSpec = {
      tools: [],
      status: {
        tools: [],
        directory: 'a plugin',
        agents: [
          {
            id: 'sample:guide',
            name: 'Guide',
            description: 'd',
            instructions: 'i',
            useTools: [],
          },
        ],
        notRun: ['channels', 'skills/\u001b[2Jplan'],
      },
    };
    const { out } = await run(['tools', 'a'], other);
    expect(out.split('\n').slice(1)).toEqual([
      '',
      "sample has no tools. Its other parts: bulkhead inspect 'a plugin'",
      'sample:guide is an agent: run it with `bulkhead chat --agent`.',
      'sample has parts that are not run: channels, skills/\\u001b[2Jplan',
      '',
    ]);
    const { out: json } = await run(['tools', 'a', '--json'], other);
    expect(JSON.parse(json)).toMatchObject({
      tools: [],
      plugins: [
        {
          id: 'sample',
          agents: [{ id: 'sample:guide' }],
          notRun: ['channels', expect.any(String)],
        },
      ],
    });
  });

  it('loads all directories into one catalog', async () => {
    const { created } = await run(['tools', 'a', 'b']);
    expect(created.map(({ plugins }) => plugins)).toEqual([['a', 'b']]);
  });

  it('reports a directory that has no plugin', async () => {
    const { out, code } = await run(['tools', 'a', 'b', '--json']);
    expect(JSON.parse(out)).toMatchObject({
      ok: false,
      tools: [{ name: 'sample__echo' }],
      problems: [
        {
          code: 'PLUGIN_NOT_FOUND',
          message: expect.stringMatching(
            /^There is no plugin in b\. .*package\.json \(with a directory tools/,
          ),
        },
      ],
    });
    expect(code).toBe(4);
  });

  it('takes a problem of a plugin that runs for a warning', async () => {
    const { out, code } = await run(['tools', 'a', '--json'], {
      status: { problems: [{ code: 'INVALID_TOOL', message: 'one has no id' }] },
    });
    expect(JSON.parse(out)).toMatchObject({ ok: true, problems: [{ code: 'INVALID_TOOL' }] });
    expect(code).toBe(0);
  });

  it('reports a plugin that failed, and still lists the others', async () => {
    const broken: FakeSpec = {
      status: { state: 'failed', problems: [{ code: 'INVALID_MANIFEST', message: 'bad' }] },
    };
    const { out, err, code } = await run(['tools', 'a'], broken);
    expect(out).toContain('sample__echo');
    expect(err).toContain('INVALID_MANIFEST');
    expect(code).toBe(4);
    const json = await run(['tools', 'a', '--json'], broken);
    expect(JSON.parse(json.out)).toMatchObject({
      ok: false,
      tools: [{ name: 'sample__echo' }],
      problems: [{ code: 'INVALID_MANIFEST', plugin: 'sample' }],
    });
  });
});

describe('bulkhead inspect', () => {
  const declared = {
    ...NO_PERMISSIONS,
    time: true,
    storage: true,
    network: ['api.example.com'],
    env: ['KEY'],
  };
  const entry = {
    key: 'tools',
    surface: 'tools',
    file: 'src/index.ts',
    confinement: 'compartment',
    bundle: 'sha512-abc',
    declared,
    effective: declared,
    secrets: [],
  } as const;

  it('shows identity, content, permissions as sentences, and tools', async () => {
    const { out, code } = await run(['inspect', 'a'], { status: { entries: [entry] } });
    expect(out).toContain('sample 1.0.0');
    // The hash that identifies a plugin is its artifact's, not that of one entry's code.
    expect(out).toContain('  artifact   not built\n');
    expect(out).not.toContain('sha512-abc');
    expect(out).toContain('- Connect to api.example.com');
    expect(out).toContain('sample__echo');
    expect(code).toBe(0);
  });

  it('gives the same as one line of JSON', async () => {
    const { out } = await run(['inspect', 'a', '--json'], { status: { entries: [entry] } });
    expect(JSON.parse(out)).toMatchObject({
      ok: true,
      plugin: {
        id: 'sample',
        entries: [{ sentences: expect.arrayContaining([expect.any(String)]) }],
        tools: [{ name: 'sample__echo' }],
      },
    });
    expect(out).not.toContain('sha512-abc');
  });

  it('says of an unconfined plugin that it may do everything', async () => {
    const { out } = await run(['inspect', 'a'], {
      status: { entries: [{ ...entry, confinement: 'host' }] },
    });
    expect(out).toContain('Run without a sandbox');
  });

  it('looks at the plugin without giving it the network, or a file to write', async () => {
    const writing = { ...declared, fs: ['/srv/work:rw'] };
    const granted = async (...args: string[]): Promise<object> => {
      const { created } = await run(['inspect', 'a', ...args]);
      const grant = created[0]?.grant;
      if (typeof grant !== 'function') throw new Error('expected a function');
      return grant({ entries: [{ ...entry, declared: writing }] } as never) as object;
    };
    expect(await granted()).toEqual({
      time: true,
      random: false,
      storage: true,
      env: ['KEY'],
      fs: ['/srv/work'],
      network: [],
      powers: [],
    });
    expect(await granted('--only', 'env')).toMatchObject({ time: false, env: ['KEY'], fs: [] });
    expect(await granted('--allow', 'network:api.example.com')).toMatchObject({
      network: ['api.example.com'],
    });
  });

  it('answers the requests of the plugin itself, and stores in a directory that it removes', async () => {
    const { created } = await run(['inspect', 'a']);
    const [{ network, storageDirectory } = {}] = created;
    const request = new Request('https://api.example.com');
    await expect(network?.answer?.(request)).rejects.toThrow('gives a plugin no network');
    expect(storageDirectory).toBe('/tmp/scratch');
  });

  it('puts words in the places of variables that a plugin waits for', async () => {
    const { created, code } = await run(['inspect', 'a', '--env', 'OTHER=1'], {
      status: { entries: [entry], state: 'inactive' },
    });
    expect(created.map(({ env }) => env)).toEqual([{ OTHER: '1' }, { OTHER: '1', KEY: 'not set' }]);
    expect(code).toBe(0);
  });

  it('shows what it can of a plugin that failed, and why it did', async () => {
    const { out, err, code } = await run(['inspect', 'a'], {
      status: { state: 'failed', problems: [{ code: 'LOAD_FAILED', message: 'threw' }] },
    });
    expect(out).toContain('state      failed');
    expect(err).toContain('cause   threw');
    expect(code).toBe(4);
  });
});

describe('bulkhead explain', () => {
  it('prints the meaning, the remedy and the exit code', async () => {
    const { out } = await run(['explain', 'approval_required', '--json']);
    expect(JSON.parse(out)).toMatchObject({
      code: 'APPROVAL_REQUIRED',
      exitCode: 3,
      meaning: expect.any(String),
      remedy: expect.stringContaining('--yes'),
    });
  });

  it('lists every code without one', async () => {
    const { out } = await run(['explain']);
    for (const code of ['INVALID_OPTIONS', 'NETWORK_DENIED', 'GUEST_CRASHED', 'INTERNAL']) {
      expect(out).toContain(code);
    }
  });

  it('does not know a code that does not exist, nor a name every object has', async () => {
    expect(await run(['explain', 'NO_SUCH'])).toMatchObject({ code: 1 });
    expect(await run(['explain', 'constructor'])).toMatchObject({ code: 1 });
  });
});

describe('bulkhead', () => {
  it('prints help without arguments and with --help, and its version', async () => {
    const help = await run([]);
    expect(help.out).toContain('Usage: bulkhead');
    expect(help.code).toBe(0);
    expect((await run(['--help'])).out).toBe(help.out);
    expect((await run(['call', '--help'])).out).toContain('--host-override <HOST=URL>');
    expect((await run(['--version'])).out).toBe('1.2.3\n');
  });

  it('explains a typing mistake on standard error', async () => {
    const { out, err, code } = await run(['cal', 'x']);
    expect(err).toContain("unknown command 'cal'");
    expect(out).toBe('');
    expect(code).toBe(1);
  });
});
