import { describe, expect, it } from 'vitest';
import { bundleFiles, runFiles } from './fixture.js';

describe('import() of a literal path', () => {
  it('evaluates the module once, when it is reached', async () => {
    const value = await runFiles({
      'index.ts': `
        import { log } from './log';
        export const run = async () => {
          log.push('before');
          const [a, b] = await Promise.all([import('./lazy'), import('./lazy.js')]);
          return [log, a === b, a.default];
        };
      `,
      'log.ts': 'export const log: string[] = [];',
      'lazy.ts':
        'import { log } from "./log"; log.push("lazy"); export default await Promise.resolve(9);',
    });
    expect(value).toEqual([['before', 'lazy'], true, 9]);
  });

  it('may have a template or a concatenation of literals as its path', async () => {
    const value = await runFiles({
      'index.ts':
        'export const run = async () => [(await import(`./a.js`)).x, (await import("./" + "a.js")).x, require("./" + `a`).x];',
      'a.ts': 'export const x = 1;',
    });
    expect(value).toEqual([1, 1, 1]);
  });

  it('rejects when it is reached if the module is missing, and the bundle has a warning', async () => {
    const files = {
      'index.ts': `export const run = async () => { try { await import('optional') } catch (error) { return error.code + ' ' + error.message } };`,
    };
    expect(await runFiles(files)).toContain(`MODULE_NOT_FOUND Cannot find module 'optional'`);
    const { warnings } = await bundleFiles(files);
    expect(warnings.join()).toContain('npm install optional');
  });
});

describe('import() and require of a computed name', () => {
  it.each([
    [
      'import(name)',
      'export const run = async (name) => { try { await import(name) } catch (error) { return error.message } };',
    ],
    [
      'import of a template',
      'export const run = async (name) => { try { await import(`./locale/${name}.js`) } catch (error) { return error.message } };',
    ],
    [
      'import of a sum',
      'export const run = async (name) => { try { await import("./locale/" + name) } catch (error) { return error.message } };',
    ],
    [
      'import with comments',
      'export const run = async (name) => { try { await import/* ( */( /* a */ "../" + name) } catch (error) { return error.message } };',
    ],
  ])('by %s rejects', async (_, source) => {
    expect(await runFiles({ 'index.ts': source }, { args: ['x'] })).toContain('is refused');
  });

  it.each([
    ['require(name)', 'require(name)'],
    ['require of a template', 'require(`./locale/${name}.js`)'],
    ['require in parentheses', '(require)("./locale/" + name)'],
    ['require with a type assertion', '(require as any)("./locale/" + name)'],
    ['require with a non-null assertion', 'require!("./locale/" + name)'],
    ['require with an escape', 'r\\u0065quire("./locale/" + name)'],
    ['optional require', 'require?.("./locale/" + name)'],
    ['require with comments', 'require/* ( */("./locale/" /* a */ + name)'],
  ])('by %s throws at run time, not at build time', async (_, call) => {
    const source = `export const run = (name: string) => { try { ${call} } catch (error) { return error.message } };`;
    expect(await runFiles({ 'index.ts': source }, { args: ['x'] })).toContain('Dynamic require of');
  });

  it("does not change a require that is the code's own variable", async () => {
    const value = await runFiles({
      'index.js':
        'exports.run = () => (function (require) { return require("./" + "x" + String(1)) })((name) => name + "!");',
    });
    expect(value).toBe('./x1!');
  });
});

describe('require in an ES module', () => {
  it("finds the plugin's files and its packages", async () => {
    const value = await runFiles({
      'index.ts': `import { a } from './a'; const b = require('./b.json'); const dep = require('dep'); export const run = () => [a, b.b, dep()];`,
      'a.ts': 'export const a = 1;',
      'b.json': '{ "b": 2 }',
      'node_modules/dep/index.js': 'module.exports = () => 3;',
    });
    expect(value).toEqual([1, 2, 3]);
  });

  it('may fail inside a try', async () => {
    const value = await runFiles({
      'index.ts': `let native = 'none'; try { native = require('native-addon') } catch {} export const run = () => native;`,
    });
    expect(value).toBe('none');
  });
});
