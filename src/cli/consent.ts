import { join } from 'node:path';
import type { Command } from 'commander';
import type { EffectMode, EngineOptions, Tolerance } from '../index.js';
import { collect } from './arguments.js';
import { usageError } from './failure.js';
import type { CliPowers } from './powers.js';

/** What says how much runs unasked, the same for every command that calls tools. */
export interface ConsentSettings {
  readonly tolerance?: Tolerance;
  readonly trustHints?: readonly string[];
  readonly rules?: string;
  readonly effects?: EffectMode;
}

/** What help says of where rules are unless another file is named. */
export const RULES_PLACE = 'default: bulkhead/rules.json in your configuration directory';

/**
 * Where rules are kept. Never in the directory that somebody works in: that may be a plugin's, which
 * could bring rules of its own that allow what it wants. None where there is no home to keep them in.
 */
export function rulesFileOf(
  { rules }: Pick<ConsentSettings, 'rules'>,
  { environment }: Pick<CliPowers, 'environment'>,
): string | undefined {
  if (rules !== undefined) return rules;
  const { XDG_CONFIG_HOME: configured = '', HOME: home = '' } = environment;
  if (configured === '' && home === '') return undefined;
  return join(configured === '' ? join(home, '.config') : configured, 'bulkhead', 'rules.json');
}

export function addConsentOptions(command: Command): Command {
  return command
    .option(
      '--tolerance <LEVEL>',
      'how much risk runs unasked: strict, default, relaxed or full (default: as each format documents)',
      parseTolerance,
    )
    .option(
      '--trust-hints <ID>',
      'let what the author of that plugin says lower the risk of its tools',
      collect,
    )
    .option(
      '--effects <MODE>',
      'changes sent by tools that declare that they only read: ask, audit or off',
      parseEffects,
    )
    .option('--rules <FILE>', `the rules that decide before anybody is asked (${RULES_PLACE})`);
}

export function consentOptions(
  settings: ConsentSettings,
  powers: Pick<CliPowers, 'environment'>,
): Partial<EngineOptions> {
  const { tolerance, trustHints, effects } = settings;
  const rules = rulesFileOf(settings, powers);
  return {
    ...(rules === undefined ? {} : { rules }),
    ...(tolerance === undefined ? {} : { tolerance }),
    ...(trustHints === undefined ? {} : { trustHints }),
    ...(effects === undefined ? {} : { effects }),
  };
}

const TOLERANCES: readonly Tolerance[] = ['strict', 'default', 'relaxed', 'full'];
const EFFECTS: readonly EffectMode[] = ['ask', 'audit', 'off'];

function parseTolerance(text: string): Tolerance {
  return oneOf(TOLERANCES, '--tolerance', text);
}

function parseEffects(text: string): EffectMode {
  return oneOf(EFFECTS, '--effects', text);
}

function oneOf<Word extends string>(words: readonly Word[], option: string, text: string): Word {
  const word = words.find((one) => one === text);
  if (word !== undefined) return word;
  throw usageError(option, `${option} takes one of ${words.join(', ')}, not ${text}`);
}
