import { describe, expect, test } from 'vitest';
import { useRealm } from './endowments/realm/realm.js';

const realm = useRealm();

const REFUSED = /^Possible import expression rejected: import has no phases here$/;

describe('a compartment', () => {
  test('rejects imports of every phase in every evaluator', async () => {
    const texts = [
      '.source("a")',
      '.defer("a")',
      ' . source ("a")',
      '\n.\nsource("a")',
      './**/source("a")',
      '.s\\u006furce("a")',
      '.source/**/("a")',
    ];
    for (const text of texts) {
      for (const before of ['', 'void 0;', '[...', ' 1 +']) {
        const code = `try { (0, eval)(${JSON.stringify(before)} + 'imp' + ${JSON.stringify(`ort${text}`)}) } catch (e) { return e.message }`;
        expect(await realm.value(code)).toMatch(REFUSED);
      }
    }
  });

  test('accepts a property or a text named import', async () => {
    const texts = [
      '({ import: { source: () => 1 } }).import.source()',
      '/* an import. Really. */ 1',
    ];
    for (const text of [...texts, '1 //# sourceURL=import.js']) {
      expect(await realm.value(`return (0, eval)(${JSON.stringify(text)})`)).toBe(1);
    }
  });
});
