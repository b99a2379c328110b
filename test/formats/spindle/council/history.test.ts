import { describe, expect, it } from 'vitest';
import type { CouncilToolResult } from '../../../../src/formats/spindle/council/deliberation.js';
import {
  appendHistory,
  type HistoryEntry,
  recall,
} from '../../../../src/formats/spindle/council/chat-context.js';
import { readCouncilSettings } from '../../../../src/formats/spindle/council/settings.js';

const result = (content: string, toolName = 'e:t'): CouncilToolResult => ({
  memberId: 'm',
  memberName: 'Lumi',
  toolName,
  toolDisplayName: toolName,
  success: true,
  content,
  durationMs: 1,
});

const membersKeeping = (history: Readonly<Record<string, number>>) =>
  readCouncilSettings({ members: [{ memberId: 'm', name: 'Lumi', history }] }).members;

describe('what a council remembers', () => {
  it('has the number of contributions that the assignment says, the latest last', () => {
    const members = membersKeeping({ 'e:t': 2 });
    let history: readonly HistoryEntry[] = [];
    for (const content of ['one', 'two', 'three']) {
      history = appendHistory(history, [result(content), result('x', 'e:other')], members, 5);
    }
    expect(history.map(({ content }) => content)).toEqual(['two', 'three']);
    expect(recall(history, 'm', 'e:t')).toContain('### 2 deliberations ago\ntwo');
    expect(recall(history, 'm', 'e:t')).toContain('### 1 deliberation ago\nthree');
    expect(recall(history, 'm', 'e:other')).toBeUndefined();
  });

  it('is nothing of what failed or was empty', () => {
    const failed = { ...result('lost'), success: false };
    expect(appendHistory([], [failed, result('  ')], membersKeeping({ 'e:t': 10 }), 5)).toEqual([]);
  });

  it('is cut, each entry and all of them', () => {
    const members = readCouncilSettings({
      members: Array.from({ length: 30 }, (_, at) => ({
        memberId: `m${at}`,
        history: { 'e:t': 10 },
      })),
    }).members;
    const results = members.flatMap(({ memberId }) =>
      Array.from({ length: 10 }, () => ({ ...result('y'.repeat(5_000)), memberId })),
    );
    const history = appendHistory([], results, members, 5);
    expect(history).toHaveLength(200);
    expect(history[0]?.content).toBe(`${'y'.repeat(4_000)}\n[truncated]`);
  });
});
