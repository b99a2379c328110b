import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Gateway, Runner } from '../../src/entry-points/fleet.js';
import { ROOT } from '../architecture/sources.js';
import { outputErrors } from '../cli/output-schema.js';
import { type Cell, heardOf, makeCell } from './cell.js';
import { hasNats, startNats } from './nats-server.js';

const NOTES = {
  id: 'notes',
  permissions: { storage: true },
  tools: {
    put: "({ text }) => storage.write('note', text)",
    get: "() => storage.read('note')",
  },
};

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

describe.skipIf(!hasNats)('bulkhead fleet', () => {
  let cell: Cell;
  let gateway: Gateway;
  let first: Runner;
  let config: string;
  beforeAll(async () => {
    cell = await makeCell((await startNats()).url, [NOTES]);
    config = join(cell.root, 'bulkhead.config.json');
    const fleet = { servers: [cell.url], name: 'gate-1', signKey: 'gateway.pem' };
    writeFileSync(config, JSON.stringify({ lockFile: 'bulkhead.lock.json', fleet }));
    gateway = await cell.gateway();
    first = await cell.runner('first');
    await heardOf(gateway, 'first');
    // The state is on the first runner that is heard.
    await gateway.call('put', { text: 'of ada' }, { tenant: 'ada' });
    await gateway.call('put', { text: 'of no tenant' });
    await cell.runner('second');
  });

  const fleet = (...words: readonly string[]): Promise<Ran> =>
    new Promise((resolve) => {
      const cli = join(ROOT, 'dist/lib/cli/main.cjs');
      const all = [cli, 'fleet', ...words, '--config', config];
      execFile(process.execPath, all, (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
      });
    });
  const json = async (name: string, ...words: readonly string[]): Promise<unknown> => {
    const { stdout } = await fleet(...words, '--json');
    const printed: unknown = JSON.parse(stdout);
    expect({ printed, errors: outputErrors(name, printed) }).toEqual({ printed, errors: [] });
    return printed;
  };

  it('shows the runners, and which plugins keep state where', async () => {
    const printed = await json('fleet status');
    expect(printed).toMatchObject({
      runners: expect.arrayContaining([
        expect.objectContaining({ name: 'first', state: 'ready', callsUnderWay: 0 }),
      ]),
      pins: [
        { plugin: 'notes', runner: 'first' },
        { plugin: 'notes', tenant: 'ada', runner: 'first' },
      ],
    });
    const { stdout } = await fleet('status');
    expect(stdout).toMatch(/^RUNNER +STATE +VERSION/);
    expect(stdout).toMatch(/^first +ready +\d+\.\d+\.\d+ +0 of 64 /m);
    expect(stdout).toMatch(/^notes +ada +first$/m);
  });

  it.each([
    [['mvoe'], 'status, move, verify or anchor'],
    [['move', 'notes'], 'bulkhead fleet move PLUGIN RUNNER'],
    [['move', 'ntoes', 'second'], 'did you mean notes?'],
    [['move', 'notes', 'secnod'], 'the runner secnod does not run; there are '],
    [['move', 'notes', 'second', '--tenant', 'ada'], 'on first, which still runs; stop it'],
    [['status', 'notes'], 'notes needs `fleet move`'],
    [['status', '--tenant', 'ada'], '--tenant needs `fleet move`'],
    [['status', '--key', 'audit.pub'], '--key needs `fleet verify`'],
    [['anchor', '--anchor', 'first=x'], '--anchor needs `fleet verify`'],
    [['verify', '--anchor', 'first'], '--anchor takes RUNNER=bulkhead-audit:NUMBER:HASH'],
    [['verify', '--anchor', '@/dev/null'], 'the output of `bulkhead fleet anchor`'],
    [['verify', '--anchor', 'first=@absent.txt'], '--anchor cannot read absent.txt'],
    [['verify', '--anchor', 'first=12'], 'The text has no anchor'],
  ])('refuses %j', async (words, message) => {
    const { code, stderr } = await fleet(...words);
    expect(stderr).toContain(message);
    expect(code).toBe(1);
  });

  it('finds with an anchor that records of a log are missing at its end, or all of them', async () => {
    await json('fleet anchor', 'anchor');
    const { stdout } = await fleet('anchor');
    expect(stdout).toMatch(/^first=bulkhead-audit:\d+:[\da-f]{64}$/m);
    const file = join(cell.root, 'anchors.txt');
    writeFileSync(file, stdout);
    expect(await fleet('verify')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('only an anchor detects records cut off at the end'),
    });
    expect(await fleet('verify', '--anchor', `@${file}`)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^intact {2}first: \d+ records, 1 anchored, /m),
    });
    const [, seq = '', hash = ''] = /^first=bulkhead-audit:(\d+):(\w+)$/m.exec(stdout) ?? [];
    const later = `bulkhead-audit:${Number(seq) + 1}:${hash}`;
    writeFileSync(file, `2026-11-28T00:00:00.000Z ${later}\n`);
    expect(await fleet('verify', '--anchor', `first=@${file}`)).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(/^BROKEN {2}first: .*missing at the end/m),
    });
    expect(await fleet('verify', '--anchor', `third=${later}`)).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(/^BROKEN {2}third: .*missing at the end/m),
    });
    const misspelt = await fleet('verify', '--anchor', `frist=${later}`);
    expect(misspelt.code).toBe(2);
    expect(misspelt.stdout).toContain(
      'there is no log of frist: it was removed, or --anchor names no runner of this cell; did you mean first?\n',
    );
    const anchors = { third: [later] };
    const verdicts = await gateway.verifyAudit({ anchors });
    expect(verdicts.find(({ runner }) => runner === 'third')?.verdict.ok).toBe(false);
    await expect(gateway.verifyAudit({ anchors: { first: ['none'] } })).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
    });
  });

  it('verifies the audit logs of the runners, and finds one that is not intact', async () => {
    const intact = await json('fleet verify', 'verify');
    expect(intact).toMatchObject({ ok: true });
    expect(await fleet('verify')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^intact {2}first: \d+ records, the last is \d+ /m),
    });
    const connection = await connect({ servers: cell.url });
    await jetstream(connection).publish('bh.main.audit.forged', '{"seq":1}');
    await connection.close();
    const broken = await json('fleet verify', 'verify');
    expect(broken).toMatchObject({ ok: false });
    const { code, stdout } = await fleet('verify');
    expect(stdout).toMatch(/^BROKEN {2}forged: /m);
    expect(stdout).not.toContain('there is no log');
    expect(stdout).toMatch(/^intact {2}first: /m);
    expect(code).toBe(2);
  });

  it('moves a plugin of one tenant when its runner has stopped', async () => {
    await first.drain();
    expect((await gateway.call('notes:get', {}, { tenant: 'ada' })).code).toBe('FLEET_FAILED');
    const moved = await json('fleet move', 'move', 'notes', 'second', '--tenant', 'ada');
    expect(moved).toEqual({
      ok: true,
      plugin: 'notes',
      runner: 'second',
      tenant: 'ada',
      from: 'first',
    });
    const put = await gateway.call('notes:put', { text: 'moved' }, { tenant: 'ada' });
    expect(put.isError).toBe(false);
    expect((await gateway.call('notes:get', {})).code).toBe('FLEET_FAILED');
    await cell.runner('first');
    await heardOf(gateway, 'first');
    const without = ['move', 'notes', 'second'];
    expect((await fleet(...without)).stderr).toContain('on first, which still runs');
    expect(await fleet(...without, '--storage-copied')).toMatchObject({
      code: 0,
      stdout: 'calls without a tenant of notes run on second from now on, not on first\n',
    });
  });
});
