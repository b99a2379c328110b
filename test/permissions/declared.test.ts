import { expect, test } from 'vitest';
import { readDeclared } from '../../src/permissions/declared.js';

test('declared scopes are read and written in one way', () => {
  const { permissions, problems } = readDeclared(
    { time: true, random: false, network: ['API.example.com'], filesystem: ['./data/', 'data'] },
    'permissions',
  );
  expect(problems).toEqual([]);
  expect(permissions).toEqual({
    time: true,
    random: false,
    storage: false,
    network: ['api.example.com'],
    environment: [],
    filesystem: ['data'],
    powers: [],
  });
});

test('a scope that cannot be read grants nothing and is reported, and the others stay', () => {
  const { permissions, problems } = readDeclared(
    { network: ['*', 'ok.test'], environment: ['A*'], filesystem: ['../..', 'data'] },
    'provides.tools.permissions',
  );
  expect(permissions.network).toEqual(['ok.test']);
  expect(permissions.environment).toEqual([]);
  expect(permissions.filesystem).toEqual(['data']);
  expect(problems.map((problem) => problem.split(':')[0])).toEqual([
    'provides.tools.permissions.network[0]',
    'provides.tools.permissions.env[0]',
    'provides.tools.permissions.fs[0]',
  ]);
});

test('a list without end is cut', () => {
  const texts = Array.from({ length: 300 }, (_, index) => `h${index}.test`);
  const { permissions, problems } = readDeclared({ network: texts }, 'p');
  expect(permissions.network).toHaveLength(256);
  expect(problems).toEqual(['p.network: has 300 scopes; those after 256 are ignored']);
});
