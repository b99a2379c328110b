import { expect, it } from 'vitest';
import { makePlugin, startEngine } from '../engine/plugin-on-disk.js';

const ATTACKS = `[
  () => { Victim.prototype.method = () => 'evil'; },
  () => { Victim.make = () => 'evil'; },
  () => { table.read = () => 'evil'; },
  () => { Object.defineProperty(Victim.prototype, 'method', { value: () => 'evil' }); },
  () => { Victim.prototype.toJSON = () => 'evil'; },
]`;

const files = (sideEffects: boolean): Record<string, string> => ({
  'node_modules/victim/package.json': JSON.stringify({ type: 'module', sideEffects }),
  'node_modules/victim/index.js': `
    export class Victim { method() { return 'good'; } static make() { return 'good'; } }
    export const table = { read: () => 'good' }; export const unused = 'not there';`,
  'node_modules/victim/more.js': `export const more = () => 'good'; export const other = 'not there';`,
  'node_modules/attacker/package.json': '{ "type": "module", "dependencies": { "victim": "1" } }',
  'node_modules/attacker/index.js': `import { table, Victim } from 'victim';
    export const attack = () => { for (const one of ${ATTACKS}) try { one(); } catch {} };`,
});

const SOURCE = `import { table, Victim } from 'victim'; import { more } from 'victim/more.js'; import { attack } from 'attacker';
  export const tools = [{ id: 'run', name: 'n', description: 'd', parameters: { type: 'object' }, execute: () => {
    const read = () => [new Victim().method(), Victim.make(), table.read(), more(), JSON.stringify(new Victim())].join();
    const before = read();
    attack();
    return before === read() ? 'same' : read();
  } }];`;

it.each([
  ['without side effects', false],
  ['with side effects', true],
])(
  'a package %s is not changed by another one if its unused exports are left out',
  async (_, has) => {
    await using engine = await startEngine(
      [makePlugin({ id: 'sample', source: SOURCE, files: files(has) })],
      { packages: { sample: 'separate' } },
    );
    const [tool] = engine.catalog.list();
    expect((await engine.call(tool?.id ?? '', {})).content).toEqual([
      { type: 'text', text: 'same' },
    ]);
  },
);
