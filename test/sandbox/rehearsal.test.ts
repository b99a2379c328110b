import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** Rehearses in a process that is locked down as guests are, and prints what came of it. */
const SCRIPT = `
const { webPowers } = await import('#sandbox/node/perimeter.js');
const { makeProcessPowers } = await import('#sandbox/node/process-powers.js');
const { rehearse } = await import('#sandbox/rehearsal.js');
const said = [];
const say = (method) => (...what) => void said.push([method, ...what]);
const host = new Proxy({}, { get: (_, method) => say(method) });
const powers = makeProcessPowers(globalThis, webPowers, { write: say('write'), exit: say('exit') });
const before = Reflect.ownKeys(globalThis).length;
const answers = await rehearse(powers, host);
const added = Reflect.ownKeys(globalThis).length - before;
process.stdout.write(JSON.stringify({ answers, said, added }));
`;

it('a rehearsal gets to the answer of a call, says nothing to the host, and leaves nothing behind', () => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', SCRIPT],
    { cwd: fileURLToPath(new URL('../..', import.meta.url)), encoding: 'utf8' },
  );
  expect(stderr).toBe('');
  const answer = '{"text":"","list":[1,true,null]}';
  expect(JSON.parse(stdout)).toEqual({ answers: [answer, answer, answer], said: [], added: 0 });
});
