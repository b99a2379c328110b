import { describe, expect, test } from 'vitest';
import { readDeclared } from '../../src/permissions/declared.js';

describe('declared scopes', () => {
  test('are read and written in one way', () => {
    const { permissions, problems } = readDeclared(
      { time: true, random: false, network: ['API.example.com'], fs: ['./data/', 'data'] },
      'permissions',
    );
    expect(problems).toEqual([]);
    expect(permissions).toEqual({
      time: true,
      random: false,
      storage: false,
      network: ['api.example.com'],
      env: [],
      fs: ['data'],
      powers: [],
    });
  });

  test('that are not readable grant nothing and are reported, and the others stay', () => {
    const { permissions, problems } = readDeclared(
      { network: ['*', 'ok.test'], env: ['A*'], fs: ['../..', 'data'] },
      'provides.tools.permissions',
    );
    expect(permissions.network).toEqual(['ok.test']);
    expect(permissions.env).toEqual([]);
    expect(permissions.fs).toEqual(['data']);
    expect(problems.map((problem) => problem.split(':')[0])).toEqual([
      'provides.tools.permissions.network[0]',
      'provides.tools.permissions.env[0]',
      'provides.tools.permissions.fs[0]',
    ]);
  });

  test('are cut to a maximum number', () => {
    const texts = Array.from({ length: 300 }, (_, index) => `h${index}.test`);
    const { permissions, problems } = readDeclared({ network: texts }, 'p');
    expect(permissions.network).toHaveLength(256);
    expect(problems).toEqual([
      'p.network: has 300 scopes; those after 256 are ignored. Use a wildcard or a directory',
    ]);
  });
});
