import { describe, expect, it } from 'vitest';
import { brokerIn, makeTree, textOf } from './tree.js';

const files = { 'plugin/data/a.txt': 'a'.repeat(300_000), 'plugin/more/b.txt': 'b' };

describe('a broker whose grant changes', () => {
  it('ends every read under way when a prefix was revoked, and opens what is left', async () => {
    const { plugin } = await makeTree(files);
    const broker = brokerIn(plugin, ['data', 'more']);
    const { body } = await broker.read('data/a.txt');
    broker.updateGrant(['more'], true);
    await expect(body.pull()).rejects.toMatchObject({ code: 'PERMISSION_REVOKED' });
    expect(broker.active).toBe(0);
    await expect(broker.read('data/a.txt')).rejects.toMatchObject({
      code: 'FILESYSTEM_DENIED',
      details: { granted: ['more'] },
    });
    expect(await textOf(broker.read('more/b.txt'))).toBe('b');
  });

  it('ends a read that was only about to begin', async () => {
    const { plugin } = await makeTree(files);
    const broker = brokerIn(plugin, ['data']);
    const reading = broker.read('data/a.txt');
    broker.updateGrant(['more'], true);
    await expect(reading).rejects.toMatchObject({ code: 'PERMISSION_REVOKED' });
  });

  it('lets reads go on when there is only more', async () => {
    const { plugin } = await makeTree(files);
    const broker = brokerIn(plugin, ['data']);
    const reading = broker.read('data/a.txt');
    broker.updateGrant(['data', 'more'], false);
    expect(await textOf(reading)).toHaveLength(300_000);
    expect(await textOf(broker.read('more/b.txt'))).toBe('b');
  });
});
