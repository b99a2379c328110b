import { describe, expect, it } from 'vitest';
import { openSlot } from '../../../src/engine/instance/brokers.js';
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

describe('a broker slot', () => {
  it('has no broker if no permission of its kind is granted', () => {
    const { slot, told } = openStorageSlot(NO_PERMISSIONS);
    expect(slot.current).toBeUndefined();
    expect(told).toEqual([]);
  });

  it('closes its broker as soon as the last permission of its kind is revoked', () => {
    const { slot, told } = openStorageSlot();
    slot.follow(STORAGE, NO_PERMISSIONS);
    expect(slot.current).toBeUndefined();
    expect(told).toEqual(['opened broker 1', 'closed broker 1']);
  });

  it('opens a new broker when a permission is granted again', () => {
    const { slot, told } = openStorageSlot();
    slot.follow(STORAGE, NO_PERMISSIONS);
    slot.follow(NO_PERMISSIONS, STORAGE);
    expect(slot.current?.name).toBe('broker 2');
    expect(told).toEqual(['opened broker 1', 'closed broker 1', 'opened broker 2']);
  });

  it('reuses its broker while the grant is the same', () => {
    const { slot, told } = openStorageSlot();
    slot.follow(STORAGE, STORAGE);
    expect(slot.current?.name).toBe('broker 1');
    expect(told).toEqual(['opened broker 1']);
  });
});
