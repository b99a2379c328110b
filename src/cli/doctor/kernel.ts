import type { CliPowers } from '../powers.js';

/** A setting of the kernel that decides whether a guest can have a network of its own. */
export interface KernelSetting {
  readonly file: string;
  readonly value: string;
  /** What it does as it is, where that is in the way. */
  readonly problem?: string;
}

const SETTINGS: readonly {
  readonly file: string;
  readonly forbids: (value: number) => boolean;
  readonly problem: string;
}[] = [
  {
    file: '/proc/sys/user/max_user_namespaces',
    forbids: (value) => value === 0,
    problem: 'nobody may make a namespace: sysctl -w user.max_user_namespaces=10000',
  },
  {
    file: '/proc/sys/kernel/unprivileged_userns_clone',
    forbids: (value) => value === 0,
    problem: 'only root may make one: sysctl -w kernel.unprivileged_userns_clone=1',
  },
  {
    file: '/proc/sys/kernel/apparmor_restrict_unprivileged_userns',
    forbids: (value) => value === 1,
    problem:
      'AppArmor lets only named programs make one: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or a profile for unshare',
  },
];

/** Those of them that this kernel has. */
export async function readKernelSettings({
  readFile,
}: Pick<CliPowers, 'readFile'>): Promise<readonly KernelSetting[]> {
  const found = await Promise.all(
    SETTINGS.map(async ({ file, forbids, problem }) => {
      const value = (await readFile(file).catch(() => '')).trim();
      return value === '' ? [] : [{ file, value, ...(forbids(Number(value)) ? { problem } : {}) }];
    }),
  );
  return found.flat();
}
