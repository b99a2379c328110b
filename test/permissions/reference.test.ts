import { describe, expect, it } from 'vitest';
import { parseReference } from '../../src/permissions/reference.js';

describe('a reference to a permission', () => {
  it.each([
    ['time', { kind: 'time', scope: undefined }],
    ['network', { kind: 'network', scope: undefined }],
    ['network:API.example.com', { kind: 'network', scope: 'api.example.com' }],
    [
      'network:http://intra.example.com:8080',
      { kind: 'network', scope: 'http://intra.example.com:8080' },
    ],
    ['fs:./pages/', { kind: 'fs', scope: 'pages' }],
    ['fs:/srv', { kind: 'fs', scope: '/srv' }],
    ['env:API_KEY', { kind: 'env', scope: 'API_KEY' }],
  ])('%s is read', (text, reference) => {
    expect(parseReference(text)).toEqual(reference);
  });

  it.each(['', 'net', 'clock', ':x', 'network:', 'env:A*', 'constructor'])(
    '%j is refused',
    (text) => {
      expect(() => parseReference(text)).toThrow(
        expect.objectContaining({ code: 'INVALID_PERMISSION' }),
      );
    },
  );
});
