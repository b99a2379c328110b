import { linkedProgram } from './linked-stdio.js';

interface OptionSpec {
  readonly type: 'boolean' | 'string';
  readonly short?: string;
  readonly multiple?: boolean;
  readonly default?: unknown;
}

interface ParseSpec {
  readonly args?: readonly string[];
  readonly options?: Readonly<Record<string, OptionSpec>>;
  readonly strict?: boolean;
  readonly allowPositionals?: boolean;
  readonly allowNegative?: boolean;
}

interface Parsed {
  readonly values: Readonly<Record<string, unknown>>;
  readonly positionals: readonly string[];
}

/** `util.parseArgs`, without `tokens`. */
export function parseArgs({
  args = (linkedProgram()?.argv ?? []).slice(2),
  options = {},
  strict = true,
  allowPositionals = !strict,
  allowNegative = false,
}: ParseSpec = {}): Parsed {
  const found = new Map<string, unknown[]>();
  const positionals: string[] = [];
  const add = (name: string, value: unknown): void => {
    found.set(name, [...(found.get(name) ?? []), value]);
  };
  const left = [...args];
  const specOf = (name: string, written: string): OptionSpec | undefined => {
    const spec = Object.hasOwn(options, name) ? options[name] : undefined;
    if (spec === undefined && strict) {
      throw failure('ERR_PARSE_ARGS_UNKNOWN_OPTION', `Unknown option '${written}'`);
    }
    return spec;
  };
  /** `inline`: the value after `=`. */
  const take = (name: string, written: string, inline: string | undefined): void => {
    const negated = allowNegative && name.startsWith('no-') ? name.slice(3) : undefined;
    if (negated !== undefined && options[negated]?.type === 'boolean') {
      add(negated, false);
      return;
    }
    const spec = specOf(name, written);
    if (spec?.type === 'string') {
      const isNext = left.length > 0 && !(strict && isOption(left[0] ?? ''));
      const value = inline ?? (isNext ? left.shift() : undefined);
      if (value === undefined && strict) {
        throw failure(
          'ERR_PARSE_ARGS_INVALID_OPTION_VALUE',
          `Option '${written} <value>' argument missing`,
        );
      }
      add(name, value ?? true);
    } else {
      if (inline !== undefined && strict) {
        throw failure(
          'ERR_PARSE_ARGS_INVALID_OPTION_VALUE',
          `Option '${written}' does not take an argument`,
        );
      }
      add(name, inline ?? true);
    }
  };
  for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
    if (arg === '--') {
      positionals.push(...left.splice(0));
    } else if (arg.startsWith('--')) {
      const at = arg.indexOf('=');
      if (at < 0) take(arg.slice(2), arg, undefined);
      else take(arg.slice(2, at), arg.slice(0, at), arg.slice(at + 1));
    } else if (isOption(arg)) {
      takeShort(arg.slice(1));
    } else positionals.push(arg);
    if (positionals.length > 0 && !allowPositionals) {
      throw failure(
        'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL',
        `Unexpected argument '${positionals[0] ?? ''}'. This command does not take positional arguments`,
      );
    }
  }
  /** `-abc` is `-a -b -c`, if `a` and `b` take no value. */
  function takeShort(letters: string): void {
    const [letter = '', ...rest] = letters;
    const name = Object.entries(options).find(([, { short }]) => short === letter)?.[0] ?? letter;
    const isText = options[name]?.type === 'string';
    const after = rest.join('');
    if (isText) take(name, `-${letter}`, after === '' ? undefined : after.replace(/^=/, ''));
    else {
      take(name, `-${letter}`, undefined);
      if (after !== '') takeShort(after);
    }
  }
  const values: Record<string, unknown> = Object.create(null);
  for (const [name, all] of found) {
    values[name] = options[name]?.multiple === true ? all : all.at(-1);
  }
  for (const [name, spec] of Object.entries(options)) {
    if (!(name in values) && spec.default !== undefined) values[name] = spec.default;
  }
  return { values, positionals };
}

function isOption(arg: string): boolean {
  return arg.length > 1 && arg.startsWith('-');
}

function failure(code: string, message: string): TypeError {
  return Object.assign(new TypeError(message), { code });
}
