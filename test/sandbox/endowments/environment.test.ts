import { describe, expect, test } from 'vitest';
import { useRealm } from './realm/realm.js';

const realm = useRealm();
const granted = { grant: { env: { API_KEY: 'secret', __proto__name: 'x' } } };

describe('env', () => {
  test('env.get returns granted variables, and undefined for others', async () => {
    expect(
      await realm.value(
        `return [env.get('API_KEY'), env.get('HOME') === undefined, env.get('constructor') === undefined, env.get('__proto__') === undefined, env.get('toString') === undefined]`,
        granted,
      ),
    ).toEqual(['secret', true, true, true, true]);
  });

  test('env is frozen and lists nothing', async () => {
    expect(
      await realm.value(
        `let thrown; try { env.get = () => 'forged' } catch (e) { thrown = e.name }
       return [Object.keys(env), Object.isFrozen(env), thrown, env.get('API_KEY')]`,
        granted,
      ),
    ).toEqual([['get'], true, 'TypeError', 'secret']);
  });

  test('without a granted variable there is no env, and using it is denied', async () => {
    expect(await realm.value('return [typeof env, "env" in globalThis]')).toEqual([
      'undefined',
      false,
    ]);
    const failure = await realm.failure('env("KEY")');
    expect(failure.code).toBe('ENVIRONMENT_DENIED');
    expect(failure.message).toContain('add "env": ["<variable name>"] to "permissions"');
  });

  test('a key whose text changes is read once', async () => {
    expect(
      await realm.value(
        `let n = 0; const value = env.get({ toString() { n += 1; return 'API_KEY' } }); return [value, n]`,
        granted,
      ),
    ).toEqual(['secret', 1]);
  });

  test('after a revocation a stored env fails', async () => {
    expect(
      await realm.value(
        `const { get } = env; tools.revoke('env'); try { return get('API_KEY') } catch (e) { return e.code }`,
        granted,
      ),
    ).toBe('PERMISSION_REVOKED');
  });
});
