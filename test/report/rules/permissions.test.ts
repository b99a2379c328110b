import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/report/report.js';
import { call, DAY_MS, granted, NOW, recordsOf } from '../builders.js';
import { found, reportOn } from '../report-on.js';

describe('BH-PERM-UNUSED', () => {
  it('finds what was granted long ago and never used', async () => {
    expect(
      await found(
        reportOn(
          { network: ['a.test', 'b.test'] },
          call('one', 't', NOW - DAY_MS, ['network GET https://a.test/']),
        ),
      ),
    ).toEqual(['BH-PERM-UNUSED network b.test']);
  });

  it('gives what was granted lately its time', async () => {
    const late = granted('one', { network: ['a.test'] }, { atMs: NOW - DAY_MS });
    expect(
      await found(reportOn({ network: ['a.test'] }, [], { records: recordsOf([late]) })),
    ).toEqual([]);
  });

  it('does not judge what the host cannot see used', async () => {
    expect(await found(reportOn({ time: true, random: true, env: ['A'] }))).toEqual([]);
  });

  it('counts a use for the scope that allowed it', async () => {
    const report = await reportOn({ network: ['*.a.test', 'b.test'], fs: ['data', 'notes'] }, [
      ...call('one', 't', NOW - 1, ['network GET https://x.a.test/y?…', 'fs "./data/deep/a.txt"']),
      ...call('one', 't', NOW - 2, ['network POST https://b.test:8443/', 'fs "database"']),
    ]);
    const uses = report.plugins[0]?.permissions.map(
      ({ scope, uses: count }) => `${scope} ${count}`,
    );
    expect(uses).toEqual(['*.a.test 1', 'b.test 0', 'data 1', 'notes 0']);
  });
});

describe('BH-PERM-WIDE', () => {
  it.each([
    [{ network: ['*.a.test'] }, 'network *.a.test'],
    [{ fs: ['/'] }, 'fs /'],
    [{ fs: ['/etc'] }, 'fs /etc'],
  ])('finds %o', async (permissions, subject) => {
    expect(await found(reportOn(permissions))).toContain(`BH-PERM-WIDE ${subject}`);
  });

  it('lets one host and one directory be', async () => {
    const all = await found(reportOn({ network: ['a.test'], fs: ['data', '/srv/data/x'] }));
    expect(all.filter((text) => text.startsWith('BH-PERM-WIDE'))).toEqual([]);
  });
});

describe('BH-EXFIL-PAIR', () => {
  it('finds what is private beside a way out, and is graver where the way is wide', async () => {
    const level = async (network: string[]): Promise<Finding['level'] | undefined> =>
      (await reportOn({ network, env: ['TOKEN'] })).findings.find(
        ({ rule }) => rule === 'BH-EXFIL-PAIR',
      )?.level;
    expect(await level(['a.test'])).toBe('warning');
    expect(await level(['*.a.test'])).toBe('error');
    expect(await level([])).toBeUndefined();
  });

  it('lets a variable be whose value never enters the plugin', async () => {
    const secret = {
      atMs: NOW - 1,
      type: 'secret-inserted',
      plugin: 'one',
      secret: 'TOKEN',
      place: 'header',
      host: 'a.test',
    };
    const all = await found(reportOn({ network: ['a.test'], env: ['TOKEN'] }, [secret]));
    expect(all.filter((text) => text.startsWith('BH-EXFIL'))).toEqual([]);
  });
});
