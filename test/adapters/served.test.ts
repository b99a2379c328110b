import { describe, expect, it } from 'vitest';
import { servedTools } from '../../src/adapters/served.js';
import { makeCatalog } from '../../src/catalog/catalog.js';
import type { UnnamedTool } from '../../src/catalog/catalog.js';

const tool = (plugin: string, id: string): UnnamedTool => ({ plugin, tool: id }) as UnnamedTool;

const { catalog, replace } = makeCatalog();
replace([tool('weather', 'today'), tool('weather', 'week'), tool('notes', 'write')]);

describe('served tools', () => {
  it('lists and finds tools by the same patterns', () => {
    const served = servedTools(catalog, ['weather__*', 'nope']);
    expect(served.list().map(({ name }) => name)).toEqual(['weather__today', 'weather__week']);
    expect(served.find('weather__week')?.tool).toBe('week');
    expect(served.find('notes__write')).toBeUndefined();
    expect(servedTools(catalog, undefined).list()).toHaveLength(3);
  });

  it('finds a tool by its exported name only', () => {
    const served = servedTools(catalog, undefined);
    for (const name of ['week', 'weather:week', 'weather_week', 'constructor', '']) {
      expect(served.find(name)).toBeUndefined();
    }
  });

  it('finds a tool without listing all tools', () => {
    const blind = {
      ...catalog,
      list: () => {
        throw new Error('looked at all');
      },
    };
    expect(servedTools(blind, ['notes__*']).find('notes__write')?.tool).toBe('write');
  });
});
