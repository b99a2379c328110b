import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** Warms up in a process that is locked down as guests are, and prints the outcome. */
const SCRIPT = `
const { webPowers } = await import('#sandbox/node/perimeter.js');
const { makeProcessCapabilities } = await import('#sandbox/node/process-capabilities.js');
const { warmUp } = await import('#sandbox/warm-up.js');
const said = [];
const say = (method) => (...what) => void said.push([method, ...what]);
const host = new Proxy({}, { get: (_, method) => say(method) });
const powers = makeProcessCapabilities(globalThis, webPowers, { write: say('write'), exit: say('exit') });
const before = Reflect.ownKeys(globalThis).length;
const answers = await warmUp(powers, host, { packages: process.argv[1] === 'packages' });
const added = Reflect.ownKeys(globalThis).length - before;
process.stdout.write(JSON.stringify({ answers, said, added }));
`;

describe('the warm-up', () => {
  it.each([
    ['without packages', 3],
    ['packages', 4],
  ])(
    'reaches the answer of a call, sends nothing to the host, and leaves nothing behind: %s',
    (kind, count) => {
      const { stdout, stderr } = spawnSync(
        process.execPath,
        ['--input-type=module', '--eval', SCRIPT, kind],
        { cwd: fileURLToPath(new URL('../..', import.meta.url)), encoding: 'utf8' },
      );
      expect(stderr).toBe('');
      const answer = '{"text":"","list":[1,true,null]}';
      const answers = Array.from({ length: count }, () => answer);
      expect(JSON.parse(stdout)).toEqual({ answers, said: [], added: 0 });
    },
  );
});
