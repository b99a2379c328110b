import { makePowerBroker } from '../../../src/brokers/powers/broker.js';
import type { PowerRecord } from '../../../src/brokers/record.js';
import { type PowerDefinition, readPowers } from '../../../src/brokers/powers/host-powers.js';
import { ownCompiler } from '../../../src/engine/node/process-defaults.js';
import type { PowerLimits } from '../../../src/brokers/limits.js';

/** The broker of a plugin `notes` on a host that lends these powers. */
export function lend(
  powers: readonly PowerDefinition[],
  granted: readonly string[],
  limits: Partial<PowerLimits> = {},
) {
  const records: PowerRecord[] = [];
  const broker = makePowerBroker({
    plugin: { id: 'notes', manifest: 'pandora.manifest.json' },
    hostPowers: readPowers(powers, ownCompiler),
    granted,
    limits,
    onEvent: (record) => records.push(record),
  });
  const use = async (
    name: unknown,
    args: unknown = {},
    signal: AbortSignal = new AbortController().signal,
  ): Promise<unknown> => {
    const { text } = await broker.use({ name, arguments: args }, signal);
    return JSON.parse(text);
  };
  /** The same, for what is refused: its code and its message. */
  const refusal = async (
    name: unknown,
    args: unknown = {},
    signal?: AbortSignal,
  ): Promise<readonly [code: string, message: string]> => {
    try {
      return ['allowed', JSON.stringify(await use(name, args, signal))];
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
      return [String(error.code), error.message];
    }
  };
  return { ...broker, broker, records, use, refusal };
}

/** A power that gives back what it was asked, and by whom. */
export const echo: PowerDefinition = {
  name: 'echo',
  handler: (args, { plugin, permission }) => ({ args, plugin, permission }),
};
