import { describe, expect, it } from 'vitest';
import { reportOn } from './report-on.js';

const suggested = new Map([
  [
    'one',
    [
      { permission: 'network', scope: 'a.test', at: 'src/a.ts:1:1' },
      { permission: 'network', scope: 'b.test', at: 'src/b.ts:2:3' },
      { permission: 'network', scope: 'b.test', at: 'src/c.ts:9:9' },
      { permission: 'fs', scope: 'data/deep', at: 'src/d.ts:1:1' },
      { permission: 'time', scope: 'true', at: 'src/e.ts:4:4' },
      { permission: 'storage', scope: 'true', at: 'src/f.ts:5:5' },
      { permission: 'network', scope: 'no host at all!', at: 'src/g.ts:1:1' },
    ],
  ],
]);

describe('the report', () => {
  it('names each undeclared need of code once, with its place', async () => {
    const permissions = { network: ['a.test'], fs: ['data'], time: true };
    const report = await reportOn(permissions, [], { suggested });
    expect(report.plugins[0]?.undeclared).toEqual(
      expect.arrayContaining([
        { kind: 'storage', scope: 'true', at: 'src/f.ts:5:5' },
        { kind: 'network', scope: 'b.test', at: 'src/b.ts:2:3' },
      ]),
    );
    expect(report.plugins[0]?.undeclared).toHaveLength(2);
  });
});
