import { describe, expect, it } from 'vitest';
import { call, granted, NOW, recordsOf, statusOf, tool } from '../builders.js';
import { reportFormats } from '../../../src/report/formats.js';
import { found, reportOn } from '../report-on.js';
import { sampleReport } from '../sample.js';

describe('BH-RISK-UNDERSTATED', () => {
  it('finds a tool that says less of itself than its permissions prove', async () => {
    const tools = [
      tool('one', 'modest', { declaredRisk: 'low', risk: 'medium' }),
      tool('one', 'frank', { declaredRisk: 'high', risk: 'high' }),
    ];
    expect(await found(reportOn({}, [], { status: { tools } }))).toEqual([
      'BH-RISK-UNDERSTATED modest',
    ]);
  });
});

describe('BH-DENIED-ATTEMPT', () => {
  it('finds each thing that was tried once, with how often and where', async () => {
    const attempts = [1, 2, 3].flatMap((n) =>
      call('one', 't', NOW - n, ['!network https://evil.test src/a.ts:3:4']),
    );
    const [finding] = (await reportOn({}, attempts)).findings;
    expect(finding).toMatchObject({
      rule: 'BH-DENIED-ATTEMPT',
      message: 'one tried network https://evil.test 3 times; each attempt was denied.',
      place: { file: 'src/a.ts', line: 3, column: 4 },
    });
  });

  it.each([
    [true, 'no grant changes this'],
    [false, 'grant it'],
  ])('says how to allow it only if a grant would: storage granted %s', async (storage, fix) => {
    const attempt = call('one', 't', NOW - 1, ['!storage write']);
    const { findings } = await reportOn({ storage }, attempt);
    const finding = findings.find(({ rule }) => rule === 'BH-DENIED-ATTEMPT');
    expect(finding?.fix).toContain(fix);
  });

  it('takes the line from the call that it ended where the denial itself has none', async () => {
    const attempt = call('one', 't', NOW - 1, ['!filesystem "/etc/passwd"'], {
      outcome: 'error',
      at: 'src/b.ts:9:1',
    });
    expect((await reportOn({}, attempt)).findings[0]?.place).toMatchObject({
      file: 'src/b.ts',
      line: 9,
    });
  });

  it.each(['../../etc/passwd:1:1', '/etc/passwd:1:1', 'nonsense'])(
    'does not believe a line such as %s',
    async (at) => {
      const attempt = call('one', 't', NOW - 1, [], {});
      const denied = {
        atMs: NOW,
        type: 'capability-denied',
        plugin: 'one',
        permission: 'time',
        wanted: 'Date.now',
        at,
      };
      expect((await reportOn({}, [...attempt, denied])).findings[0]?.place).toEqual({
        file: 'pandora.manifest.json',
      });
    },
  );
});

describe('BH-DENIED-ATTEMPT, if the plugin was granted since what it lacked', () => {
  const early = granted('one', {}, { atMs: NOW - 100 });
  const late = (permissions: Parameters<typeof granted>[1]) =>
    granted('one', permissions, { atMs: NOW - 10 });
  const levelOf = async (
    permissions: Parameters<typeof granted>[1],
    before: Parameters<typeof granted>[1],
    attempt: string,
  ) => {
    const records = recordsOf([
      granted('one', before, { atMs: NOW - 100 }),
      ...call('one', 't', NOW - 50, [attempt]),
      late(permissions),
    ]);
    const { findings } = await reportOn(permissions, [], { records });
    return findings.find(({ rule }) => rule === 'BH-DENIED-ATTEMPT')?.level;
  };

  it('is only a note, and is not drawn as a closed door', async () => {
    const records = recordsOf([
      early,
      ...call('one', 't', NOW - 50, ['!network GET https://api.test/x src/a.ts:3:4']),
      late({ network: ['api.test'] }),
    ]);
    const report = await reportOn({ network: ['api.test'] }, [], { records });
    const finding = report.findings.find(({ rule }) => rule === 'BH-DENIED-ATTEMPT');
    expect(finding).toMatchObject({
      level: 'note',
      message: expect.stringContaining('The plugin has the permission now.'),
      fix: expect.stringContaining('remove it'),
    });
    const page = reportFormats.html.render(report, { version: '1', base: '/' });
    expect(page).toContain('granted since');
    expect(page).not.toContain('1 thing to look at now');
    expect(page).not.toContain('denied once');
  });

  it.each([
    ['fs', { fs: ['data'] }, '!fs "data/a.txt"'],
    ['env', { env: ['KEY'] }, '!env KEY'],
    ['storage', { storage: true }, '!storage write'],
  ])('counts for %s', async (_kind, permissions, attempt) => {
    expect(await levelOf(permissions, {}, attempt)).toBe('note');
    expect(await levelOf({}, {}, attempt)).toBe('error');
    // It was denied although the plugin had the permission, so the grant was not the cause.
    expect(await levelOf({ ...permissions, time: true }, permissions, attempt)).toBe('error');
  });

  it('stays an error for another host, another variable and a grant that came before', async () => {
    expect(await levelOf({ network: ['api.test'] }, {}, '!network GET https://evil.test/')).toBe(
      'error',
    );
    expect(await levelOf({ env: ['KEY'] }, {}, '!env OTHER')).toBe('error');
  });
});

