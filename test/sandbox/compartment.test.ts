import { expect, test } from 'vitest';
import { useRealm } from './endowments/realm/realm.js';

const realm = useRealm();

const REFUSED = /^Possible import expression rejected: import has no phases here$/;

test('no evaluator of a compartment takes an import of any phase', async () => {
  const texts = [
    '.source("a")',
    '.defer("a")',
    ' . source ("a")',
    '\n.\nsource("a")',
    './**/source("a")',
  ];
  for (const text of texts) {
    for (const before of ['', 'void 0;', '[...', ' 1 +']) {
      const code = `try { (0, eval)(${JSON.stringify(before)} + 'imp' + ${JSON.stringify(`ort${text}`)}) } catch (e) { return e.message }`;
      expect(await realm.value(code)).toMatch(REFUSED);
    }
  }
});

test('a property of that name is no import', async () => {
  const code = `return (0, eval)('({ import: { source: () => 1 } }).import.source()')`;
  expect(await realm.value(code)).toBe(1);
});
