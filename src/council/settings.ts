import {
  readCouncilMember,
  type CouncilMemberContext,
} from '../formats/spindle/invocation/council-member.js';
import { isObject } from '../schema/shape.js';

/** A member of the council: what tools are told of it, and which tools it was given. */
export interface CouncilMember extends CouncilMemberContext {
  /** Qualified names, `extension:tool`; every other spelling of a tool is understood as well. */
  readonly tools: readonly string[];
  /** By tool, as `tools` names it: how many of its earlier contributions are kept, up to 10. */
  readonly history: Readonly<Record<string, number>>;
}

/** The connection for background work (Spindle tools, Sidecar LLM). */
export interface SidecarConfig {
  /** Which of the host's connection profiles; empty where none was chosen. */
  readonly connectionProfileId: string;
  /** A model in place of the profile's own. */
  readonly model: string;
  readonly temperature: number;
  readonly topP: number;
  readonly maxTokens: number;
}

export interface CouncilToolsSettings {
  /** For each tool. At least 15 seconds, whatever is set. */
  readonly timeoutMs: number;
  /** How many of the last turns of the chat tools see. */
  readonly sidecarContextWindow: number;
  readonly excludeLatestUserMessage: boolean;
  /** Words of a prompt tool's answer; 0: as many as it likes. */
  readonly maxWordsPerTool: number;
}

export interface CouncilSettings {
  /** Whether members use their tools before the generation, or the main model calls them in it. */
  readonly mode: 'sidecar' | 'inline';
  readonly members: readonly CouncilMember[];
  readonly toolsSettings: CouncilToolsSettings;
  readonly sidecarSettings: SidecarConfig;
  /** What the main model is told to do with the contributions. Empty: the usual words. */
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

/** Below this no tool that asks anybody anything has a chance. */
export const MIN_TIMEOUT_MS = 15_000;

/** Contributions of one member by one tool that are kept at most. */
export const MAX_RETAINED = 10;

/** Reads settings as a host stored them. What is not there, or is not what it should be, is the default. */
export function readCouncilSettings(stored: unknown): CouncilSettings {
  const given = isObject(stored) ? stored : {};
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
  if (member === undefined || !isObject(given)) return [];
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
  if (!isObject(given)) return {};
  return Object.fromEntries(
    Object.entries(given).flatMap(([tool, kept]): [string, number][] => {
      const count = typeof kept === 'number' && Number.isFinite(kept) ? Math.floor(kept) : 0;
      return count < 1 ? [] : [[tool, Math.min(MAX_RETAINED, count)]];
    }),
  );
}

function readToolsSettings(stored: unknown): CouncilToolsSettings {
  const given = isObject(stored) ? stored : {};
  const { timeoutMs, sidecarContextWindow, maxWordsPerTool } = DEFAULT_TOOLS;
  return {
    timeoutMs: Math.max(MIN_TIMEOUT_MS, readNumber(given['timeoutMs'], 1, timeoutMs)),
    sidecarContextWindow: readNumber(given['sidecarContextWindow'], 0, sidecarContextWindow),
    excludeLatestUserMessage: given['excludeLatestUserMessage'] === true,
    maxWordsPerTool: readNumber(given['maxWordsPerTool'], 0, maxWordsPerTool),
  };
}

function readSidecar(stored: unknown): SidecarConfig {
  const given = isObject(stored) ? stored : {};
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
