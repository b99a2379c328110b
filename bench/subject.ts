import { fileURLToPath } from 'node:url';
import { createEngine, type Engine, type EngineOptions } from '../src/index.js';

/** One line of the table: our figure, the floor's in the same run, and the goal for both. */
export interface Measure {
  readonly work: string;
  readonly unit: 'µs' | 'ms' | 'calls/s' | 'kB' | 'MB/s';
  readonly ours: number;
  readonly floor?: number;
  /** Ours in relation to the floor, where the goal is a ratio. */
  readonly ratio?: number;
  readonly goal: string;
  readonly met: boolean;
}

export interface Effort {
  /** Sequential calls in each round. */
  readonly calls: number;
  /** Starts that are measured. */
  readonly starts: number;
}

const ECHO = fileURLToPath(new URL('plugins/echo', import.meta.url));
export const SMALL = { city: 'Paris', n: 1 };
export const BIG = {
  s: 'x'.repeat(100_000),
  items: Array.from({ length: 1000 }, (_, i) => ({ i, t: `item ${i}` })),
};
export function startEngine(pool: number, options: Partial<EngineOptions> = {}): Promise<Engine> {
  return createEngine({ plugins: [ECHO], limits: { pool }, logger: silent, ...options });
}

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

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

export function ratioOf(
  ours: number,
  floor: number,
): { ours: number; floor: number; ratio: number } {
  return { ours, floor, ratio: ours / floor };
}

export function inMicroseconds<Figures extends { ours: number; floor: number }>(
  figures: Figures,
): Figures {
  return { ...figures, ours: figures.ours * 1000, floor: figures.floor * 1000 };
}
