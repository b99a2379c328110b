import type { PermissionName } from '../../permissions/kind.js';
import { html, type Markup } from './markup.js';

/** A small drawing for each kind of permission, in a square of 18. */
const PATHS: Readonly<Record<PermissionName, string>> = {
  network: 'M9 2a7 7 0 1 0 0 14a7 7 0 1 0 0-14M2 9h14M9 2c4 4 4 10 0 14M9 2c-4 4-4 10 0 14',
  filesystem: 'M2 4.5h5l1.6 2H16v8.5H2z',
  environment: 'M3 5l4 4l-4 4M9 14h6',
  storage: 'M3 4.5c0-3 12-3 12 0v9c0 3-12 3-12 0zM3 4.5c0 3 12 3 12 0M3 9c0 3 12 3 12 0',
  time: 'M9 2a7 7 0 1 0 0 14a7 7 0 1 0 0-14M9 5v4l3 2',
  random: 'M3 3h12v12H3zM6.4 6.4h.1M11.6 6.4h.1M9 9h.1M6.4 11.6h.1M11.6 11.6h.1',
  powers: 'M10 1.5L4 10h4.5L8 16.5L14 8H9.5z',
};

export function glyph(kind: PermissionName, x: number, y: number, state: string): Markup {
  return html`<path class="glyph ${state}" transform="translate(${x} ${y})" d="${PATHS[kind]}" />`;
}
