import { describe, expect, it } from 'vitest';
import { makeCatalog } from '../../../src/catalog/catalog.js';
import { explainMissing } from '../../../src/engine/call/missing.js';
import { OPEN_GATE } from '../../../src/stops/gate.js';
import { exampleTool } from '../../catalog/example-tool.js';

const catalogOf = (...ids: readonly string[]) => {
  const { catalog, replace } = makeCatalog();
  replace(ids.map((id) => exampleTool('notes', id)));
  return catalog;
};

describe('a name that leads to no tool', () => {
  it.each([
    ['notes__raed', 'notes__read'],
    ['notes:rea', 'notes:read'],
    ['reed', 'read'],
    ['motes__reae', 'notes__read'],
  ])('is answered with what was meant: %s', (name, close) => {
    const error = explainMissing(name, catalogOf('read', 'write'), () => [], OPEN_GATE);
    expect(error.message).toBe(`There is no tool ${name}. Did you mean ${close}?`);
  });

  it('is compared with five hundred names at most', () => {
    const many = Array.from({ length: 500 }, (_, n) => `a${n}`);
    const among = (...ids: readonly string[]) =>
      explainMissing('notes__raed', catalogOf(...ids), () => [], OPEN_GATE).message;
    expect(among(...many.slice(0, 100), 'read')).toContain('notes__read');
    // By name all of them begin as it does; those that come first are five hundred already.
    expect(among(...many, 'read')).toBe('There is no tool notes__raed.');
  });

  it('asks for the plugin that it names, and for no other', () => {
    const asked: string[] = [];
    explainMissing(
      'notes__read',
      catalogOf(),
      (about) => {
        asked.push(...['note', 'notes', 'other'].filter(about));
        return [];
      },
      OPEN_GATE,
    );
    expect(asked).toEqual(['notes']);
  });
});
