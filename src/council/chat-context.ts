import { type ContextMessage, flattenMessages } from '../formats/spindle/invocation/messages.js';
import type { HistoryEntry } from './history.js';
import type { CouncilToolsSettings } from './settings.js';

/** What a generation is about, as the host knows it. All of it may be left out. */
export interface CouncilCycle {
  /** The chat so far, oldest first; content may be in parts. */
  readonly messages?: readonly unknown[];
  /** What the character is, in lines. */
  readonly character?: string;
  readonly persona?: { readonly name: string; readonly description?: string };
  /** The entries of world books that apply. */
  readonly worldInfo?: readonly { readonly label: string; readonly content: string }[];
  /** What members contributed before in this chat, as `remember` gave it. */
  readonly history?: readonly HistoryEntry[];
  /** Gives the generation up: no further tool runs, and the one that runs is told. */
  readonly signal?: AbortSignal;
  /** How the generation began; one in the user's own name calls no tools inline. */
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
  const told: ContextMessage[] = [];
  const tell = (content: string): unknown => told.push({ role: 'system', content });
  if (character !== undefined && character !== '') tell(`## Character Information\n${character}`);
  if (persona !== undefined) {
    tell(`## User Persona\nName: ${persona.name}\n${persona.description ?? ''}`);
  }
  if (worldInfo.length > 0) {
    const entries = worldInfo.map(({ label, content }) => `[${label}]: ${content}`);
    tell(`## Activated World Info\n${entries.join('\n\n')}`);
  }
  const turns = (cycle.messages ?? []).flatMap((message) => flattenMessages([message]) ?? []);
  return [...told, ...selectTurns(turns, settings)];
}

/**
 * The last turns of a chat. Without the newest message of the user's, where that is wanted: an older
 * turn does not come in its place.
 */
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
