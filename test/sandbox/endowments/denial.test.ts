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
      'weather may not read the time (Date.now). To allow this, grant it (--allow time, or "time": true in the option "grant") if the manifest declares it. If not, first add "time": true to "permissions" in pandora.manifest.json.',
    ],
    [
      'random',
      'Math.random',
      'RANDOM_DENIED',
      'weather may not use randomness (Math.random). To allow this, grant it (--allow random, or "random": true in the option "grant") if the manifest declares it. If not, first add "random": true to "permissions" in pandora.manifest.json.',
    ],
    [
      'network',
      'fetch',
      'NETWORK_DENIED',
      'weather may not use the network (fetch). To allow this, grant it (--allow \'network:<host name>\', or "network": ["<host name>"] in the option "grant") if the manifest declares it. If not, first add "network": ["<host name>"] to "permissions" in pandora.manifest.json.',
    ],
    [
      'env',
      'env',
      'ENVIRONMENT_DENIED',
      'weather may not read environment variables (env). To allow this, grant it (--allow \'env:<variable name>\', or "env": ["<variable name>"] in the option "grant") if the manifest declares it. If not, first add "env": ["<variable name>"] to "permissions" in pandora.manifest.json.',
    ],
    [
      'fs',
      'readFile',
      'FILESYSTEM_DENIED',
      'weather may not read files (readFile). To allow this, grant it (--allow \'fs:<path prefix>\', or "fs": ["<path prefix>"] in the option "grant") if the manifest declares it. If not, first add "fs": ["<path prefix>"] to "permissions" in pandora.manifest.json.',
    ],
    [
      'storage',
      'storage.read',
      'STORAGE_DENIED',
      'weather may not store files (storage.read). To allow this, grant it (--allow storage, or "storage": true in the option "grant") if the manifest declares it. If not, first add "storage": true to "permissions" in pandora.manifest.json.',
    ],
    [
      'powers',
      'conversations',
      'POWER_DENIED',
      'weather may not use what the host provides (conversations). To allow this, grant it (--allow powers:conversations, or "powers": ["conversations"] in the option "grant") if the manifest declares it. If not, first add "powers": ["conversations"] to "permissions" in pandora.manifest.json.',
    ],
  ] as const)(
    'a denial of %s names the plugin, what it wanted, the grant and the edit that allow it',
    (permission: PermissionName, wanted: string, code: string, message: string) => {
      const denial = makeDenial(plugin)(permission, wanted);
      expect(denial).toMatchObject({ message, code });
      expect(isWireCode(code)).toBe(true);
    },
  );

  test.each([
    ['network', 'fetch https://api.test/x?y=1', 'network:api.test'],
    ['network', 'fetch http://api.test:81/', 'network:http://api.test:81'],
    ['network', 'https://api.test', 'network:api.test'],
    ['network', 'fetch https://user:word@api.test/', "'network:<host name>'"],
    ['network', 'fetch relative', "'network:<host name>'"],
    ['env', 'API_KEY', 'env:API_KEY'],
    ['env', 'no name', "'env:<variable name>'"],
    ['powers', 'chats', 'powers:chats'],
    ['fs', 'readFile /etc/passwd', "'fs:<path prefix>'"],
  ] as const)('a denial of %s for %s has the flag --allow %s', (permission, wanted, flag) => {
    expect(makeDenial(plugin)(permission, wanted).message).toContain(`(--allow ${flag}, or `);
  });

  test('a revocation names the plugin and the revoked permission', () => {
    expect(makeRevocation(plugin, 'time', 'Date.now')).toMatchObject({
      message: 'weather may no longer read the time (Date.now): the permission was revoked.',
      code: 'PERMISSION_REVOKED',
    });
  });
});
