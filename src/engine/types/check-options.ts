import { didYouMean } from '../../did-you-mean.js';
import { isRecord } from '../../../sandbox/wire/json.js';
import { BulkheadError, isBulkheadError } from '../../errors.js';
import { kindNamed, whichKind } from '../../permissions/kind-names.js';
import { scopeTexts } from '../../permissions/table.js';

/** Words of other systems for our options. */
const ALIASES: Readonly<Record<string, string>> = {
  systemPrompt: 'system',
  timeout: 'timeoutMs',
  cwd: 'workingDir',
  permissions: 'grant',
  grants: 'grant',
  pluginDirs: 'plugins',
  logLevel: 'logger',
};

/** Refuses options that do not exist. Throws `INVALID_OPTIONS` with the option that was meant. */
export function checkKeys(
  given: object,
  known: Readonly<Record<string, unknown>>,
  at: string,
): void {
  for (const key of Object.keys(given)) {
    if (Object.hasOwn(known, key)) continue;
    const alias = Object.hasOwn(ALIASES, key) ? ALIASES[key] : undefined;
    const meant =
      alias !== undefined && Object.hasOwn(known, alias)
        ? alias
        : didYouMean(key, Object.keys(known));
    const remedy =
      meant === undefined
        ? `Remove it. The options are ${Object.keys(known).join(', ')}.`
        : `Did you mean ${meant}?`;
    throw invalid(key, `${JSON.stringify(key)} is not an option of ${at}. ${remedy}`);
  }
}

/**
 * Checks the form of the option `grant`: `declared`, `nothing`, a function, or one grant for each plugin.
 * Throws `INVALID_OPTIONS`.
 */
export function checkGrant(grant: unknown): void {
  if (grant === undefined || typeof grant === 'function') return;
  if (typeof grant === 'object' && grant !== null && !Array.isArray(grant)) {
    for (const [id, one] of Object.entries(grant))
      checkPluginGrant(one, `grant[${JSON.stringify(id)}]`);
    return;
  }
  if (isGrantWord(grant)) return;
  throw invalid(
    'grant',
    `The option grant takes ${FORMS} for all plugins, or by plugin id. ${got(grant)}`,
  );
}

const FORMS = '"declared", "nothing" or permissions like { network: ["api.example.com"] }';

/** Checks what one plugin is granted. Throws `INVALID_OPTIONS`. */
export function checkPluginGrant(grant: unknown, at: string): void {
  if (isGrantWord(grant)) return;
  if (typeof grant !== 'object' || grant === null || Array.isArray(grant)) {
    throw invalid('grant', `${at} takes ${FORMS}. ${got(grant)}`);
  }
  for (const [word, value] of Object.entries(grant)) {
    const kind = kindNamed(word);
    const place = `${at}.${word}`;
    if (word === 'declared') {
      if (value === undefined || value === true) continue;
      throw invalid('grant', `${place} takes true, or is left out. ${got(value)}`);
    }
    if (kind === undefined) {
      throw invalid('grant', `${place} is not a kind of permission. ${whichKind(word)}`);
    }
    const isUnscoped = kind === 'time' || kind === 'random' || kind === 'storage';
    if (isUnscoped) {
      if (value === undefined || typeof value === 'boolean') continue;
      throw invalid('grant', `${place} takes true or false. ${got(value)}`);
    }
    if (value === undefined) continue;
    if (!Array.isArray(value) || !value.every((scope) => typeof scope === 'string')) {
      throw invalid(
        'grant',
        `${place} takes a list of texts, like ["${EXAMPLES[kind]}"]. ${got(value)}`,
      );
    }
    for (const scope of value) {
      try {
        scopeTexts[kind].normalise(scope);
      } catch (error) {
        if (!isBulkheadError(error, 'INVALID_PERMISSION')) throw error;
        throw invalid('grant', `${place}: ${error.message}`);
      }
    }
  }
}

const EXAMPLES = {
  network: 'api.example.com',
  env: 'API_KEY',
  fs: '/path/to/workspace:rw',
  powers: 'generation',
} as const;

/**
 * Refuses grants for plugins that are not there, and bindings of secrets: a misspelt id would pass
 * the secret in plain. Throws `INVALID_OPTIONS`.
 */
export function checkNamedIds(
  { grant, secrets }: Readonly<Record<'grant' | 'secrets', unknown>>,
  ids: readonly string[],
): void {
  checkIds('grant', grant, ids);
  // guard: secret-ids-checked
  checkIds('secrets', secrets, ids);
}

function checkIds(option: string, given: unknown, ids: readonly string[]): void {
  if (typeof given !== 'object' || given === null) return;
  for (const id of Object.keys(given)) {
    if (ids.includes(id)) continue;
    const meant = didYouMean(id, ids);
    const remedy =
      meant === undefined
        ? `The installed plugins are ${ids.join(', ') || 'none'}.`
        : `Did you mean ${JSON.stringify(meant)}?`;
    throw invalid(option, `${option}[${JSON.stringify(id)}] names no installed plugin. ${remedy}`);
  }
}

function isGrantWord(grant: unknown): boolean {
  return grant === 'declared' || grant === 'nothing';
}

function got(value: unknown): string {
  return `It is ${JSON.stringify(value) ?? String(value)}.`.slice(0, 200);
}

function invalid(option: string, message: string): BulkheadError {
  return new BulkheadError('INVALID_OPTIONS', message, { option });
}

/** Throws `INVALID_OPTIONS` for options that no engine can have. */
export function checkEngineOptions(options: unknown): void {
  if (!isRecord(options)) {
    throw new BulkheadError(
      'INVALID_OPTIONS',
      'createEngine takes an object of options, e.g. createEngine({ plugins: ["./plugins/*"] }).',
      { option: 'plugins' },
    );
  }
  if (options['trustFile'] !== undefined && options['lockFile'] === undefined) {
    throw new BulkheadError(
      'INVALID_OPTIONS',
      'The option trustFile decides about plugins of a lock file, and there is none. Add the option lockFile.',
      { option: 'trustFile' },
    );
  }
}
