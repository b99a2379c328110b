import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeCatalog, type UnnamedTool } from '../../src/catalog/catalog.js';
import { exampleTool as tool } from './example-tool.js';
import { makeExtension, registering } from '../engine/extension-on-disk.js';
import { startEngine } from '../engine/plugin-on-disk.js';

const council = { eligible: false, inline: false };

function catalogOf(...tools: readonly UnnamedTool[]) {
  const owner = makeCatalog();
  owner.replace(tools);
  return (name: string) => owner.catalog.find(name)?.id;
}

describe('a tool of a Spindle extension', () => {
  it('is found by every name that its system uses', async () => {
    const source = ['search', 'a__b', 'odd name'].map((name) => registering(name)).join('\n');
    const engine = await startEngine([makeExtension({ identifier: 'my_ext', source })]);
    const [one] = engine.catalog.list();
    const uuid = one?.aliases?.[0]?.split(':')[0];
    expect(uuid).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    const idOf = (name: string): string | undefined => engine.catalog.find(name)?.id;
    for (const name of ['my_ext:search', 'search', 'my_ext__search', `${uuid}:search`]) {
      expect([name, idOf(name)]).toEqual([name, 'my_ext:search']);
    }
    for (const name of ['my_ext:a__b', 'my_ext__a__b', `${uuid}:a__b`]) {
      expect([name, idOf(name)]).toEqual([name, 'my_ext:a__b']);
    }
    for (const name of ['my_ext:odd name', 'odd name', 'my_ext__odd name', 'my_ext__odd_name']) {
      expect([name, idOf(name)]).toEqual([name, 'my_ext:odd name']);
    }
  });

  it('precedes a server’s tool of the same bare name, but not another extension’s', () => {
    const server = tool('files', 'read', { source: 'mcp' });
    const mine = tool('ext', 'read', { council });
    const find = catalogOf(server, mine);
    expect(find('read')).toBe('ext:read');
    expect(find('files:read')).toBe('files:read');
    expect(catalogOf(server, mine, tool('other', 'read', { council }))('read')).toBeUndefined();
    expect(catalogOf(server, tool('plugin', 'read'))('read')).toBeUndefined();
  });

  it('cannot take the name of a server’s tool', async () => {
    const find = catalogOf(tool('filesystem', 'read', { source: 'mcp' }), tool('x', 'y'));
    expect(find('mcp:filesyst:read')).toBe('filesystem:read');
    const engine = await startEngine([makeExtension({ identifier: 'mcp', source: '' })]);
    expect(engine.plugins()[0]).toMatchObject({ state: 'failed' });
    expect(engine.plugins()[0]?.problems[0]).toMatchObject({ code: 'INVALID_MANIFEST' });
  });
});

describe('an alias', () => {
  const name = fc.constantFrom('a', 'b', 'a__b', 'b__c', 'c', 'a b', 'ä');
  const arbTools = fc.uniqueArray(fc.tuple(name, name), {
    selector: ([plugin, id]) => `${plugin}:${id}`,
    maxLength: 12,
  });

  it('never finds another tool, whatever other tools are called', () => {
    fc.assert(
      fc.property(arbTools, (ids) => {
        const find = catalogOf(...ids.map(([plugin, id]) => tool(plugin, id)));
        for (const [plugin, id] of ids) {
          expect(find(`${plugin}:${id}`)).toBe(`${plugin}:${id}`);
          const claimants = ids.filter(([p, t]) => `${p}__${t}` === `${plugin}__${id}`);
          const found = find(`${plugin}__${id}`);
          if (found !== undefined && claimants.length > 1) {
            expect(claimants.map(([p, t]) => `${p}:${t}`)).toContain(found);
          }
        }
      }),
    );
  });
});
