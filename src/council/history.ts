import type { CouncilToolResult } from './deliberation.js';
import type { CouncilMember } from './settings.js';

/** A contribution that is kept for later generations of the same chat. */
export interface HistoryEntry extends Pick<
  CouncilToolResult,
  'memberId' | 'memberName' | 'toolName' | 'toolDisplayName' | 'content'
> {
  readonly createdAtMs: number;
}

/** Of one entry; the rest is cut. Stops a tool that fills every later prompt. */
export const MAX_ENTRY_CHARACTERS = 4_000;

/** In one chat, whoever they are from. */
export const MAX_ENTRIES = 200;

/**
 * The history with what was contributed now: of each member and tool as many as its assignment keeps,
 * the latest last.
 */
export function appendHistory(
  history: readonly HistoryEntry[],
  results: readonly CouncilToolResult[],
  members: readonly CouncilMember[],
  nowMs: number,
): readonly HistoryEntry[] {
  const kept = new Map(
    members.flatMap(({ memberId, history: byTool }) =>
      Object.entries(byTool).map(([tool, count]) => [keyOf(memberId, tool), count] as const),
    ),
  );
  const added = results
    .filter(({ success, content }) => success && content.trim() !== '')
    .map(({ memberId, memberName, toolName, toolDisplayName, content }) => ({
      memberId,
      memberName,
      toolName,
      toolDisplayName,
      content: cut(content.trim()),
      createdAtMs: nowMs,
    }));
  const counts = new Map<string, number>();
  const newestFirst = [...history, ...added].toReversed().filter(({ memberId, toolName }) => {
    const key = keyOf(memberId, toolName);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count <= (kept.get(key) ?? 0);
  });
  return newestFirst.slice(0, MAX_ENTRIES).toReversed();
}

/** What a member contributed before by one tool, as a message for it; `undefined` where nothing. */
export function recall(
  history: readonly HistoryEntry[],
  memberId: string,
  toolName: string,
): string | undefined {
  const entries = history.filter(
    (entry) => entry.memberId === memberId && entry.toolName === toolName,
  );
  if (entries.length === 0) return undefined;
  const parts = entries.map(({ content }, at) => {
    const ago = entries.length - at;
    return `### ${ago} ${ago === 1 ? 'deliberation' : 'deliberations'} ago\n${content}`;
  });
  return [
    '## Previous Deliberations',
    'Earlier contributions of this member by this tool, for continuity. The chat below supersedes them.',
    ...parts,
  ].join('\n\n');
}

function keyOf(memberId: string, toolName: string): string {
  return JSON.stringify([memberId, toolName]);
}

function cut(content: string): string {
  return content.length <= MAX_ENTRY_CHARACTERS
    ? content
    : `${content.slice(0, MAX_ENTRY_CHARACTERS).trimEnd()}\n[truncated]`;
}
