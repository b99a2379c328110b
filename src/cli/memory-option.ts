import type { Command } from 'commander';
import type { EngineOptions } from '../engine/types/options.js';
import { readLimits } from '../engine/types/limits.js';
import { usageError } from './failure.js';

export interface MemorySettings {
  /** MiB. */
  readonly memory?: number;
}

/** What a guest gets without `--memory`, in MiB. */
export const GUEST_MEMORY_MB: number = readLimits({}).memoryMb;

/** What an MCP server may use without `--memory`, in MiB: it is a whole program, and its user runs few of them. */
export const SERVER_MEMORY_MB = 256;

/** What a guest needs to start, in MiB. */
const MIN_MEMORY_MB = 32;
const MAX_MEMORY_MB = 64 * 1024;

/** `standard`: what a guest gets without the option, in MiB. */
export function addMemoryOption(command: Command, standard: number): Command {
  return command.option(
    '--memory <MIB>',
    `memory of a guest in MiB, and the same again for buffers (default: ${standard})`,
    parseMemory,
  );
}

function parseMemory(text: string): number {
  const memory = Number(text);
  if (Number.isInteger(memory) && memory >= MIN_MEMORY_MB && memory <= MAX_MEMORY_MB) return memory;
  throw usageError(
    '--memory',
    `${JSON.stringify(text)} is not a number of MiB from ${MIN_MEMORY_MB} to ${MAX_MEMORY_MB}`,
  );
}

/** The limit of the option, or none. */
export function memoryLimit({ memory }: MemorySettings): NonNullable<EngineOptions['limits']> {
  return memory === undefined ? {} : { memoryMb: memory };
}
