import { fileURLToPath } from 'node:url';
import type { Engine, EngineOptions } from '../src/index.js';
import { createEngine } from './built.js';

export const ECHO = fileURLToPath(new URL('plugins/echo', import.meta.url));
export const SMALL = { city: 'Paris', n: 1 };
/** With a city, as nothing but JSON crosses everybody's boundary: what is undefined does not. */
export const BIG = {
  city: 'Paris',
  s: 'x'.repeat(100_000),
  items: Array.from({ length: 1000 }, (_, i) => ({ i, t: `item ${i}` })),
};
export const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export function startEngine(pool: number, options: Partial<EngineOptions> = {}): Promise<Engine> {
  return createEngine({ plugins: [ECHO], limits: { pool }, logger: silent, ...options });
}

export async function call(
  engine: Engine,
  tool: string,
  input: unknown,
  timeoutMs?: number,
): Promise<unknown> {
  const { isError, value } = await engine.call(
    `echo:${tool}`,
    input,
    timeoutMs === undefined ? {} : { timeoutMs },
  );
  if (isError && tool !== 'loop') throw new Error(`${tool} failed`);
  return value;
}
