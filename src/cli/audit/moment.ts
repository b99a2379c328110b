import { usageError } from '../failure.js';

const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Reads `90m`, `24h`, `7d` as so long ago, and a date or time as what it says. */
export function parseMoment(text: string, option: string, nowMs: number): number {
  const { count, unit } = /^(?<count>\d+)(?<unit>[smhdw])$/.exec(text)?.groups ?? {};
  if (count !== undefined && unit !== undefined) {
    return nowMs - Number(count) * (UNITS_MS[unit] ?? NaN);
  }
  const date = Date.parse(text);
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(date)) {
    throw usageError(option, `${option} takes 90m, 24h, 7d or a date like 2026-01-31, not ${text}`);
  }
  return date;
}
