import { isRecord } from '../../../sandbox/wire/json.js';
import { BulkheadError } from '../../errors.js';
import { checkKeys } from './check-options.js';

/** What an option takes, in words, and whether a value is that. */
export interface OptionForm {
  readonly takes: string;
  readonly fits: (value: unknown) => boolean;
  /** The members of an object. Others are refused. Default: any. */
  readonly members?: Readonly<Record<string, OptionForm>>;
  /** The members of each element of a list. Others are refused. Default: any. */
  readonly each?: Readonly<Record<string, OptionForm>>;
  /** Names of members that another check reads. */
  readonly names?: readonly string[];
}

/** One form for each option, so that none is forgotten. */
export type OptionForms<Options> = Readonly<Record<keyof Options, OptionForm>>;

/**
 * Refuses options that do not exist, and values that an option does not take. `undefined` is always taken.
 * `at` names what takes the options, `path` the option whose members they are. Throws `INVALID_OPTIONS`.
 */
export function checkOptions(
  given: object,
  forms: Readonly<Record<string, OptionForm>>,
  at: string,
  path = '',
): void {
  if (areUsual(given, forms)) return;
  for (const key of Object.keys(given)) {
    const home = Object.hasOwn(forms, key) ? undefined : homeOf(key, forms);
    if (home === undefined) continue;
    throw new BulkheadError(
      'INVALID_OPTIONS',
      `"${key}" is not an option of ${at}. Did you mean ${home}.${key}?`,
      { option: `${path}${key}` },
    );
  }
  checkKeys(given, forms, at);
  for (const [name, value] of Object.entries(given)) {
    const form = forms[name];
    if (value === undefined || form === undefined) continue;
    const option = `${path}${name}`;
    if (!form.fits(value)) {
      throw new BulkheadError(
        'INVALID_OPTIONS',
        `The option ${option} takes ${form.takes}. It is ${shown(value)}.`,
        { option },
      );
    }
    if (form.members !== undefined && isPlain(value)) {
      checkOptions(value, form.members, option, `${option}.`);
    }
    if (form.each !== undefined && Array.isArray(value)) {
      for (const [index, one] of value.entries()) {
        if (isPlain(one))
          checkOptions(one, form.each, `${option}[${index}]`, `${option}[${index}].`);
      }
    }
  }
}

/** Whether all is right, found in one pass, because each call has options. Members are left to the full check. */
function areUsual(given: object, forms: Readonly<Record<string, OptionForm>>): boolean {
  for (const [name, value] of Object.entries(given)) {
    const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
    if (form === undefined || form.members !== undefined || form.each !== undefined) return false;
    if (value !== undefined && !form.fits(value)) return false;
  }
  return true;
}

/** Whether it is an object of data. An instance of a class may have more members than an option. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isRecord(value)) return false;
  const parent: unknown = Object.getPrototypeOf(value);
  return parent === null || Object.getPrototypeOf(parent) === null;
}

/** The option that has a member of this name. */
function homeOf(key: string, forms: Readonly<Record<string, OptionForm>>): string | undefined {
  const home = Object.entries(forms).find(
    ([, form]) => Object.hasOwn(form.members ?? {}, key) || (form.names ?? []).includes(key),
  );
  return home?.[0];
}

/** For an option with a check of its own, which also says what it takes. */
export const checkedElsewhere: OptionForm = { takes: 'anything', fits: () => true };

export const flag: OptionForm = {
  takes: 'true or false',
  fits: (value) => typeof value === 'boolean',
};

export const text: OptionForm = {
  takes: 'a text that is not empty',
  fits: (value) => typeof value === 'string' && value !== '',
};

export const anyText: OptionForm = { takes: 'a text', fits: (value) => typeof value === 'string' };

/** An object of data, e.g. by plugin id. */
export const record: OptionForm = { takes: 'an object', fits: isRecord };

/** Milliseconds of a timer. */
export const milliseconds: OptionForm = {
  takes: 'a number of milliseconds above 0',
  fits: (value) => typeof value === 'number' && value > 0,
};

export const count: OptionForm = {
  takes: 'a whole number from 1',
  fits: (value) => Number.isSafeInteger(value) && Number(value) >= 1,
};

/** A signal of this realm or of another one. */
export const signal: OptionForm = {
  takes: 'an AbortSignal',
  fits: (value) =>
    value instanceof AbortSignal ||
    (typeof value === 'object' &&
      value !== null &&
      'aborted' in value &&
      'addEventListener' in value &&
      typeof value.addEventListener === 'function'),
};

export function listener(takes: string): OptionForm {
  return { takes, fits: (value) => typeof value === 'function' };
}

/** `example`: a list, as it is written. */
export function texts(example: string): OptionForm {
  return {
    takes: `a list of texts, e.g. ${example}`,
    fits: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  };
}

/** A list whose elements another check reads. */
export function list(what: string): OptionForm {
  return { takes: `a list of ${what}`, fits: Array.isArray };
}

/** A list of objects with these members and no others. */
export function listOf<Element>(what: string, each: OptionForms<Element>): OptionForm {
  return {
    takes: `a list of ${what}`,
    fits: (value) => Array.isArray(value) && value.every(isRecord),
    each,
  };
}

export function oneOf(...words: readonly (string | null)[]): OptionForm {
  return { takes: words.join(' or '), fits: (value) => words.some((word) => word === value) };
}

export function either(...forms: readonly OptionForm[]): OptionForm {
  return {
    takes: forms.map(({ takes }) => takes).join(', or '),
    fits: (value) => forms.some(({ fits }) => fits(value)),
  };
}

/** An object with these members and no others. */
export function members<Options>(forms: OptionForms<Options>): OptionForm {
  return {
    takes: `an object with any of ${Object.keys(forms).join(', ')}`,
    fits: isRecord,
    members: forms,
  };
}

function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  return (JSON.stringify(value) ?? String(value)).slice(0, 100);
}
