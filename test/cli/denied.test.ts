import { describe, expect, it } from 'vitest';
import { describeDenied } from '../../src/cli/denied.js';
import type { DeniedUse } from '../../src/engine/types/result.js';

function remedyOf(permission: DeniedUse['permission'], wanted: string): string {
  const text = describeDenied([{ permission, wanted, count: 1 }]);
  return text.slice(text.lastIndexOf(' (') + 2, text.lastIndexOf(')'));
}

describe('the remedy of a denied request', () => {
  it.each([
    ['fs', '/etc/hostname', '--allow fs:/etc/hostname'],
    ['fs', 'write "/srv/data/a.txt"', '--allow fs:/srv/data/a.txt:rw'],
    ['fs', 'mkdir "/srv/it\'s"', String.raw`--allow 'fs:/srv/it'\''s:rw'`],
    ['fs', '/srv/$(id)\nrm', String.raw`--allow 'fs:/srv/$(id)\nrm'`],
    ['fs', 'write "/srv/.git/hooks"', 'a protected name: see docs/files.md'],
    ['fs', 'move "/srv/cut', '--allow fs:PATH'],
    ['fs', 'data/a.txt', '--allow fs:PATH'],
    ['fs', 'fs.symlinkSync', 'no permission allows it'],
    ['network', 'GET https://a.test/', '--allow network:a.test'],
    ['builtin', 'child_process.spawn', 'no permission allows it'],
    ['env', 'KEY', '--allow env:KEY'],
    ['random', 'crypto.randomUUID', '--allow random'],
    ['network', 'http.createServer', 'no permission allows it'],
    ['network', 'net.Server', 'no permission allows it'],
  ] as const)('%s: %s', (permission, wanted, remedy) => {
    expect(remedyOf(permission, wanted)).toBe(remedy);
  });
});

describe('a list of denied requests', () => {
  it('names as many as the caller wants, and counts the others', () => {
    const denied = ['A', 'B', 'C'].map((wanted): DeniedUse => ({
      permission: 'env',
      wanted,
      count: 2,
    }));
    expect(describeDenied(denied, 1)).toBe(
      '6 requests were denied:\n  env: A (2 times) (--allow env:A)\n  and 2 more kinds of request\n',
    );
    expect(describeDenied(denied)).not.toContain('more kinds');
  });
});
