import { describe, expect, it } from 'vitest';
import { readKernelSettings } from '../../../src/cli/doctor/machine.js';
import { fakeCapabilities } from '../fake.js';

const USER = '/proc/sys/user/max_user_namespaces';
const CLONE = '/proc/sys/kernel/unprivileged_userns_clone';
const APPARMOR = '/proc/sys/kernel/apparmor_restrict_unprivileged_userns';

describe('the kernel check', () => {
  it.each([
    [USER, '0\n', 'sysctl -w user.max_user_namespaces'],
    [CLONE, '0\n', 'sysctl -w kernel.unprivileged_userns_clone=1'],
    [APPARMOR, '1\n', 'sysctl -w kernel.apparmor_restrict_unprivileged_userns=0'],
  ])('reports how to change %s if it blocks a wall', async (file, text, remedy) => {
    expect(await readKernelSettings(fakeCapabilities({ files: { [file]: text } }))).toEqual([
      { file, value: text.trim(), problem: expect.stringContaining(remedy) },
    ]);
  });

  it('reports nothing for good settings and for settings that this kernel lacks', async () => {
    const files = { [USER]: '96365\n', [APPARMOR]: '0\n' };
    const settings = await readKernelSettings(fakeCapabilities({ files }));
    expect(settings.map(({ problem }) => problem)).toEqual([undefined, undefined]);
    expect(await readKernelSettings(fakeCapabilities())).toEqual([]);
  });
});
