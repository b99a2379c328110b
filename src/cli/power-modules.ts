import { isRecord } from '../../sandbox/wire/json.js';
import type { PowerDefinition } from '../brokers/powers/host-powers.js';
import { visible } from '../visible.js';
import type { CliCapabilities } from './capabilities.js';
import { reasonOf, usageError } from './failure.js';

/** A power, and the module of the operator that implements it. */
export interface LentPower {
  readonly name: string;
  readonly module: string;
}

/** `--power NAME=MODULE`, once for each power. */
export function collectPower(text: string, before: readonly LentPower[] = []): LentPower[] {
  const at = text.indexOf('=');
  const [name, module] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  if (name === '' || module === '') {
    throw usageError('--power', '--power takes NAME=MODULE, e.g. --power notes.find=./find.mjs');
  }
  if (before.some((one) => one.name === name)) {
    throw usageError('--power', `--power names ${visible(name)} twice`);
  }
  return [...before, { name, module }];
}

/**
 * Reads the modules of `--power`. The default export is the handler, or a definition without its name.
 * The modules run in this process, without a sandbox: the operator named them.
 */
export async function readPowerModules(
  powers: readonly LentPower[] = [],
  { importModule }: Pick<CliCapabilities, 'importModule'>,
): Promise<readonly PowerDefinition[]> {
  return Promise.all(
    powers.map(async ({ name, module }) => {
      const loaded = await importModule(module).catch((error: unknown) => {
        throw usageError('--power', `--power cannot load ${visible(module)}: ${reasonOf(error)}`);
      });
      const exported = isRecord(loaded) ? loaded['default'] : undefined;
      if (isHandler(exported)) return { name, handler: exported };
      if (isDefinition(exported)) return { ...exported, name };
      throw usageError(
        '--power',
        `--power needs a default export in ${visible(module)}: a function, or an object with a function handler`,
      );
    }),
  );
}

function isHandler(value: unknown): value is PowerDefinition['handler'] {
  return typeof value === 'function';
}

/** The engine checks the other fields. */
function isDefinition(value: unknown): value is Omit<PowerDefinition, 'name'> {
  return isRecord(value) && isHandler(value['handler']);
}