describe('BH-UPDATE-WIDENS', () => {
  it('finds what a later bundle asks for and the one before did not', async () => {
    const before = granted('one', { network: ['a.test'] });
    const after = granted(
      'one',
      { network: ['a.test', 'b.test'] },
      { atMs: NOW - 1, bundle: 'sha512-new' },
    );
    const all = await found(
      reportOn({ network: ['a.test', 'b.test'] }, [], { records: recordsOf([before, after]) }),
    );
    expect(all).toContain('BH-UPDATE-WIDENS network b.test');
  });

  it('only notes what a person accepted since, and says who', async () => {
    const previous = await reportOn({ network: ['a.test'] });
    const widened = async (lock: object | undefined) => {
      const report = await reportOn({ network: ['a.test', 'c.test'] }, [], { previous, lock });
      const [one] = report.findings.filter(({ rule }) => rule === 'BH-UPDATE-WIDENS');
      return `${one?.level}: ${one?.message}`;
    };
    const bundles = { tools: statusOf('one', {}).entries[0]?.bundle };
    const asked = 'one 1.0.0 requests network c.test, which it did not request before.';
    expect(
      await widened({ plugins: { one: { bundles, by: 'ada', at: '2026-11-25T08:00:00Z' } } }),
    ).toBe(`note: ${asked} It was accepted by ada on 2026-11-25.`);
    expect(await widened({ plugins: { one: { bundles: { tools: 'sha512-other' } } } })).toBe(
      `warning: ${asked}`,
    );
    expect(await widened(undefined)).toBe(`warning: ${asked}`);
  });

  it('finds what is wider than in the report before, and tells all that has changed', async () => {
    const previous = await reportOn({ network: ['a.test'], time: true });
    const report = await reportOn({ network: ['a.test', 'c.test'] }, [], { previous });
    expect(report.findings.map(({ rule, subject }) => `${rule} ${subject}`)).toContain(
      'BH-UPDATE-WIDENS network c.test',
    );
    expect(report.plugins[0]?.changes).toEqual([
      'It was granted network c.test.',
      'It no longer has time.',
    ]);
  });
});

describe('BH-HOST-MODE', () => {
  it('finds a server that is a command and not confined, and no other server', async () => {
    const server = (id: string, confinement: 'host' | 'remote' | 'sandbox-runtime') => ({
      ...statusOf(id, {}),
      format: 'mcp',
      entries: [],
      confinement,
    });
    const { findings, plugins } = await sampleReport({
      plugins: [server('open', 'host'), server('shut', 'sandbox-runtime'), server('far', 'remote')],
      records: recordsOf([]),
    });
    const servers = plugins.filter(({ format }) => format === 'mcp');
    expect(servers.map(({ id, confinement }) => `${id} ${confinement}`).toSorted()).toEqual([
      'far remote',
      'open host',
      'shut sandbox-runtime',
    ]);
    const ids = servers.map(({ id }) => id);
    const about = findings.filter(({ plugin }) => ids.includes(plugin));
    expect(about.map(({ rule, fix }) => `${rule} ${fix}`)).toEqual([
      expect.stringContaining('BH-HOST-MODE Add "confine" to the remote open'),
    ]);
  });

  it('finds a plugin without a compartment', async () => {
    expect(await found(reportOn({}, [], { status: { host: true } }))).toContain(
      'BH-HOST-MODE confinement',
    );
  });
});

describe('BH-UNPINNED', () => {
  it('finds code that no lock file names, and code that is another', async () => {
    expect(await found(reportOn({}))).toEqual([]);
    expect(await found(reportOn({}, [], { lock: undefined }))).toEqual(['BH-UNPINNED pin']);
    const lock = { plugins: { one: { bundles: { tools: 'sha512-another' } } } };
    expect(await found(reportOn({}, [], { lock }))).toEqual(['BH-UNPINNED pin']);
  });
});
