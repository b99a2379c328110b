import { readCouncilMember, type CouncilMemberContext } from '../invocation.js';
import { isRecord } from '../../../../sandbox/wire/json.js';

/** A member of the council, as tools see it, and the tools that are assigned to it. */
export interface CouncilMember extends CouncilMemberContext {
  /** Qualified names, `extension:tool`; aliases of tools are resolved too. */
  readonly tools: readonly string[];
  /** By a name in `tools`: how many of its earlier contributions later calls see, up to 10. */
  readonly history: Readonly<Record<string, number>>;
}

/** The connection for background work (Spindle tools, Sidecar LLM). */
export interface SidecarConfig {
  /** One of the host's connection profiles; empty if none is chosen. */
  readonly connectionProfileId: string;
  /** A model instead of the profile's own. */
  readonly model: string;
  readonly temperature: number;
  readonly topP: number;
  readonly maxTokens: number;
}

export interface CouncilToolsSettings {
  /** Timeout of each tool in milliseconds; at least 15,000. */
  readonly timeoutMs: number;
  /** The number of the chat's last turns that tools see. */
  readonly sidecarContextWindow: number;
  readonly excludeLatestUserMessage: boolean;
  /** Words of a prompt tool's answer; 0: no limit. */
  readonly maxWordsPerTool: number;
}

export interface CouncilSettings {
  /** `sidecar`: members run their tools before the generation. `inline`: the main model calls them. */
  readonly mode: 'sidecar' | 'inline';
  readonly members: readonly CouncilMember[];
  readonly toolsSettings: CouncilToolsSettings;
  readonly sidecarSettings: SidecarConfig;
  /** Instructions to the main model about the contributions. Empty: the default text. */
  readonly instructions: string;
}

export const DEFAULT_SIDECAR: SidecarConfig = {
  connectionProfileId: '',
  model: '',
  temperature: 0.7,
  topP: 0.9,
  maxTokens: 1024,
};

const DEFAULT_TOOLS: CouncilToolsSettings = {
  timeoutMs: 30_000,
  sidecarContextWindow: 25,
  excludeLatestUserMessage: false,
  maxWordsPerTool: 0,
};

/** A shorter timeout leaves no time for a network request. */
export const MIN_TIMEOUT_MS = 15_000;

/** Contributions of one member by one tool that the history stores. */
export const MAX_RETAINED = 10;

/** Reads settings as a host stored them. Missing or invalid ones get their defaults. */
export function readCouncilSettings(stored: unknown): CouncilSettings {
  const given = isRecord(stored) ? stored : {};
  const members = Array.isArray(given['members']) ? given['members'] : [];
  return {
    mode: given['mode'] === 'inline' ? 'inline' : 'sidecar',
    members: members.flatMap(readMember),
    toolsSettings: readToolsSettings(given['toolsSettings']),
    sidecarSettings: readSidecar(given['sidecarSettings']),
    instructions: typeof given['instructions'] === 'string' ? given['instructions'] : '',
  };
}

function readMember(given: unknown): readonly CouncilMember[] {
  const member = readCouncilMember(given);
  if (member === undefined || !isRecord(given)) return [];
  const { tools, history } = given;
  return [
    {
      ...member,
      tools: Array.isArray(tools) ? tools.filter((name) => typeof name === 'string') : [],
      history: readHistory(history),
    },
  ];
}

function readHistory(given: unknown): Readonly<Record<string, number>> {
  if (!isRecord(given)) return {};
  return Object.fromEntries(
    Object.entries(given).flatMap(([tool, stored]): [string, number][] => {
      const count = typeof stored === 'number' && Number.isFinite(stored) ? Math.floor(stored) : 0;
      return count < 1 ? [] : [[tool, Math.min(MAX_RETAINED, count)]];
    }),
  );
}

function readToolsSettings(stored: unknown): CouncilToolsSettings {
  const given = isRecord(stored) ? stored : {};
  const { timeoutMs, sidecarContextWindow, maxWordsPerTool } = DEFAULT_TOOLS;
  return {
    timeoutMs: Math.max(MIN_TIMEOUT_MS, readNumber(given['timeoutMs'], 1, timeoutMs)),
    sidecarContextWindow: readNumber(given['sidecarContextWindow'], 0, sidecarContextWindow),
    excludeLatestUserMessage: given['excludeLatestUserMessage'] === true,
    maxWordsPerTool: readNumber(given['maxWordsPerTool'], 0, maxWordsPerTool),
  };
}

function readSidecar(stored: unknown): SidecarConfig {
  const given = isRecord(stored) ? stored : {};
  const text = (field: string): string => (typeof given[field] === 'string' ? given[field] : '');
  return {
    connectionProfileId: text('connectionProfileId'),
    model: text('model'),
    temperature: readNumber(given['temperature'], 0, DEFAULT_SIDECAR.temperature),
    topP: readNumber(given['topP'], 0, DEFAULT_SIDECAR.topP),
    maxTokens: readNumber(given['maxTokens'], 1, DEFAULT_SIDECAR.maxTokens),
  };
}

function readNumber(value: unknown, least: number, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= least ? value : otherwise;
}
