import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { surface } from '../../sandbox/dialects/spindle/surface.js';
import { SPINDLE_PERMISSIONS } from '../../src/formats/spindle/permissions.js';
import { SPINDLE_POWERS } from '../../types/spindle-host.js';
import { running, startExtension } from '../sandbox/dialects/spindle/host.js';

const powers: Readonly<Record<string, string>> = SPINDLE_POWERS;

test('the list of powers has each member that only asks the host, with its permission', () => {
  const asked = surface.flatMap(({ path, permission = 'spindle', reads = {}, writes, sends }) =>
    [...Object.keys(reads), ...`${writes ?? ''} ${sends ?? ''}`.split(' ')]
      .filter((name) => name !== '')
      .map((name) => [['spindle', path, name].filter(Boolean).join('.'), permission]),
  );
  expect(powers).toMatchObject(Object.fromEntries(asked));
});

test('each permission in the list is one of Spindle', () => {
  const known = new Set([...SPINDLE_PERMISSIONS, 'spindle']);
  expect(Object.entries(powers).filter(([, permission]) => !known.has(permission))).toEqual([]);
});

/** Calls every member of `spindle` once, and answers what each threw: `{ "spindle.chats.get": "…" }`. */
const CALL_ALL = `(async () => {
  const thrown = {};
  const call = async (path, member) => {
    try {
      const answer = await member(path.endsWith('.declare') ? 'message_tag_interceptor' : 'name', { entry: 'a' }, 'value');
      if (answer?.[Symbol.asyncIterator]) for await (const _ of answer);
    } catch (error) { thrown[path] = error.message; }
  };
  const walk = async (path, place) => {
    for (const key of Reflect.ownKeys(place)) {
      if (typeof key !== 'string') continue;
      const member = place[key];
      if (typeof member === 'function') await call(path + '.' + key, member);
      else if (typeof member === 'object' && member !== null) await walk(path + '.' + key, member);
    }
  };
  for (const key of Object.keys(spindle)) {
    if (['contracts', 'host', 'manifest', 'log'].includes(key)) continue;
    const member = spindle[key];
    if (typeof member === 'function') await call('spindle.' + key, member);
    else await walk('spindle.' + key, member);
  }
  return thrown;
})()`;

function textOf(answer: unknown): string {
  return typeof answer === 'string' ? answer : '';
}

/** Answered by the engine itself. */
const OWN_POWERS = new Set(['spindle.rpcPool.read']);

test('the list has every request that the members of `spindle` send, with the permission that each needs', async () => {
  const file = new URL('../conformance/spindle/members.txt', import.meta.url);
  const members = (await readFile(file, 'utf8')).trim().split('\n');
  const provides = Object.fromEntries(
    members.map((name) => [name, name.endsWith('Stream') ? () => [] : () => ({})]),
  );
  const all = await startExtension(running(CALL_ALL), {
    permissions: [...SPINDLE_PERMISSIONS, 'spindle'],
    provides,
  });
  await all.call('run');
  const asked = new Set(all.asked.map(([name]) => name).filter((name) => !OWN_POWERS.has(name)));
  expect([...asked].toSorted()).toEqual(Object.keys(powers).toSorted());

  const none = await startExtension(running(CALL_ALL), { permissions: ['spindle'], provides });
  const thrown: Readonly<Record<string, string>> = JSON.parse(textOf(await none.call('run')));
  // The words of the original for a lack of the permission `oauth`.
  const denied = /^PERMISSION_DENIED: (\S+)|^(OAuth) permission not granted/;
  const needed = Object.keys(powers).map((name) => {
    const [, permission, oauth] = denied.exec(thrown[name] ?? '') ?? [];
    return [name, permission ?? oauth?.toLowerCase() ?? 'spindle'];
  });
  expect(powers).toEqual(Object.fromEntries(needed));
});
