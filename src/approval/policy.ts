import { type RiskBand, exceeds } from '../plugin/risk.js';

/**
 * Which tools a channel or an engine offers. It does not decide whether a tool needs approval.
 */
export interface ToolPolicy {
  /** Only tools of these categories, which excludes tools without a category. Empty (default): all tools. */
  readonly allowedToolCategories?: readonly string[];
  /** Only these tools, by exported name or id. Absent: all; empty: none. */
  readonly allowedTools?: readonly string[];
  /** Never these tools, by exported name or id. Overrides the other members. */
  readonly blockedTools?: readonly string[];
}

interface Offered {
  readonly name: string;
  readonly id: string;
  readonly category?: string | undefined;
}

/** Why the policy does not offer a tool; `undefined` if it does. */
export function whyWithheld(policy: ToolPolicy, tool: Offered): string | undefined {
  const { allowedToolCategories: allowed = [], blockedTools: blocked = [] } = policy;
  if (blocked.includes(tool.id) || blocked.includes(tool.name)) {
    return `the policy names it in blockedTools`;
  }
  const { allowedTools } = policy;
  if (allowedTools?.includes(tool.id) === false && !allowedTools.includes(tool.name)) {
    return 'it is not in allowedTools';
  }
  const { category = '' } = tool;
  if (allowed.length === 0 || (category !== '' && allowed.includes(category))) return undefined;
  return category === ''
    ? 'it does not have a category, and allowedToolCategories requires one'
    : `its category ${JSON.stringify(category)} is not in allowedToolCategories`;
}

/** How the engine handles a write request from a tool that declares that it is read-only. */
export type EffectMode = 'ask' | 'audit' | 'off';

/** How much risk runs without approval. */
export type Tolerance = 'strict' | 'default' | 'relaxed' | 'full';

/** The highest risk band that runs without approval; `none`: every tool needs approval. */
export const THRESHOLDS: Readonly<Record<Tolerance, RiskBand | 'none'>> = {
  strict: 'none',
  default: 'low',
  relaxed: 'medium',
  full: 'high',
};

export function isTolerance(text: unknown): text is Tolerance {
  return typeof text === 'string' && Object.hasOwn(THRESHOLDS, text);
}

interface ToolRisk {
  readonly risk: RiskBand;
  readonly riskWhy: string;
  /** The manifest or the operator's configuration requires approval, under every tolerance. */
  readonly requireApproval: boolean;
  /** Whether the plugin's format requires approval only by that flag. */
  readonly byFlagAlone: boolean;
}

/**
 * Why a call of the tool needs approval; `undefined` if it does not. Without a tolerance the format
 * decides: Pandora requires approval only by its flag, the other formats also for high risk.
 */
export function whyItAsks(tool: ToolRisk, tolerance: Tolerance | undefined): string | undefined {
  if (tool.requireApproval) return 'its manifest or its configuration requires approval';
  if (tolerance === undefined && tool.byFlagAlone) return undefined;
  const threshold = THRESHOLDS[tolerance ?? 'relaxed'];
  if (threshold !== 'none' && !exceeds(tool.risk, threshold)) return undefined;
  return `its risk is ${tool.risk}: ${tool.riskWhy}`;
}
