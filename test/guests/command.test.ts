import { describe, expect, it } from 'vitest';
import { guestCommand } from '../../src/guests/command.js';
import type { Machine } from '../../src/guests/walls/machine.js';
import type { OptionalWall } from '../../src/guests/walls/optional.js';
import { NO_WALLS, type WallPlan } from '../../src/guests/walls/plan.js';

const machine: Machine = {
  node: '/usr/bin/node',
  nodeMajor: 20,
  permissionFlag: '--experimental-permission',
  droppedFlags: [],
  flags: ['--no-addons'],
  architecture: 'x64',
  superuser: false,
  tools: {
    perl: '/usr/bin/perl',
    bwrap: '/usr/bin/bwrap',
    unshare: '/usr/bin/unshare',
    setpriv: '/usr/bin/setpriv',
    shell: '/bin/sh',
  },
  inheritable: [],
  libraries: ['/lib/libc.so.6'],
  loaderFiles: ['/etc/ld.so.cache'],
  countsPerNamespace: true,
  filters: { guest: 30, bundler: 31 },
  plan: { ...NO_WALLS, builder: 'chain' },
};
const limits = { memoryMb: 64, cpuSeconds: 600 };
const commandOf = (
  plan: Partial<WallPlan>,
  use: readonly OptionalWall[] = [],
  changed: Partial<Machine> = {},
): ReturnType<typeof guestCommand> => {
  const spec = { ...machine, ...changed, plan: { ...machine.plan, ...plan } };
  return guestCommand(spec, limits, '/guest.cjs', ['/guest.cjs'], use);
};
const textOf = (...args: Parameters<typeof commandOf>): string => {
  const { file, args: words } = commandOf(...args);
  return [file, ...words].join(' ');
};

describe('the guest command', () => {
  it('allows a guest to read its own code and nothing else', () => {
    expect(textOf({})).toContain('--experimental-permission --allow-fs-read=/guest.cjs');
    expect(textOf({})).not.toMatch(/allow-(fs-write|child-process|worker|addons|wasi)/);
  });

  it('sets four environment variables, none of them the host’s', () => {
    expect(commandOf({}).env).toEqual({
      TZ: 'UTC',
      LANG: 'C',
      LC_ALL: 'C',
      OPENSSL_CONF: '/dev/null',
      MALLOC_MMAP_THRESHOLD_: '524288',
      MALLOC_TRIM_THRESHOLD_: '1048576',
    });
  });

  it('starts node alone on a machine that builds no walls', () => {
    expect(textOf({ builder: 'none' }, [], { permissionFlag: undefined })).toBe(
      '/usr/bin/node --max-old-space-size=64 --max-semi-space-size=1 --v8-pool-size=1 --expose-gc --no-addons /guest.cjs alone plain',
    );
  });

  it('names the inherited descriptors for the guest to close', () => {
    expect(textOf({}, [], { inheritable: [{ number: 251, dev: 13, ino: 7 }] })).toMatch(
      / \/guest\.cjs alone plain 251:13:7$/,
    );
  });

  it('disables the just-in-time compiler only on request', () => {
    expect(textOf({}, ['no-jit'])).toContain('--jitless /guest.cjs');
    expect(textOf({}, ['no-network'])).not.toContain('--jitless');
  });
});

describe('the command of perl', () => {
  const plan: Partial<WallPlan> = {
    builder: 'perl',
    namespaces: ['net', 'mount'],
    ownRoot: true,
    landlock: 6,
    systemCallFilter: true,
    ownUser: { first: 70_000, count: 10 },
  };

  it('names every wall of the plan', () => {
    const text = textOf(plan, ['no-network']);
    expect(text).toMatch(/^\/usr\/bin\/perl -e /);
    expect(text).toMatch(/ user 70000,10,\d+ namespaces 1073872896 root \/tmp /);
    expect(text).toMatch(/ landlock 6 .* seccomp 2000/);
    expect(text).toContain(' see /usr/bin/node see /lib/libc.so.6 ');
    expect(text).toContain(' show /guest.cjs readable /guest.cjs ');
  });

  it('has no network namespace if the operator leaves it out', () => {
    expect(textOf(plan, [])).toContain(' namespaces 131072 ');
  });

  it('sets the limits of files, core dumps, memory, processor time and processes', () => {
    const text = textOf(plan);
    expect(text).toContain(' limit 1,0,0 limit 0,600,605 ');
    // The stack, cores, data, address space and descriptors: a host's own limit stays if it is lower.
    expect(text).toContain(
      ' most 3,8388608 most 4,1 most 2,234881024 most 9,34359738368 most 7,64 ',
    );
    expect(text).toContain(' most 11,1024 most 6,64 ');
  });

  it('raises the data limit by the reserved cage of newer Node versions', () => {
    const data = (text: string): number => Number(/most 2,(\d+)/.exec(text)?.[1]);
    expect(data(textOf(plan, [], { nodeMajor: 24 })) - data(textOf(plan))).toBeGreaterThan(
      500 * 1024 * 1024,
    );
  });

  it.runIf(process.platform === 'linux')(
    'counts the processes of a user that others are, too, with what runs on the machine',
    () => {
      const most = (text: string): number => Number(/ most 6,(\d+) /.exec(text)?.[1]);
      const shared = { ...plan, ownUser: undefined };
      const namespaces = ['user', 'mount'] as const;
      expect(most(textOf({ ...shared, namespaces }))).toBe(64);
      for (const text of [
        textOf(shared),
        textOf({ ...shared, namespaces }, [], { countsPerNamespace: false }),
      ]) {
        // Enough for whatever starts beside it, and less than the usual limit of a user.
        expect(most(text)).toBeGreaterThan(4096);
        expect(most(text)).toBeLessThan(16_000);
      }
    },
  );

  it('mounts the root where it hides nothing that the guest is to see', () => {
    const script = '/tmp/guest.cjs';
    const spec = { ...machine, plan: { ...NO_WALLS, ...plan } };
    const { args } = guestCommand(spec, limits, script, [script], []);
    expect(args.join(' ')).toContain(' root /mnt ');
    const node = guestCommand({ ...spec, node: '/mnt/node' }, limits, script, [script], []);
    expect(node.args.join(' ')).toContain(' root /srv ');
  });
});

