import { expect, test } from 'vitest';
import {
  readPandoraPermissions,
  writePandoraPermissions,
} from '../../../src/formats/pandora/permissions.js';
import { NO_PERMISSIONS } from '../../../src/permissions/permissions.js';

test('Pandora’s words are env and fs', () => {
  const written = {
    time: true,
    network: ['a.test'],
    env: ['A'],
    fs: ['data'],
    random: true,
    storage: true,
    powers: ['p'],
  };
  const { permissions } = readPandoraPermissions(written, 'permissions');
  expect(permissions).toEqual({
    time: true,
    random: true,
    network: ['a.test'],
    environment: ['A'],
    filesystem: ['data'],
    storage: true,
    powers: ['p'],
  });
  expect(writePandoraPermissions(permissions)).toEqual(written);
});

test('what is not declared is not held, and not written', () => {
  expect(readPandoraPermissions(undefined, 'p').permissions).toEqual(NO_PERMISSIONS);
  expect(readPandoraPermissions({ time: false, network: [] }, 'p').permissions).toEqual(
    NO_PERMISSIONS,
  );
  expect(writePandoraPermissions(NO_PERMISSIONS)).toEqual({});
});
