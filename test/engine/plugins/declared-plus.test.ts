/** `grant: { id: { declared: true, … } }`: what a plugin declares, and more. */
import { describe, expect, it } from 'vitest';
import { startEngine, makePlugin } from '../plugin-on-disk.js';
import { startVellum } from '../vellum-on-disk.js';
import type { PluginGrant } from '../../../src/index.js';

const TOOL = `export default { input_schema: { type: 'object' }, execute: async () => ({ content: 'x', isError: false }) };`;

async function effective(grant: PluginGrant) {
  const engine = await startVellum({ name: 'v', tools: { t: TOOL } }, { grant: { v: grant } });
  return engine.plugins()[0]?.entries[0]?.effective;
}

describe('a grant of what is declared, and more', () => {
  it('adds to the request of a system without declarations', async () => {
    expect(await effective({ declared: true, network: ['api.example.com'] })).toMatchObject({
      time: true,
      random: true,
      storage: true,
      network: ['api.example.com'],
    });
    expect(await effective({ network: ['api.example.com'] })).toMatchObject({
      time: false,
      storage: false,
      network: ['api.example.com'],
    });
  });

  it('gives a plugin that declares its permissions nothing else', async () => {
    const plugin = makePlugin({
      id: 'p',
      permissions: { network: ['a.example'] },
      tools: { t: 'async () => 1' },
    });
    const engine = await startEngine([plugin], {
      grant: { p: { declared: true, network: ['b.example'], storage: true } },
    });
    expect(engine.plugins()[0]?.entries[0]?.effective).toMatchObject({
      network: ['a.example'],
      storage: false,
    });
  });

  it('takes only true', async () => {
    const grant = { v: { declared: false as unknown as true } };
    await expect(startVellum({ name: 'v', tools: { t: TOOL } }, { grant })).rejects.toThrow(
      'grant["v"].declared takes true, or is left out',
    );
  });
});
