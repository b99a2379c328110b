/** The worst effect of a call: `low` reads, `medium` changes, `high` destroys. */
export type RiskBand = 'low' | 'medium' | 'high';

export const RISK_BANDS: readonly RiskBand[] = ['low', 'medium', 'high'];

export function isRiskBand(text: unknown): text is RiskBand {
  return RISK_BANDS.some((band) => band === text);
}

/** The higher of two bands. */
export function higherBand(a: RiskBand, b: RiskBand): RiskBand {
  return RISK_BANDS.indexOf(a) >= RISK_BANDS.indexOf(b) ? a : b;
}

export function exceeds(band: RiskBand, limit: RiskBand): boolean {
  return RISK_BANDS.indexOf(band) > RISK_BANDS.indexOf(limit);
}

/**
 * MCP's hints as a band, with the protocol's defaults: without `readOnlyHint` a tool writes, and
 * without `destructiveHint: false` it may destroy.
 */
export function bandOfHints(hints: {
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
}): RiskBand {
  if (hints.readOnlyHint === true) return 'low';
  return hints.destructiveHint === false ? 'medium' : 'high';
}
