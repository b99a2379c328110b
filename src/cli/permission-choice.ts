import type { Command, Option } from 'commander';
import type { GrantPolicy } from '../engine/types/options.js';
import { isBulkheadError } from '../errors.js';
import {
  choosePermissions,
  type PermissionChoice,
  unionOfRequests,
} from '../permissions/choice.js';
import { NO_PERMISSIONS } from '../permissions/permissions.js';
import { visible } from '../visible.js';
import { collect } from './arguments.js';
import { optionWithValues } from './completion/with-values.js';
import { usageError } from './failure.js';

/** Adds `--allow` and `--only`, which mean the same in every command. */
export function addPermissionOptions(command: Command): Command {
  const permission = (flags: string, does: string): Option =>
    optionWithValues(flags, `${does}; repeatable`, KINDS).argParser(collect);
  return command
    .addOption(
      permission(
        '--allow <PERMISSION>',
        'grant this permission too, e.g. time or network:api.example.com, if the plugin declares it or its system cannot declare it',
      ),
    )
    .addOption(
      permission(
        '--only <PERMISSION>',
        'grant only this of what the plugin requests (default: all), e.g. network or network:api.example.com',
      ),
    );
}

/** What shells complete. More follows a kind that ends in a colon. */
const KINDS = ['time', 'random', 'storage', 'network:', 'env:', 'fs:', 'powers:'] as const;

/**
 * The policy for plugins that the operator named: what they request, `--only` a part of it, and what
 * `--allow` adds. `warn` gets a sentence for each text that gives a plugin nothing.
 */
export function grantOf(choice: PermissionChoice, warn?: (sentence: string) => void): GrantPolicy {
  if (choice.allow === undefined && choice.only === undefined) return 'declared';
  readTexts('--allow', { allow: choice.allow });
  readTexts('--only', { only: choice.only });
  const told = new Set<string>();
  return ({ id, manifest, entries }) => {
    return choosePermissions(unionOfRequests(entries), choice, (text) => {
      const sentence = `${visible(text)} gives ${visible(id)} nothing: ${visible(manifest)} does not declare it`;
      if (told.has(sentence)) return;
      told.add(sentence);
      warn?.(sentence);
    });
  };
}

/** Refuses texts that are not permissions, whatever the plugin is. */
function readTexts(option: string, choice: PermissionChoice): void {
  try {
    choosePermissions({ declared: NO_PERMISSIONS, undeclared: true }, choice, () => {});
  } catch (error) {
    if (isBulkheadError(error, 'INVALID_PERMISSION')) throw usageError(option, error.message);
    throw error;
  }
}
