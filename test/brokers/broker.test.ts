import { describe, expect, it } from 'vitest';
import { brokers } from '../../src/brokers/broker.js';

describe('the table of brokers', () => {
  it('has a row for every kind of permission: its broker, or why it needs none', () => {
    expect(
      Object.fromEntries(Object.entries(brokers).map(([name, row]) => [name, Object.keys(row)])),
    ).toEqual({
      time: ['none'],
      random: ['none'],
      storage: ['make'],
      powers: ['make'],
      network: ['make'],
      fs: ['make'],
      env: ['make'],
    });
  });
});
