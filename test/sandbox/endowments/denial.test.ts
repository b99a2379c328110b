import { describe, expect, test } from 'vitest';
import {
  makeDenial,
  makeRevocation,
  type PermissionName,
} from '../../../sandbox/endowments/denial.js';
import { isWireCode } from '../../../sandbox/wire/messages.js';

const plugin = { id: 'weather', manifest: 'pandora.manifest.json' };

describe('denials', () => {
  test.each([
    [
      'time',
      'Date.now',
      'TIME_DENIED',
      'weather may not read the time (Date.now). To allow this, add "time": true to "permissions" in pandora.manifest.json and grant it.',
    ],
    [
      'random',
      'Math.random',
      'RANDOM_DENIED',
      'weather may not use randomness (Math.random). To allow this, add "random": true to "permissions" in pandora.manifest.json and grant it.',
    ],
    [
      'network',
      'fetch',
      'NETWORK_DENIED',
      'weather may not use the network (fetch). To allow this, add "network": ["<host name>"] to "permissions" in pandora.manifest.json and grant it.',
    ],
    [
      'env',
      'env',
      'ENVIRONMENT_DENIED',
      'weather may not read environment variables (env). To allow this, add "env": ["<variable name>"] to "permissions" in pandora.manifest.json and grant it.',
    ],
    [
      'fs',
      'readFile',
      'FILESYSTEM_DENIED',
      'weather may not read files (readFile). To allow this, add "fs": ["<path prefix>"] to "permissions" in pandora.manifest.json and grant it.',
    ],
    [
      'storage',
      'storage.read',
      'STORAGE_DENIED',
      'weather may not store files (storage.read). To allow this, add "storage": true to "permissions" in pandora.manifest.json and grant it.',
    ],
    [
      'powers',
      'conversations',
      'POWER_DENIED',
      'weather may not use what the host provides (conversations). To allow this, add "powers": ["<name>"] to "permissions" in pandora.manifest.json and grant it.',
    ],
  ] as const)(
    'a denial of %s names the plugin, what it wanted and the edit that would allow it',
    (permission: PermissionName, wanted: string, code: string, message: string) => {
      const denial = makeDenial(plugin)(permission, wanted);
      expect(denial).toMatchObject({ message, code });
      expect(isWireCode(code)).toBe(true);
    },
  );

  test('a revocation names the plugin and the revoked permission', () => {
    expect(makeRevocation(plugin, 'time', 'Date.now')).toMatchObject({
      message: 'weather may no longer read the time (Date.now): the permission was revoked.',
      code: 'PERMISSION_REVOKED',
    });
  });
});
