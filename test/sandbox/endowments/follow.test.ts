import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { useRealm } from './realm/realm.js';

const realm = useRealm();

const everything = {
  time: true,
  random: true,
  network: true,
  fs: [],
  env: { KEY: 'v' },
};

/** One use of each permission: `ok`, or the code that it throws. */
const uses = `
  const uses = {
    time: async () => Date.now(),
    random: async () => Math.random(),
    env: async () => globalThis.env.get('KEY') ?? 'unset',
    network: async () => (await globalThis.fetch('https://x.test/text')).text(),
    fs: async () => globalThis.readFile('a.txt'),
  };
  const use = async (name) => {
    try { await uses[name](); return 'ok' } catch (e) { return e.code ?? e.name }
  };`;

describe('a changed grant', () => {
  test('a permission that is granted later works at once', async () => {
    const value = await realm.value(
      `${uses}
     const before = [await use('time'), await use('random')];
     const added = tools.follow(${JSON.stringify(everything)});
     const names = Object.keys(added).sort();
     return [before, await use('time'), await use('random'), typeof added.fetch, names]`,
    );
    expect(value).toEqual([
      ['TIME_DENIED', 'RANDOM_DENIED'],
      'ok',
      'ok',
      'function',
      ['Intl', 'env', 'fetch', 'performance', 'readFile'],
    ]);
  });

  test('globals that are granted later are hardened and appear once', async () => {
    expect(
      await realm.value(
        `const first = tools.follow({ fs: true, network: true });
       tools.follow({ fs: false, network: false });
       const second = tools.follow({ fs: true, network: true });
       return [Object.isFrozen(first.fetch), Object.isFrozen(first.readFile), Object.keys(second)]`,
      ),
    ).toEqual([true, true, []]);
  });

  test('variables change with the grant: names, values, and none', async () => {
    expect(
      await realm.value(
        `const { get } = env; const seen = [get('KEY')];
       tools.follow({ env: { KEY: 'new', MORE: 'm' } }); seen.push(get('KEY'), get('MORE'));
       tools.follow({ env: { MORE: 'm' } }); seen.push(get('KEY') ?? 'unset');
       tools.follow({ env: undefined });
       try { get('MORE') } catch (e) { seen.push(e.code) }
       return seen`,
        { grant: everything },
      ),
    ).toEqual(['v', 'new', 'm', 'unset', 'PERMISSION_REVOKED']);
  });

  test('a request and a read from before a revocation fail, even if the grant is back', async () => {
    expect(
      await realm.value(
        `const hanging = fetch('https://x.test/hangs').catch((e) => e.code);
       const response = await fetch('https://x.test/stalls');
       const body = response.text().catch((e) => e.code);
       const read = readFile('a.txt').catch((e) => e.code);
       tools.follow({ network: false, fs: undefined });
       tools.follow({ network: true, fs: [] });
       return [await hanging, await body, await read, (await fetch('https://x.test/text')).status]`,
        { grant: everything },
      ),
    ).toEqual(['PERMISSION_REVOKED', 'PERMISSION_REVOKED', 'PERMISSION_REVOKED', 200]);
  });

  test('after any changes exactly the granted permissions work', async () => {
    const names = ['time', 'random', 'network', 'fs', 'env'] as const;
    const change = fc.record({ name: fc.constantFrom(...names), held: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
        const [outcomes, held] = (await realm.value(
          `${uses}
         const held = ${JSON.stringify(everything)}; const outcomes = {};
         for (const { name, held: is } of ${JSON.stringify(changes)}) {
           held[name] = name === 'env' ? (is ? { KEY: 'v' } : undefined) : is;
           tools.follow(held);
         }
         for (const name of Object.keys(uses)) outcomes[name] = await use(name);
         return [outcomes, Object.fromEntries(Object.entries(held).map(([k, v]) => [k, Boolean(v)]))]`,
          { grant: everything },
        )) as [Record<string, string>, Record<string, boolean>];
        for (const name of names) {
          expect(outcomes[name]).toBe(
            held[name] === false || !(name in held) ? 'PERMISSION_REVOKED' : 'ok',
          );
        }
      }),
      { numRuns: 25 },
    );
  });
});
