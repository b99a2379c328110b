import { describe, expect, it } from 'vitest';
import { findUserRange, freeUser, type UserFiles } from '../../src/guests/walls/users.js';

const files: UserFiles = {
  passwd: 'root:x:0:0::/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\n',
  group: 'staff:x:50:\n',
  subuid: 'ann:100000:65536\n',
  subgid: 'ann:100000:65536\n',
  uidMap: '         0          0 4294967295\n',
};

describe('the user ids of guests', () => {
  it('are a range that no user has', () => {
    expect(findUserRange(undefined, files)).toEqual({ first: 1_900_000_000, count: 10_000 });
  });

  it('are the range that the operator chose', () => {
    expect(findUserRange({ first: 200_000, count: 5 }, files)).toEqual({
      first: 200_000,
      count: 5,
    });
  });

  it.each([
    ['an account', { first: 999, count: 2 }],
    ['a group', { first: 50, count: 1 }],
    ['the ids that a user gives to containers', { first: 165_000, count: 1_000 }],
  ])('are refused if they overlap %s', (_, range) => {
    expect(findUserRange(range, files)).toBeUndefined();
  });

  it('are small in a container that maps few ids', () => {
    const container = { ...files, uidMap: '0 100000 65536\n', subuid: '', subgid: '' };
    expect(findUserRange(undefined, container)).toEqual({ first: 64_534, count: 1_000 });
    expect(findUserRange({ first: 70_000, count: 1 }, container)).toBeUndefined();
  });

  it('are missing in a namespace that maps one id', () => {
    expect(findUserRange(undefined, { ...files, uidMap: '0 1000 1\n' })).toBeUndefined();
  });

  it.runIf(process.platform === 'linux')('are given one after another', () => {
    const range = { first: 1_950_000_000, count: 100 };
    const [a, b] = [freeUser(range), freeUser(range)];
    expect(a).not.toBe(b);
    expect(a).toBeGreaterThanOrEqual(range.first);
  });
});
