import type { Engine, EngineOptions } from '../../../src/index.js';
import { startEngine } from '../../engine/plugin-on-disk.js';
import { makeVellum, type VellumSpec } from '../../engine/vellum-on-disk.js';

export const DIALECTS = ['classic', 'current'] as const;
export type Dialect = (typeof DIALECTS)[number];

export const user = (text: string): object => ({ role: 'user', content: [{ type: 'text', text }] });
/** The source of a hook with that body. */
export const hook = (body: string): string => `export default async function (ctx) { ${body} }`;

/** Plugins whose hooks are these, each called `p0`, `p1`, … in that order. */
export function chainOf(
  semantics: Dialect,
  plugins: readonly VellumSpec['hooks'][],
  options: Partial<EngineOptions> = {},
): Promise<Engine> {
  const directories = plugins.map((hooks, index) =>
    makeVellum({
      name: `p${index}`,
      ...(hooks === undefined ? {} : { hooks }),
      files: { 'install-meta.json': JSON.stringify({ installedAt: `2026-01-0${index + 1}` }) },
    }),
  );
  return startEngine(directories, { ...options, hooks: { semantics, ...options.hooks } });
}