describe('the command of bubblewrap', () => {
  const plan: Partial<WallPlan> = {
    builder: 'bwrap',
    namespaces: ['user', 'net', 'mount'],
    ownRoot: true,
    systemCallFilter: true,
  };

  it('binds node, its libraries, three devices and the script, and nothing else', () => {
    const text = textOf(plan, ['no-network']);
    const bound = [...text.matchAll(/--(?:ro|dev)-bind (\S+) \1 /g)].map(([, path]) => path);
    expect(bound).toEqual([
      '/usr/bin/node',
      '/lib/libc.so.6',
      '/dev/null',
      '/dev/zero',
      '/dev/urandom',
      '/guest.cjs',
    ]);
    expect(text).toContain('--unshare-user --unshare-net --die-with-parent --cap-drop ALL');
    expect(text).toContain('--remount-ro / --seccomp 9 -- /usr/bin/node ');
    expect(text).not.toContain('--unshare-mount');
  });

  it('gets the filter at a descriptor', () => {
    expect(commandOf(plan).filter).toBe(30);
    expect(textOf(plan)).toContain('exec 9</proc/self/fd/6 6<&-;');
  });
});

describe('the command of util-linux', () => {
  it('sets the soft limit on processor time before the hard one, which cannot be lower', () => {
    expect(textOf({})).toContain('ulimit -S -t 600; ulimit -H -t 605;');
    expect(textOf({})).toContain('ulimit -c 0; ulimit -f 0; ulimit -s 8192 2>/dev/null;');
    expect(textOf({})).toContain('ulimit -d 229376; ulimit -v 33554432; ulimit -n 64 2>/dev/null;');
  });

  it('counts the processes of a user of its own', () => {
    const ownUser = { first: 70_000, count: 10 };
    const count = 'ulimit -u 64 2>/dev/null || ulimit -p 64 2>/dev/null;';
    expect(textOf({ ownUser })).toContain(count);
    expect(textOf({ ownUser, builder: 'bwrap' })).toContain(count);
    expect(textOf({})).not.toContain(count);
  });

  it('enters the namespaces first, and sets the death signal in them', () => {
    expect(textOf({ namespaces: ['user', 'net'] }, ['no-network'])).toMatch(
      /^\/usr\/bin\/unshare --net --user -- \/bin\/sh .*ulimit .*--pdeathsig KILL -- .*node/s,
    );
    expect(textOf({ namespaces: ['net'] }, [])).not.toContain('unshare');
  });

  it('leaves process 1 of a PID namespace to the shell', () => {
    const text = textOf({ namespaces: ['user', 'pid'] });
    expect(text).toMatch(
      /--pdeathsig KILL -- \/usr\/bin\/unshare --pid --user --fork --kill-child/,
    );
    expect(text).toContain('"$@"; exit $?');
  });

  it('drops privileges, and gains none', () => {
    expect(textOf({})).toContain(
      '/usr/bin/setpriv --no-new-privs --pdeathsig KILL -- /usr/bin/node',
    );
    expect(textOf({}, [], { superuser: true })).toContain(
      '/usr/bin/setpriv --inh-caps=-all --bounding-set=-all --no-new-privs ',
    );
  });

  it('leaves out what the machine lacks', () => {
    const tools = { ...machine.tools, setpriv: undefined, unshare: undefined };
    expect(textOf({ namespaces: ['user', 'net'] }, ['no-network'], { tools })).toMatch(
      /^\/bin\/sh -c .* guest \/usr\/bin\/node /,
    );
  });
});
