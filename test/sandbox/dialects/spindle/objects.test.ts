import { describe, expect, test } from 'vitest';
import { SPINDLE_PERMISSIONS } from '../../../../src/formats/spindle/permissions.js';
import { type Extension, running, startExtension } from './host.js';

/** Walks all that hangs on a value, by properties, accessors and prototypes. */
const WALK = `
  const seen = new Map();
  const unfrozen = [];
  const powerful = [];
  const walk = (value, path, mustBeFrozen) => {
    const stack = [[value, path]];
    while (stack.length > 0) {
      const [at, where] = stack.pop();
      if ((typeof at !== 'object' && typeof at !== 'function') || at === null || seen.has(at)) continue;
      seen.set(at, where);
      if (mustBeFrozen && !Object.isFrozen(at)) unfrozen.push(where);
      stack.push([Object.getPrototypeOf(at), where + '.__proto__']);
      for (const key of Reflect.ownKeys(at)) {
        const property = Object.getOwnPropertyDescriptor(at, key);
        for (const part of ['value', 'get', 'set']) stack.push([property[part], where + '.' + String(key)]);
      }
      let made;
      try { made = at.constructor.constructor('return typeof process + typeof require + typeof globalThis.Buffer')(); } catch { continue; }
      if (made !== 'undefinedundefinedundefined') powerful.push(where + ' ' + made);
    }
  };`;

describe('the spindle object', () => {
  test('is frozen at every depth, and leads to no capability', async () => {
    const source = `${WALK}
    walk(spindle, 'spindle', true);
    walk(crypto, 'crypto', true);
    ${running('({ seen: seen.size, unfrozen, powerful })')}`;
    const extension = await startExtension(source, { permissions: SPINDLE_PERMISSIONS });
    const found = (await foundBy(extension)) as { seen: number };
    expect(found).toEqual({ seen: expect.any(Number), unfrozen: [], powerful: [] });
    expect(found.seen).toBeGreaterThan(400);
  });

  test('has no member whose answer or error leads to a capability', async () => {
    const source = `${WALK}
    const answers = [];
    const ask = async (member, path) => {
      for (const args of [[], ['x', {}, () => {}], [{}, () => {}], [() => {}]]) {
        try {
          const answer = member(...args);
          answers.push([answer, path]);
          if (typeof answer?.next === 'function') await answer.next();
          answers.push([await answer, path + ' settled']);
        } catch (error) { answers.push([error, path + ' threw']); }
      }
    };
    const members = [];
    const collect = (object, path) => {
      for (const name of Object.getOwnPropertyNames(object)) {
        const member = object[name];
        if (typeof member === 'function') members.push([member, path + '.' + name]);
        else if (typeof member === 'object' && member !== null) collect(member, path + '.' + name);
      }
    };
    collect(spindle, 'spindle');
    ${running(`(async () => {
      for (const [member, path] of members) await ask(member, path);
      for (const [answer, path] of answers) walk(answer, path, false);
      // An answer may be changed; what it inherits, others inherit too.
      const changeable = answers.filter(([answer]) => {
        const prototype = answer === undefined || answer === null ? null : Object.getPrototypeOf(answer);
        return prototype !== null && !Object.isFrozen(prototype);
      }).map(([, path]) => path);
      return { members: members.length, answers: answers.length > 1000, powerful, changeable };
    })()`)}`;
    const provides = Object.fromEntries(
      ['spindle.chats.list', 'spindle.generate.raw', 'spindle.frontendProcesses.spawn'].map(
        (name) => [name, () => ({ data: [{ id: 1 }], processId: 'p' })],
      ),
    );
    const failing = {
      'spindle.chats.get': () => {
        throw new Error('from the host');
      },
    };
    const extension = await startExtension(source, {
      permissions: SPINDLE_PERMISSIONS,
      provides: { ...provides, ...failing },
    });
    const found = await foundBy(extension);
    expect(found).toEqual({ members: 314, answers: true, powerful: [], changeable: [] });
  });
});

async function foundBy(extension: Extension): Promise<unknown> {
  const text = await extension.call('run');
  return typeof text === 'string' ? JSON.parse(text) : text;
}
