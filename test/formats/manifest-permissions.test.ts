import { describe, expect, test } from 'vitest';
import {
  readManifestPermissions,
  writeManifestPermissions,
} from '../../src/formats/manifest-permissions.js';
import { NO_PERMISSIONS } from '../../src/permissions/permissions.js';

describe('manifest permissions', () => {
  test('are named env and fs in Pandora’s manifests', () => {
    const written = {
      time: true,
      network: ['a.test'],
      env: ['A'],
      fs: ['data'],
      random: true,
      storage: true,
      powers: ['p'],
    };
    const { permissions } = readManifestPermissions(written, 'permissions');
    expect(permissions).toEqual({
      time: true,
      random: true,
      network: ['a.test'],
      env: ['A'],
      fs: ['data'],
      storage: true,
      powers: ['p'],
    });
    expect(writeManifestPermissions(permissions)).toEqual(written);
  });

  test('do not contain undeclared kinds', () => {
    expect(readManifestPermissions(undefined, 'p').permissions).toEqual(NO_PERMISSIONS);
    expect(readManifestPermissions({ time: false, network: [] }, 'p').permissions).toEqual(
      NO_PERMISSIONS,
    );
    expect(writeManifestPermissions(NO_PERMISSIONS)).toEqual({});
  });
});
