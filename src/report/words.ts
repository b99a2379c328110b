import type { PermissionReport } from './report.js';

/** `2026-11-20 14:31` */
export function moment(iso: string): string {
  return iso.slice(0, 16).replace('T', ' ');
}

export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms * 10) / 10} ms`;
  if (ms < 60_000) return `${Math.round(ms / 100) / 10} s`;
  if (ms < 3_600_000) return `${Math.round(ms / 6_000) / 10} min`;
  if (ms < 172_800_000) return `${Math.round(ms / 360_000) / 10} h`;
  return `${Math.round(ms / 8_640_000) / 10} days`;
}

export function plural(count: number, thing: string): string {
  return `${count.toLocaleString('en')} ${thing}${count === 1 ? '' : 's'}`;
}

/** `network api.example.com`; a permission without scopes is its kind alone. */
export function scopeText({
  kind,
  scope,
}: {
  readonly kind: string;
  readonly scope: string;
}): string {
  return scope === 'true' ? kind : `${kind} ${scope}`;
}

/** What a separate package holds: `nothing`, or its permissions. */
export function heldText({
  granted,
  together,
}: {
  readonly granted: readonly string[];
  readonly together: boolean;
}): string {
  if (together) return 'all that the plugin may do';
  return granted.length === 0 ? 'nothing' : granted.join(', ');
}

export function useText({ granted, observed, uses }: PermissionReport): string {
  if (!granted) return 'not granted';
  if (!observed) return 'not observed';
  return uses === 0 ? 'never' : plural(uses, 'time');
}
