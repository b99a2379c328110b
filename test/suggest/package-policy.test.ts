import { describe, expect, it } from 'vitest';
import { NO_PERMISSIONS } from '../../src/permissions/permissions.js';
import { proposePackages } from '../../src/suggest/package-policy.js';

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

  it('gives the program what was granted and no code was seen to use', () => {
    expect(proposePackages(packages, wants, granted, 'node_modules/main').grant).toEqual({
      'node_modules/main': { env: ['SPREAD'], network: ['far.example.com'] },
      'node_modules/dep': { env: ['USED'], network: ['https://api.example.com'] },
    });
  });
});
