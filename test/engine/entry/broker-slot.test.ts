import { expect, it } from 'vitest';
import { openSlot } from '../../../src/engine/entry/broker-slot.js';
import { NO_PERMISSIONS } from '../../../src/permissions/permissions.js';

const STORAGE = { ...NO_PERMISSIONS, storage: true };

function openStorageSlot(granted = STORAGE) {
  const told: string[] = [];
  const slot = openSlot(
    {
      kind: 'storage',
      open: () => {
        const name = `broker ${told.filter((text) => text.startsWith('opened')).length + 1}`;
        told.push(`opened ${name}`);
        return { name, close: () => told.push(`closed ${name}`) };
      },
    },
    granted,
  );
  return { slot, told };
}

it('has no broker where nothing of its kind is granted', () => {
  const { slot, told } = openStorageSlot(NO_PERMISSIONS);
  expect(slot.current).toBeUndefined();
  expect(told).toEqual([]);
});

it('closes its broker in the moment in which nothing of its kind is granted any more', () => {
  const { slot, told } = openStorageSlot();
  slot.follow(STORAGE, NO_PERMISSIONS);
  expect(slot.current).toBeUndefined();
  expect(told).toEqual(['opened broker 1', 'closed broker 1']);
});

it('opens another one when something is granted again', () => {
  const { slot, told } = openStorageSlot();
  slot.follow(STORAGE, NO_PERMISSIONS);
  slot.follow(NO_PERMISSIONS, STORAGE);
  expect(slot.current?.name).toBe('broker 2');
  expect(told).toEqual(['opened broker 1', 'closed broker 1', 'opened broker 2']);
});

it('keeps its broker while what is granted stays the same', () => {
  const { slot, told } = openStorageSlot();
  slot.follow(STORAGE, STORAGE);
  expect(slot.current?.name).toBe('broker 1');
  expect(told).toEqual(['opened broker 1']);
});
