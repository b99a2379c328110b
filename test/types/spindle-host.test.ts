import { expect, test } from 'vitest';
import { surface } from '../../sandbox/dialects/spindle/surface.js';
import { SPINDLE_PERMISSIONS } from '../../src/formats/spindle/permissions.js';
import { SPINDLE_POWERS } from '../../types/spindle-host.js';

const powers: Readonly<Record<string, string>> = SPINDLE_POWERS;

test('the list of powers has each member that only asks the host, with its permission', () => {
  const asked = surface.flatMap(({ path, permission = 'spindle', reads = {}, writes, sends }) =>
    [...Object.keys(reads), ...`${writes ?? ''} ${sends ?? ''}`.split(' ')]
      .filter((name) => name !== '')
      .map((name) => [['spindle', path, name].filter(Boolean).join('.'), permission]),
  );
  expect(powers).toMatchObject(Object.fromEntries(asked));
});

test('each permission in the list is one of Spindle', () => {
  const known = new Set([...SPINDLE_PERMISSIONS, 'spindle']);
  expect(Object.entries(powers).filter(([, permission]) => !known.has(permission))).toEqual([]);
});
