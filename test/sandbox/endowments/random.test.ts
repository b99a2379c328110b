import { describe, expect, test } from 'vitest';
import { useRealm } from './realm/realm.js';

const realm = useRealm();
const granted = { grant: { random: true } };

describe('Math.random', () => {
  test('with random granted, Math.random draws numbers', async () => {
    const drawn = await realm.value(
      'return Array.from({ length: 100 }, () => Math.random())',
      granted,
    );
    expect(new Set(Array.isArray(drawn) ? drawn : []).size).toBeGreaterThan(90);
  });

  test('without random, Math.random is denied with the edit that would allow it', async () => {
    const failure = await realm.failure('Math.random()');
    expect(failure.code).toBe('RANDOM_DENIED');
    expect(failure.message).toBe(
      'demo may not use randomness (Math.random). To allow this, grant it (--allow random, or "random": true in the option "grant") if the manifest declares it. If not, first add "random": true to "permissions" in pandora.manifest.json.',
    );
  });

  test('the rest of Math is present in both cases, and frozen', async () => {
    for (const spec of [{}, granted]) {
      expect(
        await realm.value(
          `const names = Object.getOwnPropertyNames(Math);
         return [Math.floor(1.5), Math.max(1, 2), Math.PI > 3, names.includes('hypot'), names.length > 40, String(Math), Object.isFrozen(Math), Math.random.name,
           (() => { try { Math.floor = 1 } catch (e) { return e.name } })()]`,
          spec,
        ),
      ).toEqual([1, 2, true, true, true, '[object Math]', true, 'random', 'TypeError']);
    }
  });

  test('the boundary of a form is not random, so it leaks no randomness', async () => {
    const code = 'const f = new FormData(); f.append("a", "b"); return new Response(f).text()';
    expect(await realm.value(code)).toBe(await realm.value(code));
  });

  test('after a revocation a stored Math.random fails', async () => {
    expect(
      await realm.value(
        `const { random } = Math; random(); tools.revoke('random'); try { return random() } catch (e) { return e.code }`,
        granted,
      ),
    ).toBe('PERMISSION_REVOKED');
  });
});
