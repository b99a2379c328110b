import { describe, expect, it } from 'vitest';
import { contextOf, selectTurns } from '../../../../src/formats/spindle/council/chat-context.js';

const turns = [
  { id: '1', role: 'user' },
  { id: '2', role: 'assistant' },
  { id: '3', role: 'user' },
];
const idsOf = (sidecarContextWindow: number, excludeLatestUserMessage: boolean): string[] =>
  selectTurns(turns, { sidecarContextWindow, excludeLatestUserMessage }).map(({ id }) => id);

describe('the turns that tools see', () => {
  it('are limited to the last ones', () => {
    expect(idsOf(2, false)).toEqual(['2', '3']);
    expect(idsOf(0, false)).toEqual([]);
  });

  it('are without the user’s newest message if that is wanted', () => {
    expect(idsOf(3, true)).toEqual(['1', '2']);
  });

  it('do not get an older turn in its place', () => {
    expect(idsOf(2, true)).toEqual(['2']);
  });
});

describe('the context that tools see', () => {
  it('is the character, the persona, the world and then the chat', () => {
    const settings = {
      timeoutMs: 30_000,
      sidecarContextWindow: 1,
      excludeLatestUserMessage: false,
      maxWordsPerTool: 0,
    };
    expect(
      contextOf(
        {
          character: 'Name: Ada',
          persona: { name: 'Ann', description: 'a reader' },
          worldInfo: [
            { label: 'town', content: 'by the sea' },
            { label: 'war', content: 'long over' },
          ],
          messages: [
            { role: 'user', content: 'older' },
            { role: 'assistant', content: [{ type: 'text', text: 'hi' }] },
          ],
        },
        settings,
      ),
    ).toEqual([
      { role: 'system', content: '## Character Information\nName: Ada' },
      { role: 'system', content: '## User Persona\nName: Ann\na reader' },
      {
        role: 'system',
        content: '## Activated World Info\n[town]: by the sea\n\n[war]: long over',
      },
      { role: 'assistant', content: 'hi' },
    ]);
    expect(contextOf({}, settings)).toEqual([]);
  });
});
