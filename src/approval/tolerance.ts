import { exceeds, type RiskBand } from '../plugin/risk.js';

/** How much risk runs without a question, by the names that people choose it by. */
export type Tolerance = 'strict' | 'default' | 'relaxed' | 'full';

/** The highest band that runs unasked; with `none` everything asks. */
export const THRESHOLDS: Readonly<Record<Tolerance, RiskBand | 'none'>> = {
  strict: 'none',
  default: 'low',
  relaxed: 'medium',
  full: 'high',
};

export function isTolerance(text: unknown): text is Tolerance {
  return typeof text === 'string' && Object.hasOwn(THRESHOLDS, text);
}

export interface Asking {
  readonly risk: RiskBand;
  readonly riskWhy: string;
  /** By its manifest or the operator's configuration. It asks then whatever the tolerance is. */
  readonly requireApproval: boolean;
  /** Whether its format's document leaves asking to that flag alone. */
  readonly byFlagAlone: boolean;
}

/**
 * Why a call of the tool asks before it runs; `undefined` where it does not. Without a chosen
 * tolerance each format's own document holds: Pandora asks by its flag alone; of others what is
 * high asks, and the rest runs within what it was granted.
 */
export function whyItAsks(tool: Asking, tolerance: Tolerance | undefined): string | undefined {
  if (tool.requireApproval) return 'its manifest or its configuration requires approval';
  if (tolerance === undefined && tool.byFlagAlone) return undefined;
  const threshold = THRESHOLDS[tolerance ?? 'relaxed'];
  if (threshold !== 'none' && !exceeds(tool.risk, threshold)) return undefined;
  return `its risk is ${tool.risk}: ${tool.riskWhy}`;
}
