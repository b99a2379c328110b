import type { Guard } from './guard.js';

/** What a plugin may use while nobody waits for it, and how that is seen. */
export const restGuards: readonly Guard[] = [
  {
    stops: 'a plugin that runs while nobody calls it',
    file: 'src/guests/watch.ts',
    code: 'guest.rest();',
    without: 'void guest;',
    tests: ['test/guests/watch.test.ts', 'test/engine/idle.test.ts'],
  },
  {
    stops: 'a guest that stays for ever',
    file: 'src/guests/watch.ts',
    code: 'else if (idleMs >= spec.endAfterMs) end();',
    without: 'else if (idleMs >= Infinity) end();',
    tests: ['test/guests/watch.test.ts'],
  },
  {
    stops: 'burning processor time unseen',
    file: 'src/guests/watch.ts',
    code: "guest.kill({ cause: 'cpu', detail: overdraft });",
    without: '',
    tests: ['test/guests/watch.test.ts', 'test/engine/cpu.test.ts'],
  },
  {
    stops: 'a helper of a guest that goes on when the guest is stopped',
    file: 'src/guests/family.ts',
    code: 'process.kill(-child.pid, signal);',
    without: 'child.kill(signal);',
    tests: ['test/guests/family.test.ts'],
  },
  {
    stops: "a superuser's privileges in a guest without a namespace of users",
    file: 'src/guests/command.ts',
    code: "isolation.dropPrivileges ? ['--inh-caps=-all', '--bounding-set=-all'] : [];",
    without: '[];',
    tests: ['test/guests/command.test.ts'],
  },
  {
    stops: 'a wall that is said to stand and was not tried',
    file: 'src/guests/canary.ts',
    code: "if (open !== 'connected') {",
    without: 'if (false) {',
    tests: ['test/guests/canary.test.ts'],
  },
  {
    stops: 'starting without a wall that was required',
    file: 'src/engine/engine.ts',
    code: 'if (require.length > 0) requireWalls(require, await machinery.guarantees());',
    without: '',
    tests: ['test/engine/walls.test.ts'],
  },
  {
    stops: 'an input of more bytes than it has characters',
    file: 'src/engine/prepare-call.ts',
    code: 'return text.length * 3 <= limit ? text.length : new TextEncoder().encode(text).byteLength;',
    without: 'return text.length;',
    tests: ['test/engine/limits.test.ts'],
  },
  {
    stops: 'an attempt that selftest counts as stopped, though it was not made',
    file: 'src/cli/hostile/judge.ts',
    code: 'return NOT_TRIED.has(code)',
    without: 'return false',
    tests: ['test/cli/hostile/judge.test.ts'],
  },
  {
    stops: 'a host that ponders a stack of empty lines',
    file: 'src/engine/service.ts',
    code: 'at |^ {0,8})(?<place>',
    without: 'at |^\\s*)(?<place>',
    tests: ['test/engine/service.test.ts', 'test/escape/wire.test.ts'],
  },
  {
    stops: 'a host that ponders a header of blanks',
    file: 'src/brokers/network/headers.ts',
    code: '(?<![\\t\\r\\n ])',
    without: '',
    tests: ['test/brokers/network/request.test.ts', 'test/escape/wire.test.ts'],
  },
  {
    stops: 'a deadline that never passes, since it is paused again and again',
    file: 'src/engine/deadline.ts',
    code: 'if (leftMs <= 0) pass();',
    without: 'leftMs = Math.max(1, leftMs);',
    tests: ['test/engine/deadline.test.ts'],
  },
];
