import { type ContextMessage, flattenMessages } from '../invocation.js';
import type { CouncilMember, CouncilToolsSettings } from './settings.js';
import type { CouncilToolResult } from './deliberation.js';

/** A generation, as the host knows it. Every field is optional. */
export interface CouncilCycle {
  /** The chat so far, oldest first; content may be in parts. */
  readonly messages?: readonly unknown[];
  /** The description of the character. */
  readonly character?: string;
  readonly persona?: { readonly name: string; readonly description?: string };
  /** The entries of world books that apply. */
  readonly worldInfo?: readonly { readonly label: string; readonly content: string }[];
  /** Earlier contributions in this chat, as `remember` returned them. */
  readonly history?: readonly HistoryEntry[];
  /** Aborts the generation: no further tool runs, and the running one is aborted. */
  readonly signal?: AbortSignal;
  /** The type of generation; `impersonate` calls no tools inline. */
  readonly type?: string;
  /** Whether the preset lets the main model call functions. Default: true. */
  readonly functionCalling?: boolean;
}

/**
 * The context that tools see, in its order: the character, the persona, the world, and the last turns
 * of the chat (Spindle tools, Structured context messages).
 */
export function contextOf(
  cycle: CouncilCycle,
  settings: CouncilToolsSettings,
): readonly ContextMessage[] {
  const { character, persona, worldInfo = [] } = cycle;
  const messages: ContextMessage[] = [];
  const add = (content: string): unknown => messages.push({ role: 'system', content });
  if (character !== undefined && character !== '') add(`## Character Information\n${character}`);
  if (persona !== undefined) {
    add(`## User Persona\nName: ${persona.name}\n${persona.description ?? ''}`);
  }
  if (worldInfo.length > 0) {
    const entries = worldInfo.map(({ label, content }) => `[${label}]: ${content}`);
    add(`## Activated World Info\n${entries.join('\n\n')}`);
  }
  const turns = (cycle.messages ?? []).flatMap((message) => flattenMessages([message]) ?? []);
  return [...messages, ...selectTurns(turns, settings)];
}

/** The last turns of a chat. If the newest user message is excluded, it still counts as a turn. */
export function selectTurns<Turn extends { readonly role: string }>(
  turns: readonly Turn[],
  {
    sidecarContextWindow,
    excludeLatestUserMessage,
  }: Pick<CouncilToolsSettings, 'sidecarContextWindow' | 'excludeLatestUserMessage'>,
): readonly Turn[] {
  const last = sidecarContextWindow === 0 ? [] : turns.slice(-sidecarContextWindow);
  if (!excludeLatestUserMessage) return last;
  const newest = turns.findLast(({ role }) => role === 'user');
  return last.filter((turn) => turn !== newest);
}

/** A contribution for later generations of the same chat. */
export interface HistoryEntry extends Pick<
  CouncilToolResult,
  'memberId' | 'memberName' | 'toolName' | 'toolDisplayName' | 'content'
> {
  readonly createdAtMs: number;
}

/** Characters of one entry; the rest is cut. Stops a tool that fills every later prompt. */
const MAX_ENTRY_CHARACTERS = 4_000;

/** Entries of one chat, of all members. */
const MAX_ENTRIES = 200;

/** The history plus new contributions, latest last, limited for each member and tool. */
export function appendHistory(
  history: readonly HistoryEntry[],
  results: readonly CouncilToolResult[],
  members: readonly CouncilMember[],
  nowMs: number,
): readonly HistoryEntry[] {
  const limits = new Map(
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
    return count <= (limits.get(key) ?? 0);
  });
  return newestFirst.slice(0, MAX_ENTRIES).toReversed();
}

/** A member's earlier contributions by one tool, as a message; `undefined` if there are none. */
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
