import type { Command } from 'commander';
import type { EngineOptions } from '../engine/types/options.js';
import { PROGRAM_MEMORY_MB, readLimits } from '../engine/types/limits.js';
import { usageError } from './failure.js';

export interface MemorySettings {
  /** MiB. */
  readonly memory?: number;
}

const GUEST_MEMORY_MB = readLimits({}).memoryMb;

/** What a command may run. */
type Runs = 'plugin' | 'server' | 'any';

/** What a guest gets without `--memory`, in MiB, by what the command runs. */
const STANDARD_MEMORY: Readonly<Record<Runs, string>> = {
  plugin: String(GUEST_MEMORY_MB),
  server: String(PROGRAM_MEMORY_MB),
  any: `${GUEST_MEMORY_MB}, an MCP server ${PROGRAM_MEMORY_MB}`,
};

/** What a guest needs to start, in MiB. */
const MIN_MEMORY_MB = 32;
const MAX_MEMORY_MB = 64 * 1024;

export function addMemoryOption(command: Command, runs: Runs): Command {
  return command.option(
    '--memory <MIB>',
    `memory of a guest in MiB, and the same again for buffers (default: ${STANDARD_MEMORY[runs]})`,
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
