import { expect, it } from 'vitest';
import { readKernelSettings } from '../../../src/cli/doctor/kernel.js';
import { fakePowers } from '../fake.js';

const USER = '/proc/sys/user/max_user_namespaces';
const CLONE = '/proc/sys/kernel/unprivileged_userns_clone';
const APPARMOR = '/proc/sys/kernel/apparmor_restrict_unprivileged_userns';

it.each([
  [USER, '0\n', 'sysctl -w user.max_user_namespaces'],
  [CLONE, '0\n', 'sysctl -w kernel.unprivileged_userns_clone=1'],
  [APPARMOR, '1\n', 'sysctl -w kernel.apparmor_restrict_unprivileged_userns=0'],
])('%s that is in the way says how to get it out', async (file, text, remedy) => {
  expect(await readKernelSettings(fakePowers({ files: { [file]: text } }))).toEqual([
    { file, value: text.trim(), problem: expect.stringContaining(remedy) },
  ]);
});

it('settings that are fine, or that this kernel lacks, are no problem', async () => {
  const files = { [USER]: '96365\n', [APPARMOR]: '0\n' };
  const settings = await readKernelSettings(fakePowers({ files }));
  expect(settings.map(({ problem }) => problem)).toEqual([undefined, undefined]);
  expect(await readKernelSettings(fakePowers())).toEqual([]);
});
