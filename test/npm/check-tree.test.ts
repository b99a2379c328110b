import { describe, expect, it } from 'vitest';
import { checkTree } from '../../src/npm/check-tree.js';
import { isPackageSpec, parsePackageSpec } from '../../src/npm/spec.js';

const integrity = `sha512-${'A'.repeat(86)}==`;

function check(entry: object): number {
  const packages = {
    '': {},
    'node_modules/a': { version: '1.0.0', integrity },
    'node_modules/b': entry,
  };
  return checkTree('a', JSON.stringify({ packages }));
}

describe('the tree of a package', () => {
  it('has a sha512 for every package', () => {
    expect(check({ integrity })).toBe(2);
    expect(check({ inBundle: true })).toBe(2);
  });

  it.each([
    { resolved: 'https://example.com/b.tgz', integrity },
    { resolved: 'git+ssh://git@example.com/b.git#0123', integrity },
    { resolved: 'file:../b', integrity },
    { resolved: 'b', link: true },
  ])('is refused with %j', (entry) => {
    expect(() => check(entry)).toThrow(/node_modules\/b does not come from a registry/);
  });

  it.each([{}, { integrity: 'sha1-AAAA' }, { integrity: 5 }, { integrity: 'sha512-x' }])(
    'is refused without a sha512: %j',
    (entry) => expect(() => check(entry)).toThrow(/node_modules\/b has no sha512/),
  );

  it('is refused if it is empty', () => {
    expect(() => checkTree('a', '{"packages":{"":{}}}')).toThrow(/it has no packages/);
  });
});

describe('the name of a package', () => {
  it.each([
    ['npm:server', { name: 'server', version: 'latest' }],
    ['npm:@scope/server@1.2.3', { name: '@scope/server', version: '1.2.3' }],
    ['npm:server@^1.0.0', { name: 'server', version: '^1.0.0' }],
  ])('is read from %s', (text, spec) => {
    expect(isPackageSpec(text)).toBe(true);
    expect(parsePackageSpec(text)).toEqual(spec);
  });

  it.each([
    'npm:',
    'npm:../x',
    'npm:a/b/c',
    'npm:a@git+https://example.com/a.git',
    'npm:a@file:../a',
    'npm:a@https://example.com/a.tgz',
    'npm:--registry=http://127.0.0.1',
    'npm:a@1 --ignore-scripts=false',
    'server',
  ])('%s is refused', (text) => {
    expect(() => parsePackageSpec(text)).toThrow(/does not name a package of a registry/);
  });
});
