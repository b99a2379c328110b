import { offer } from './denied.js';
import { constants } from './os-constants.js';

/** `node:os` with the same fixed answers on every machine. */
export const builtin: object = offer('os', {
  EOL: '\n',
  devNull: '/dev/null',
  constants,
  arch: (): string => 'x64',
  machine: (): string => 'x86_64',
  platform: (): string => 'linux',
  type: (): string => 'Linux',
  release: (): string => '0.0.0',
  version: (): string => '',
  endianness: (): string => 'LE',
  hostname: (): string => 'localhost',
  homedir: (): string => '/home/plugin',
  tmpdir: (): string => '/tmp',
  userInfo: (): object => ({
    username: 'plugin',
    uid: -1,
    gid: -1,
    shell: null,
    homedir: '/home/plugin',
  }),
  cpus: (): object[] => [],
  availableParallelism: (): number => 1,
  totalmem: (): number => 0,
  freemem: (): number => 0,
  loadavg: (): number[] => [0, 0, 0],
  uptime: (): number => 0,
  networkInterfaces: (): object => ({}),
});
