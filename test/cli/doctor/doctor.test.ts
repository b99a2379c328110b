import { describe, expect, it } from 'vitest';
import { BulkheadError, type Guarantee, type WallName } from '../../../src/index.js';
import { whyNotConfined } from '../../../src/remotes/mcp/confine.js';
import { failing, runFake } from '../fake.js';
import { lineOf, run } from '../spawned.js';

const wall = (name: WallName, changed: Partial<Guarantee> = {}): Guarantee => ({
  wall: name,
  active: true,
  unused: false,
  evidence: 'it was seen',
  meaning: 'What it keeps out.',
  ...changed,
});
const absent = { active: false, remedy: 'Install it.' };

describe('bulkhead doctor', () => {
  it('describes the machine, and for each wall its meaning and evidence', async () => {
    const { stdout, code } = await runFake(['doctor'], {
      guarantees: [wall('process'), wall('no-network', absent)],
    });
    expect(stdout.text).toContain('node      v20.19.0, V8 11.3');
    expect(stdout.text).toContain('system    linux 6.1.0, x64, 2 processors, 8.0 GiB');
    expect(stdout.text).toContain('active   process');
    expect(stdout.text).toContain('What it keeps out.');
    expect(stdout.text).toContain('evidence: it was seen');
    expect(stdout.text).toContain('MISSING  no-network');
    expect(stdout.text).toContain('fix: Install it.');
    expect(stdout.text).toContain('1 of 2 walls are active.');
    expect(code).toBe(0);
  });

  it('says in one line which walls are missing, and the command that installs them', async () => {
    const guarantees = [wall('process'), wall('no-network', absent), wall('memory', absent)];
    const install = 'apt-get install perl-base';
    const lacking = await runFake(['doctor'], { guarantees, install });
    expect(lacking.stdout.text).toContain(
      '  walls     2 of 3 are missing: no-network, memory; install what builds them: apt-get install perl-base\n',
    );
    const json = await runFake(['doctor', '--json'], { guarantees, install });
    expect(JSON.parse(json.stdout.text)).toMatchObject({ install });
    const { stdout } = await runFake(['doctor'], { guarantees });
    expect(stdout.text).toContain('no-network, memory; each says below how to get it\n');
    const whole = [wall('process'), wall('no-jit', { ...absent, unused: true })];
    expect((await runFake(['doctor'], { guarantees: whole })).stdout.text).toContain(
      '  walls     all 1 are active\n',
    );
  });

  it('names a server that answers without a token, and a configuration that allows it', async () => {
    const files = {
      'bulkhead.config.json': JSON.stringify({ server: { openLoopback: true, port: 4999 } }),
    };
    const asked: string[] = [];
    const answering = (status: number) =>
      runFake(['doctor'], {
        files,
        http: (url, { token }) => {
          asked.push(`${url} ${token}`);
          return Promise.resolve({ status, text: '[]' });
        },
      });
    const { stdout, code } = await answering(200);
    expect(stdout.text).toContain('bulkhead.config.json sets server.openLoopback');
    expect(stdout.text).toContain('http://127.0.0.1:4999 was started with --open-loopback');
    expect(asked).toEqual(['http://127.0.0.1:4999/api/plugins ']);
    expect(code).toBe(0);
    expect((await answering(401)).stdout.text).not.toContain('was started with --open-loopback');
    expect((await runFake(['doctor'], {})).stdout.text).not.toContain('without a token');
  });

  it('says which plugins and tenants share a guest by the configuration', async () => {
    const files = {
      'bulkhead.config.json': JSON.stringify({
        isolation: { notes: 'tenant', shell: 'call' },
        replicas: { search: { max: 4 } },
        trustGroups: { texts: ['lorem', 'words'] },
      }),
    };
    const { stdout } = await runFake(['doctor'], { files });
    expect(stdout.text).toContain('  guests    notes: each tenant has a guest of its own\n');
    expect(stdout.text).toContain('  guests    shell: each call has a guest of its own\n');
    expect(stdout.text).toContain('  guests    search: up to 4 guests at once\n');
    expect(stdout.text).toContain('  guests    lorem, words: one guest, as trust group texts;');
    const json = await runFake(['doctor', '--json'], { files });
    expect(JSON.parse(json.stdout.text).sharing).toHaveLength(4);
    expect((await runFake(['doctor'])).stdout.text).not.toContain('  guests ');
  });

  it('says how the servers are confined that are commands of the configuration', async () => {
    const files = {
      'bulkhead.config.json': JSON.stringify({
        remotes: [
          { id: 'open', command: 'python3' },
          { id: 'shut', command: 'python3', confine: { hosts: [] } },
          { mcp: 'https://far.example/mcp' },
        ],
      }),
    };
    const { stdout } = await runFake(['doctor'], { files });
    expect(stdout.text).toContain('  remote    open is NOT CONFINED: its command has all rights');
    const why = await whyNotConfined();
    expect(stdout.text).toContain(
      `  remote    shut ${why === undefined ? 'is confined by sandbox-runtime' : 'does not start: confine'}`,
    );
    const json = await runFake(['doctor', '--json'], { files });
    expect(JSON.parse(json.stdout.text).remotes).toHaveLength(2);
  });

  it('distinguishes a wall that is left out from one that is missing', async () => {
    const { stdout } = await runFake(['doctor'], {
      guarantees: [wall('no-jit', { ...absent, unused: true })],
    });
    expect(stdout.text).toContain('unused   no-jit');
    expect(stdout.text).toContain('0 of 0 walls are active.');
  });

  it('fails if a wall is missing that plugins need, or that was required', async () => {
    const guarantees = [wall('process'), wall('memory', absent)];
    expect((await runFake(['doctor'], { guarantees })).code).toBe(0);
    const required = await runFake(['doctor', '--require', 'memory'], { guarantees });
    expect(required.code).toBe(2);
    expect(required.stdout.text).toContain('Missing: memory.');
    const needed = await runFake(['doctor'], { guarantees: [wall('permission-model', absent)] });
    expect(needed.code).toBe(2);
  });

  it('knows no wall that there is not', async () => {
    const { stderr, code } = await runFake(['doctor', '--require', 'moat'], {
      guarantees: [wall('process')],
    });
    expect(stderr.text).toContain('moat is not a wall; the walls are process');
    expect(code).toBe(1);
  });

  it('also activates the expensive walls on request', async () => {
    const { created } = await runFake(['doctor', '--paranoid']);
    expect(created[0]?.walls).toEqual({ paranoid: true });
  });

  it('says what the kernel forbids', async () => {
    const files = { '/proc/sys/user/max_user_namespaces': '0\n' };
    const { stdout } = await runFake(['doctor'], { files });
    expect(stdout.text).toContain('max_user_namespaces is 0: no user may create a namespace');
  });

  it.each([
    ['no plugin can be started', { broken: startFailed() }, 4],
    ['a plugin does not answer', { call: failing('GUEST_CRASHED') }, 5],
  ])('says that plugins do not run if %s', async (_, spec, exits) => {
    const told = await runFake(['doctor'], spec);
    expect(told.stdout.text).toContain('do not run');
    expect(told.code).toBe(exits);
    const { stdout } = await runFake(['doctor', '--json'], spec);
    expect(JSON.parse(stdout.text)).toMatchObject({ ok: false, run: { works: false } });
  });

  it('finds on this machine what plugins need', async () => {
    const ended = await run(['doctor', '--json']);
    expect(lineOf(ended)).toMatchObject({
      ok: true,
      machine: { node: process.version, platform: process.platform },
      run: { works: true, caches: true },
      missing: [],
    });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
  });
});

function startFailed(): BulkheadError {
  return new BulkheadError('GUEST_START_FAILED', 'no process', { reason: 'no process' });
}
