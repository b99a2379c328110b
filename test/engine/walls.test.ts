import { describe, expect, it } from 'vitest';
import { guestScripts } from '../../src/engine/node/process-defaults.js';
import { inspectMachine } from '../../src/guests/machine.js';
import type { EngineOptions } from '../../src/index.js';
import { makePlugin, startEngine } from './plugin-on-disk.js';

const machine = await inspectMachine(guestScripts.confined());
const canIsolate = machine.plan.namespaces.includes('net');

describe('walls that a host asks for', () => {
  it.runIf(canIsolate)('are required by default if they are active', async () => {
    const engine = await startEngine([makePlugin({ tools: { echo: '(input) => input' } })], {
      walls: { require: ['process', 'permission-model', 'memory', 'no-network'] },
    });
    expect(await engine.call('echo', { n: 1 })).toMatchObject({ value: { n: 1 } });
  });

  it('prevent the engine from starting if they were left out', async () => {
    await expect(
      startEngine([], { walls: { require: ['no-network'], use: [] } }),
    ).rejects.toMatchObject({
      code: 'WALL_MISSING',
      details: { wall: 'no-network' },
      message: expect.stringContaining('walls.use'),
    });
  });

  it('are all there are for the paranoid, and plugins still run', async () => {
    const engine = await startEngine([makePlugin({ tools: { fine: '() => 6 * 7' } })], {
      walls: { paranoid: true, require: ['no-jit'] },
    });
    expect(await engine.call('fine', {})).toMatchObject({ value: 42 });
    const walls = await engine.guarantees();
    expect(walls.filter(({ unused }) => unused)).toEqual([]);
  });

  it.each([
    [{ require: ['moat'] }, 'walls.require'],
    [{ use: ['process'] }, 'walls.use'],
  ])('are refused by name if there is none of that name: %j', async (walls, option) => {
    await expect(
      startEngine([], { walls: walls as EngineOptions['walls'] & object }),
    ).rejects.toMatchObject({ code: 'INVALID_OPTIONS', details: { option } });
  });
});
