// Makes the text that a guest evaluates, in a compartment of its own, to check inputs.
import { writeFile } from 'node:fs/promises';
import { build } from 'esbuild';

const root = new URL('..', import.meta.url).pathname;

const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: ['dist/src/schema/validator/entry.js'],
  write: false,
  bundle: true,
  platform: 'neutral',
  mainFields: ['module', 'main'],
  format: 'iife',
  globalName: 'validator',
  target: 'es2022',
  // A third of the text, and most of the time to evaluate it is spent on parsing.
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
  plugins: [{ name: 'own-equality', setup: useOwnEquality }],
});
const code = `(function(){${outputFiles[0].text.trim()}return validator})`;

// What SES refuses to evaluate, wherever in the text it stands.
const refused = /\bimport\s*\(|\beval\s*\(|<!--|-->/.exec(code);
if (refused !== null) throw new Error(`dist/validator.js holds ${refused[0]}`);

await writeFile(`${root}dist/validator.js`, code);

/** What ajv compares values with calls their `valueOf` and `toString`; ours reads JSON. */
function useOwnEquality({ onResolve, onLoad }) {
  onResolve({ filter: /^fast-deep-equal$/ }, () => ({ path: 'equal', namespace: 'own' }));
  onLoad({ filter: /^equal$/, namespace: 'own' }, () => ({
    contents: `module.exports = require('./equal.js').equal`,
    resolveDir: `${root}dist/src/schema/validator`,
  }));
}
