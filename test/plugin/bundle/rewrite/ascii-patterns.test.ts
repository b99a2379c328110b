import { describe, expect, it } from 'vitest';
import { bundleFiles, runUnderSes } from '../fixture.js';
import { evaluate, evaluateText, rewrite } from './evaluate.js';

const TEXTS = ['é', 'a', '\\', 'u00e9', '月', '\\é', '😀', '😁', '\ud83d', 'cé', 'xé', 'ñ=1', 'é]'];

describe('a regular expression with other characters than ASCII', () => {
  it.each([
    String.raw`/é/`,
    String.raw`/\é/`,
    String.raw`/\\é/`,
    String.raw`/\\\é/`,
    String.raw`/[é-ü]/i`,
    String.raw`/[\é\]]/`,
    String.raw`/[^é]/u`,
    String.raw`/é月+/`,
    String.raw`/^😀$/u`,
    String.raw`/^[😀-😂]$/u`,
    String.raw`/[😀-😂]/v`,
    String.raw`/[😀]/`,
    String.raw`/\cé/`,
    String.raw`/\xé/`,
    String.raw`/\ué/`,
    String.raw`/(?<ñ>ñ)=\d/`,
    String.raw`/(?<ñ>ñ)(?==)/u`,
    // Packages join the sources of patterns, with other flags.
    String.raw`new RegExp(/^(?:😀|é)$/u.source)`,
    String.raw`new RegExp(/^[😀-😂]$/v.source, 'u')`,
    String.raw`new RegExp(/^(?:😀)$/.source, 'u')`,
  ])('finds the same, written in ASCII: %s', (pattern) => {
    const { code } = rewrite(`const exported = ${pattern};`);
    expect(code).toMatch(/^[\x00-\x7f]+$/);
    const found = (expression: unknown): unknown[] =>
      TEXTS.map((text) => {
        if (!(expression instanceof RegExp)) throw new TypeError('not a pattern');
        const match = expression.exec(text);
        return match === null ? null : [...match, match.index, { ...match.groups }];
      });
    expect(found(evaluate(`const exported = ${pattern};`))).toEqual(found(evaluateText(pattern)));
  });

  it('keeps its line', () => {
    const body = '\n\nconst exported = /é/;\nconst after = 1;';
    const { code } = rewrite(body);
    expect(code.split('\n').findIndex((line) => line.includes('after'))).toBe(3);
  });
});

describe('the code of a bundle', () => {
  it('is ASCII, and means the same', async () => {
    const files = {
      'index.ts': `
        const größe = { 'ключ': /[а-я]+/u };
        export const run = () => [größe['ключ'].exec('мир!')?.[0], 'é\u2028"😀', \`月\${1}\`, String.raw\`é\\n\`, 'ä'.length];`,
    };
    const bundle = await bundleFiles(files);
    expect((await runUnderSes(bundle, { call: 'run' })).value).toEqual([
      'мир',
      'é\u2028"😀',
      '月1',
      'é\\n',
      1,
    ]);
    // A tagged template gets its text as it is written.
    expect(bundle.code.replace('`é\\n`', '')).toMatch(/^[\x00-\x7f]+$/);
  });
});
