import { describe, expect, it } from 'vitest';
import { readCouncilSettings } from '../../../../src/formats/spindle/council/settings.js';

const defaults = {
  mode: 'sidecar',
  members: [],
  toolsSettings: {
    timeoutMs: 30_000,
    sidecarContextWindow: 25,
    excludeLatestUserMessage: false,
    maxWordsPerTool: 0,
  },
  sidecarSettings: {
    connectionProfileId: '',
    model: '',
    temperature: 0.7,
    topP: 0.9,
    maxTokens: 1024,
  },
  instructions: '',
};

describe('the settings of a council', () => {
  it.each([undefined, null, 7, {}, { members: 'x', mode: 'other', sidecarSettings: [] }])(
    'are the defaults for %j',
    (stored) => {
      expect(readCouncilSettings(stored)).toEqual(defaults);
    },
  );

  it('give every tool at least fifteen seconds', () => {
    expect(readCouncilSettings({ toolsSettings: { timeoutMs: 100 } }).toolsSettings.timeoutMs).toBe(
      15_000,
    );
  });

  it('contain members with their twelve fields, their tools and their memory', () => {
    const { members } = readCouncilSettings({
      members: [
        { memberId: 'm', name: 'Lumi', tools: ['a:b', 7], history: { 'a:b': 99, c: 0, d: 'x' } },
        'nobody',
      ],
    });
    expect(members).toHaveLength(1);
    expect(members[0]).toMatchObject({
      memberId: 'm',
      role: '',
      chance: 100,
      avatarUrl: null,
      tools: ['a:b'],
      history: { 'a:b': 10 },
    });
  });
});
