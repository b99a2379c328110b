import { describe, expect, it } from 'vitest';
import { NO_PERMISSIONS } from '../../src/permissions/permissions.js';
import { proposePackages, wantsOf } from '../../src/suggest/package-policy.js';

const one = { integrity: 'sha512-x', imports: [], undeclared: [] };
const packages = { 'node_modules/main': one, 'node_modules/dep': one };
const granted = {
  ...NO_PERMISSIONS,
  env: ['USED', 'SPREAD'],
  network: ['api.example.com', 'far.example.com'],
};
const wants = {
  'node_modules/dep': { 'env:USED': 'a.js:1:1', 'network:https://api.example.com': 'a.js:2:1' },
};

describe('the proposal for npm packages', () => {
  it('gives each what its code uses, within the grant of the plugin', () => {
    expect(proposePackages(packages, wants, granted).grant).toEqual({
      'node_modules/main': {},
      'node_modules/dep': { env: ['USED'], network: ['https://api.example.com'] },
    });
  });

  it('gives the arguments and the streams of a program to packages that use them', () => {
    const used = {
      'node_modules/parser': { ...one, arguments: 'node_modules/parser/index.js:1:1' },
      'node_modules/sdk': { ...one, streams: 'node_modules/sdk/index.js:1:1' },
    };
    const found = wantsOf({ items: [], open: [] }, used);
    expect(found['node_modules/parser']).toEqual({ arguments: 'node_modules/parser/index.js:1:1' });
    expect(proposePackages(used, found, granted).grant).toEqual({
      'node_modules/parser': { arguments: true },
      'node_modules/sdk': { streams: true },
    });
  });

  it('gives a package that reads all variables those whose names its code has', () => {
    const open = {
      'node_modules/main': { env: 'm.js:1:1' },
      'node_modules/dep': { env: 'a.js:1:1' },
    };
    const mentions = (path: string, name: string): boolean =>
      path === 'node_modules/dep' && name === 'SPREAD';
    expect(proposePackages(packages, open, granted, { mentions }).grant).toEqual({
      'node_modules/main': {},
      'node_modules/dep': { env: ['SPREAD'] },
    });
    // The program is the plugin's own code.
    expect(
      proposePackages(packages, open, granted, { mentions, program: 'node_modules/main' }).grant,
    ).toMatchObject({ 'node_modules/main': { env: ['USED', 'SPREAD'] } });
  });

  it('gives the program what was granted and no code was seen to use', () => {
    expect(
      proposePackages(packages, wants, granted, { program: 'node_modules/main' }).grant,
    ).toEqual({
      'node_modules/main': { env: ['SPREAD'], network: ['far.example.com'] },
      'node_modules/dep': { env: ['USED'], network: ['https://api.example.com'] },
    });
  });
});
