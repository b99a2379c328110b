import { describe, expect, test } from 'vitest';
import { useRealm } from './realm/realm.js';

const realm = useRealm();
const granted = { grant: { powers: ['notes', 'chats.read', 'broken', 'constructor'] } };

describe('powers', () => {
  test('a power is a function that returns a copy of the host’s answer', async () => {
    expect(
      await realm.value(
        `return [await powers.notes({ a: [1] }), await powers['chats.read'](), await (0, powers.notes)('x')]`,
        granted,
      ),
    ).toEqual([
      { name: 'notes', given: { a: [1] } },
      { name: 'chats.read', given: {} },
      { name: 'notes', given: 'x' },
    ]);
  });

  test('a power without a grant is denied with the edit that allows it', async () => {
    const run = 'return powers.other({}).catch((e) => [e.code, e.message])';
    expect(await realm.value(run)).toEqual([
      'POWER_DENIED',
      'demo may not use what the host provides (other). To allow this, grant it (--allow powers:other, or "powers": ["other"] in the option "grant") if the manifest declares it. If not, first add "powers": ["other"] to "permissions" in pandora.manifest.json.',
    ]);
  });

  test('the powers object is not a promise, has no prototype and cannot be changed', async () => {
    expect(
      await realm.value(
        `const tries = [() => { powers.notes = 1 }, () => { delete powers.notes }, () => Object.setPrototypeOf(powers, {}), () => { powers.notes.x = 1 }, () => { powers.other.x = 1 }];
       const refused = tries.map((f) => { try { f(); return 'done' } catch (e) { return e.name } });
       return [await powers === powers, Object.getPrototypeOf(powers), Object.isFrozen(powers), Object.keys(powers).sort(), JSON.stringify(powers), refused, (await powers.constructor()).name, typeof powers.__proto__]`,
        granted,
      ),
    ).toEqual([
      true,
      null,
      true,
      ['broken', 'chats.read', 'constructor', 'notes'],
      '{}',
      Array.from({ length: 5 }, () => 'TypeError'),
      'constructor',
      'function',
    ]);
  });

  test('a refusal of the host has its code and message, and no host objects', async () => {
    expect(
      await realm.value(
        `try { await powers.broken() } catch (e) { return [e.constructor === Error, e.code, e.message, Object.keys(e)] }`,
        granted,
      ),
    ).toEqual([true, 'POWER_FAILED', 'broken did not work', ['code']]);
  });

  test('arguments that are endless, circular or not data are refused in the guest', async () => {
    expect(
      await realm.value(
        `const circle = {}; circle.a = circle; const wide = []; for (let i = 0, at = wide; i < 60; i++) { const next = []; at.push(next, next); at = next }
       const codes = [];
       for (const args of [circle, wide, 1n, { get a() { throw new Error('no') } }, 'x'.repeat(2000000)]) await powers.notes(args).catch((e) => codes.push(e.code));
       return codes`,
        granted,
      ),
    ).toEqual(Array.from({ length: 5 }, () => 'POWER_INVALID'));
  });
});
